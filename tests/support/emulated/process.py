"""ministack with corrections; runs in ministack's own environment, as a program."""

import sys
from pathlib import Path

from ministack.app import main

# ministack's environment does not have what follows.
sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.support.emulated import alarms, collection_groups, gateway, interpreter, maps, services
from tests.support.emulated.errors import name_errors


def correct() -> None:
    """Correct where ministack differs from AWS."""
    services.keep_connections()
    services.send_a_reply_at_once()
    gateway.import_bodies()
    gateway.accept_keys_without_a_value()
    gateway.name_methods_in_settings()
    gateway.name_the_key_of_a_caller()
    gateway.take_the_key_that_an_authorizer_names()
    gateway.read_streamed_replies()
    alarms.keep_expressions()
    alarms.describe_alarms_in_full()
    services.remember_tracing()
    services.qualify_what_is_published_at_once()
    services.unpack_a_layer_once()
    services.start_wrappers()
    name_errors()
    interpreter.work_out_timeouts()
    interpreter.give_outputs_of_ends()
    interpreter.run_the_version_that_was_started()
    maps.run_distributed_maps()
    collection_groups.make_collection_groups()


if __name__ == "__main__":
    correct()
    main()
