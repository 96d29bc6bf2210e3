"""The Distributed Map of an evaluation in an emulator of AWS: what fails, what is asked again, what stands at the end.

A machine of a few states stands in for the one that answers questions. The emulator runs the definition that is
deployed, item by item, with the role that Terraform makes; that an execution's name is taken is decided as AWS says.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Command
from tests.support.infra.emulator import emulator
from tests.support.infra.evaluated import BREAKS, FAILS, KEYS, MACHINE, Evaluated
from tests.support.roles.policies import exported, place_of, without

ASKED = 120


def items(count: int) -> list[dict[str, Any]]:
    """Lines of a file of questions; of 20 one fails when it is first asked, every third by what it answers."""
    failing = {0: f"{BREAKS} ", 20: f"{BREAKS} ", 40: f"{FAILS} "}
    return [
        {
            "id": f"i{number}",
            "variant": "default",
            "question_id": f"q{number}",
            "question": f"{failing.get(number % 60, '')}How many of {number}?",
            "policy": {"web_search": True},
        }
        for number in range(count)
    ]


@pytest.fixture
def aws(tmp_path: Path) -> Iterator[str]:
    with emulator(tmp_path) as address:
        yield address


@pytest.fixture
def evaluated(aws: str) -> Evaluated:
    return Evaluated(aws)


def counts(ended: dict[str, Any]) -> dict[str, Any]:
    assert ended["status"] == "SUCCEEDED", ended
    return {name: value for name, value in json.loads(ended["output"]).items() if name not in ("run", "results")}


def test_of_120_questions_those_that_failed_are_asked_once_more_and_each_is_in_the_report_once(
    evaluated: Evaluated,
) -> None:
    asked = items(ASKED)
    evaluated.put("evaluations/r1/questions.jsonl", "".join(json.dumps(item) + "\n" for item in asked))
    failing = {item["question"] for item in asked if item["question"].startswith("It")}
    assert len(failing) == ASKED // 20
    none = {"partial": 0, "abstained": 0}

    assert counts(evaluated.run("r1")) == {"asked": 120, "answered": 114, "failed": 6, "usd": 0.116, **none}
    once = Counter(item["question"] for item in asked)
    assert evaluated.asked() == once

    assert counts(evaluated.run("r1")) == {"asked": 120, "answered": 120, "failed": 0, "usd": 0.12, **none}
    assert evaluated.asked() == once + Counter(failing), "what was answered is not asked again"
    assert evaluated.read("evaluations/r1/report.json")["answered"] == 120

    keys = evaluated.keys("evaluations/r1/results/")
    results = [evaluated.read(key) for key in keys]
    assert sorted(result["question_id"] for result in results) == sorted(item["question_id"] for item in asked)
    assert {result["response"]["status"] for result in results} == {"answered"}
    assert all(result["seconds"] > 0 for result in results), "also of those that were answered the first time"

    assert counts(evaluated.run("r1"))["answered"] == 120
    assert evaluated.asked() == once + Counter(failing), "when all is answered nothing is asked"


@pytest.mark.long
@pytest.mark.parametrize(
    ("statement", "error"), [("ReadQuestions", "States.ItemReaderFailed"), ("WriteAnswersAndReport", "NotReported")]
)
def test_without_a_statement_of_its_role_the_evaluation_says_so(tmp_path: Path, statement: str, error: str) -> None:
    policies = exported()
    less = without(policies, *place_of(policies, f"evaluation.{statement}"))
    with emulator(tmp_path) as aws:
        evaluated = Evaluated(aws, less)
        evaluated.put("evaluations/r1/questions.jsonl", json.dumps(items(2)[1]) + "\n")
        assert evaluated.run("r1")["error"] == error


def test_the_command_has_the_account_ask_and_with_redrive_what_failed_and_keeps_each_answer_once(
    aws: str, evaluated: Evaluated, tmp_path: Path
) -> None:
    rows = [{"question": item["question"], "answer": "Of"} for item in items(60)]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    keys = {name.upper(): value for name, value in KEYS.items() if name != "region_name"}
    selfrag = Command(tmp_path, tuple({**keys, "AWS_ENDPOINT_URL": aws}.items()))
    command = ("eval", "set.jsonl", "--machine", MACHINE, "--json")

    first = selfrag(*command)
    assert first.out, first.err
    assert (first.code, json.loads(first.out)["variants"][0]["measures"]["answered"]) == (1, 57 / 58), first.err
    assert "3 answers are missing; the same command with --redrive goes on with them" in first.err
    again = selfrag(*command)
    assert (again.code, evaluated.asked().total()) == (1, 60), "without --redrive nothing is asked again"

    redriven = selfrag(*command, "--redrive")
    assert redriven.response["variants"][0]["measures"]["answered"] == 1.0
    assert redriven.response["compared"] == 60
    assert evaluated.asked().total() == 63
    lines = [json.loads(line) for line in (tmp_path / "set.results.jsonl").read_text().splitlines()[1:]]
    answered = [line["question"] for line in lines if line["response"]["status"] == "answered"]
    assert sorted(answered) == sorted(row["question"] for row in rows)
