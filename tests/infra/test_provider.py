"""infra/*.tf is written for versions 5 and 6 of the provider; version 6 is held against its schema alone."""

import re
from collections.abc import Iterator
from typing import Any

from tests.support.infra import provider_6
from tests.support.infra.rules import blocks, text_of
from tests.support.infra.tools import INFRA

SCHEMA = provider_6.schema()
ARGUMENTS = {kind: set(listed.split()) for kind, listed in SCHEMA["arguments"].items()}
OF_TERRAFORM = {"count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"}
# Required by version 5, deprecated by version 6.
WARNED_OF = {
    "aws_dynamodb_table.global_secondary_index.hash_key", "aws_dynamodb_table.global_secondary_index.range_key"
}  # fmt: skip


def used() -> set[str]:
    """Return the arguments of infra/*.tf as KIND.ARGUMENT, those of blocks within blocks, too."""
    text = text_of(INFRA)
    found = set[str]()
    for kind in provider_6.kinds():
        of_data = kind.startswith("data.")
        for body in blocks(text, "data" if of_data else "resource", kind.removeprefix("data.")).values():
            found |= {f"{kind}.{path}" for path in _paths(kind, body)}
    return found


def _paths(kind: str, body: dict[str, Any], before: str = "") -> Iterator[str]:
    for name, value in body.items():
        if name == "dynamic":
            for each in value:
                for block, dynamic in each.items():
                    yield from _paths(kind, {block: dynamic["content"]}, before)
        elif not name.startswith("__") and (before or name not in OF_TERRAFORM):
            yield before + name
            # A list of objects is a block, unless the argument is a value.
            if isinstance(value, list) and any(path.startswith(f"{before}{name}.") for path in ARGUMENTS[kind]):
                for part in value:
                    yield from _paths(kind, part, f"{before}{name}.")


def test_every_argument_exists_in_provider_6_and_deprecations_are_listed(record_property: Any) -> None:
    arguments = used()
    known = {f"{kind}.{path}" for kind, paths in ARGUMENTS.items() for path in paths}
    assert ARGUMENTS.keys() == provider_6.kinds(), f"write it anew: {provider_6.__doc__}"
    assert len([path for path in arguments if path.count(".") > 1]) > 50, "blocks within blocks are looked at"
    assert arguments - known == set()
    assert arguments & set(SCHEMA["deprecated"]) == WARNED_OF
    says = f"{len(arguments)} arguments of {len(ARGUMENTS)} kinds, 0 missing, {len(WARNED_OF)} deprecated"
    record_property("figures", f"infra/ by the schema of provider {SCHEMA['provider']}: {says}")


def test_no_attribute_that_version_6_deprecates_is_read() -> None:
    read = re.findall(r"\b((?:data\.)?aws_\w+)\.\w+(?:\[[^]]*])?\.(\w+)", text_of(INFRA))
    assert len(read) > 100
    assert {f"{kind}.{attribute}" for kind, attribute in read} & set(SCHEMA["deprecated"]) == set()
