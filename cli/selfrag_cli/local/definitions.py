"""The definitions of the state machines."""

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import cast

import yaml

from selfrag_cli.local.runner.asl import StateMachine

_FOLDER = Path(str(files("selfrag.workflows")))
QUESTION = _FOLDER / "question.asl.yaml"
INGESTION = _FOLDER / "ingestion.asl.yaml"
INTAKE = _FOLDER / "intake.asl.yaml"
REINDEX = _FOLDER / "reindex.asl.yaml"
# The packages of a definition's steps.
ROOMS = {QUESTION: "selfrag.question", INGESTION: "selfrag.ingestion"}
_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")
# The C loader takes a tenth of the time; not every platform's wheel has it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def definition_of(definition: Path, names: Mapping[str, str] = MappingProxyType({})) -> StateMachine:
    """Return what AWS gets, made as Terraform makes it: filled in, then read, without the keys that begin with x-.

    A placeholder `${...}` that is not among `names` stays.
    """
    filled = _PLACEHOLDER.sub(lambda match: names.get(match[1], match[0]), definition.read_text(encoding="utf-8"))
    read = yaml.load(filled, Loader=_LOADER)  # noqa: S506 (a safe loader)
    return cast("StateMachine", {key: value for key, value in read.items() if not key.startswith("x-")})


def placeholders(definition: Path) -> set[str]:
    """Return the names that are filled in at deployment."""
    return set(_PLACEHOLDER.findall(definition.read_text(encoding="utf-8")))
