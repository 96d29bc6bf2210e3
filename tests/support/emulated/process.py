"""ministack with corrections, and roles that are enforced; runs in ministack's own environment, as a program.

process.py RECORD DECIDER...: the file for what is decided, and the command that decides.
"""

import sys
from pathlib import Path

from ministack.app import main

# ministack's environment does not have what follows.
sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.support.emulated import alarms, gateway, interpreter, maps, services
from tests.support.emulated.account import Account
from tests.support.emulated.deliveries import decide_deliveries, decide_integrations, decide_what_functions_become
from tests.support.emulated.errors import name_errors
from tests.support.emulated.machines import Machines
from tests.support.emulated.requests import decide_requests, give_each_role_its_keys, hide_what_is_missing
from tests.support.enforced.record import Record
from tests.support.roles.decider import Decider


def correct(machines: Machines) -> None:
    """Put right what ministack does otherwise than AWS."""
    services.keep_connections()
    services.make_the_same_alias_once()
    services.answer_the_same_request_alike()
    gateway.import_bodies()
    gateway.accept_keys_without_a_value()
    gateway.name_methods_in_settings()
    gateway.name_the_key_of_a_caller()
    gateway.say_that_it_streams_nothing()
    alarms.keep_expressions()
    alarms.describe_alarms_in_full()
    services.remember_tracing()
    services.qualify_what_is_published_at_once()
    services.unpack_a_layer_once()
    name_errors()
    interpreter.work_out_timeouts()
    interpreter.give_results_of_branches()
    interpreter.give_outputs_of_ends()
    interpreter.run_the_version_that_was_started()
    interpreter.give_no_output_of_what_failed()
    interpreter.delete_machines_once_more()
    maps.run_distributed_maps(machines)
    maps.name_executions_once()
    maps.write_objects()


def enforce(account: Account, machines: Machines) -> None:
    """Decide what is called in there by what Terraform applied."""
    machines.install()
    give_each_role_its_keys()
    decide_requests(account)
    hide_what_is_missing(account)
    decide_deliveries(account)
    decide_integrations(account)
    decide_what_functions_become(account)


if __name__ == "__main__":
    account = Account(Decider(sys.argv[2:]), Record(Path(sys.argv[1])))
    machines = Machines(account)
    correct(machines)
    enforce(account, machines)
    del sys.argv[1:]
    main()
