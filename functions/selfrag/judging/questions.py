"""A step's questions to a decision model."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from selfrag.domain.decisions import DecisionQuestion

_QUESTIONS: TypeAdapter[dict[str, DecisionQuestion]] = TypeAdapter(dict[str, DecisionQuestion])


@cache
def load_questions(module: str) -> Mapping[str, DecisionQuestion]:
    """Load the questions of a module's `questions.yaml` (by its `__name__`), by name."""
    import yaml  # imported late: only needed with a decision model

    text = (files(module.rpartition(".")[0]) / "questions.yaml").read_text(encoding="utf-8")
    return _QUESTIONS.validate_python(yaml.safe_load(text))
