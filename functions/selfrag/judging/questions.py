"""A step's questions to a decision model."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from selfrag.domain.decisions import DecisionQuestion

_QUESTIONS: TypeAdapter[dict[str, DecisionQuestion]] = TypeAdapter(dict[str, DecisionQuestion])


@dataclass(frozen=True)
class Questions:
    """The questions of a `questions.yaml` by name."""

    by_name: Mapping[str, DecisionQuestion]

    def question_about(self, name: str, item: str) -> DecisionQuestion:
        """Return a question with `{item}` replaced in its instructions."""
        question = self.by_name[name]
        return question.model_copy(update={"instructions": question.instructions.replace("{item}", item)})


@cache
def load_questions(module: str) -> Questions:
    """Load a module's `questions.yaml` (by its `__name__`)."""
    import yaml  # imported late: only needed with a decision model

    text = (files(module.rpartition(".")[0]) / "questions.yaml").read_text(encoding="utf-8")
    return Questions(_QUESTIONS.validate_python(yaml.safe_load(text)))
