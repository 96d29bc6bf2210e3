"""Write cli/selfrag_cli/doctor/calls.json anew: what `selfrag doctor` asks IAM about, from the calls of recorded runs.

python -m tests.support.roles.asked
"""

import json
import re
from collections.abc import Iterable

from selfrag.runtime.models import DEFAULT_MODELS
from selfrag_cli.doctor.permissions import EACH_THAT_ASKS, FILE
from tests.support.roles.calls import ACCOUNT
from tests.support.roles.recorded import Call
from tests.support.roles.roles import decided
from tests.support.roles.runs import every_path

# The names of policies.json, and what a deployment fills in. Keys, ids and what AWS makes up are of no account.
_FILLED = (
    (r"^arn:aws:bedrock:[a-z0-9-]+::", "arn:${partition}:bedrock:${embedding_region}::"),
    (r"^arn:aws:", "arn:${partition}:"),
    (r":selfrag-(\w+)-\d+-us-east-1/.*", r":selfrag-\1-${account}-${region}/doctor/doctor.md"),
    (r":selfrag-(\w+)-\d+-us-east-1$", r":selfrag-\1-${account}-${region}"),
    (r"us-east-1", "${region}"),
    (ACCOUNT, "${account}"),
    (r"(:execution:selfrag-[\w-]+):.*", r"\1:doctor"),
    (r":collection/\w+", ":collection/${collection}"),
    (r":secret:selfrag/(\w+)-\w+", r":secret:${\1}"),
    (r"\bselfrag\b", "${name}"),
    (r"^index/\$\{name\}/passages", "index/${name}/${index}"),
)


def asked(calls: Iterable[Call]) -> dict[str, dict[str, list[str]]]:
    """By who calls and the resource: the actions, in their order; what machines run stands in their definitions."""
    found: dict[str, dict[str, set[str]]] = {}
    for who, action, resource in calls:
        if action == "lambda:InvokeFunction":
            continue
        for pattern, instead in _FILLED:
            resource = re.sub(pattern, instead, resource)
        role = EACH_THAT_ASKS if who in DEFAULT_MODELS else who
        found.setdefault(role, {}).setdefault(resource, set()).add(action)
    return {
        who: {resource: sorted(actions) for resource, actions in sorted(of.items())}
        for who, of in sorted(found.items())
    }


if __name__ == "__main__":
    with every_path(decided()) as recorded:
        FILE.write_text(json.dumps(asked(recorded), indent=2) + "\n", encoding="utf-8")
