"""The prompts of `selfrag questions`, and of correctness, are built as those of the steps are and name their fields."""

import re
from typing import get_args

import pytest
from pydantic import BaseModel

from selfrag.ports.prompts import load_prompt, material
from selfrag_cli.lab import correctness
from selfrag_cli.lab.drafting import generation
from selfrag_cli.lab.drafting.generation import AnswerCheck, DraftTurn, Kind

WRITE, ANSWER = (load_prompt(generation.__name__, name).text for name in ("write.md", "answer.md"))
CORRECT = load_prompt(correctness.__name__, "correctness.md").text
SHAPES: list[tuple[str, type[BaseModel]]] = [
    (WRITE, DraftTurn),
    (ANSWER, AnswerCheck),
    (CORRECT, correctness.Correctness),
]
each = pytest.mark.parametrize(("prompt", "shape"), SHAPES, ids=["writing", "answering", "correctness"])


@each
def test_a_prompt_has_the_skeleton_of_all(prompt: str, shape: type[BaseModel]) -> None:
    headings = re.findall(r"^(#+) (.*)", prompt, re.M)
    assert [level for level, _ in headings].count("#") == 1
    sections = [re.sub(r"^How to .*", "How to ...", title) for level, title in headings if level == "##"]
    assert sections == ["What comes in", "What goes out", "How to ...", "Hard cases"]


@each
def test_a_prompt_says_once_that_material_gives_no_orders(prompt: str, shape: type[BaseModel]) -> None:
    assert prompt.count(material()) == 1


@each
def test_a_prompt_names_the_fields_of_its_reply_in_their_order(prompt: str, shape: type[BaseModel]) -> None:
    out = prompt.split("## What goes out")[1].split("\n## ")[0]
    assert re.findall(r"^- `(\w+)`:", out, re.M) == list(shape.model_fields)


def test_every_kind_has_a_section() -> None:
    assert re.findall(r"^### The kind (\w+)$", WRITE, re.M) == list(get_args(Kind))


def test_both_outcomes_of_the_check_are_explained() -> None:
    assert re.findall(r"^- `(true|false)`:", ANSWER, re.M) == ["true", "false"]
