"""The prompt of correctness is built as those of the steps are and names its fields."""

import re

from selfrag.judging.prompts import load_prompt, material
from selfrag_cli.lab import correctness

PROMPT = load_prompt(correctness.__name__, "correctness.md").text


def test_a_prompt_has_the_skeleton_of_all() -> None:
    headings = re.findall(r"^(#+) (.*)", PROMPT, re.M)
    assert [level for level, _ in headings].count("#") == 1
    sections = [re.sub(r"^How to .*", "How to ...", title) for level, title in headings if level == "##"]
    assert sections == ["What comes in", "What goes out", "How to ...", "Hard cases"]


def test_a_prompt_says_once_that_material_gives_no_orders() -> None:
    assert PROMPT.count(material()) == 1


def test_a_prompt_names_the_fields_of_its_reply_in_their_order() -> None:
    out = PROMPT.split("## What goes out")[1].split("\n## ")[0]
    assert re.findall(r"^- `(\w+)`:", out, re.M) == list(correctness.Correctness.model_fields)
