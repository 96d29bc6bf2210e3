"""`selfrag eval graders`: a grader is held against people's labels, through the code of the deployed step."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from selfrag.runtime.models import GRADER, WRITER
from tests.e2e.conftest import Run
from tests.support.doubles.messages_api import fields_of
from tests.support.doubles.model_server import Body, ModelServer

FACT = "Leave is 25 days a year."
# The label, then the verdicts of the first and the second grader.
CLAIMS = {
    "Leave is 25 days.": ("supported", "full", "full"),
    "Leave is 25 days a year.": ("supported", "full", "full"),
    "Leave is 26 days.": ("unsupported", "full", "contradicted"),
    "Leave is long.": ("partial", "partial", "full"),
    "Leave is paid.": ("unsupported", "none", "none"),
}


@pytest.fixture
def server(server: ModelServer) -> ModelServer:
    server.answers["grade_support"] = judge
    return server


def judge(body: Body) -> dict[str, Any]:
    claim = fields_of(body["messages"][-1])["answer"]
    _, *said = CLAIMS[claim]
    support = said[body["model"] == WRITER]
    passages = [] if support == "none" else [1]
    return {"claims": [{"claim": claim, "support": support, "passages": passages, "missing": ""}]}


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    rows = [{"claim": claim, "passages": [FACT], "label": label} for claim, (label, *_) in CLAIMS.items()]
    (tmp_path / "claims.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return "claims.jsonl"


def test_the_cascade_is_compared_with_people_and_nothing_is_paid_twice(
    here: Run, server: ModelServer, claims: str
) -> None:
    report = here("eval", "graders", claims, "--json").response
    (way,) = report["ways"]
    assert way["confusion"] == {
        "supported": {"supported": 2},
        "partial": {"supported": 1},
        "unsupported": {"contradicted": 1, "unsupported": 1},
    }
    assert (way["passing_right"][0], way["failing_right"][0]) == (1, pytest.approx(2 / 3))
    assert (way["balanced"], way["precision"][0]) == (pytest.approx((1 + 2 / 3) / 2), pytest.approx(2 / 3))
    assert way["calls"].keys() == {GRADER, WRITER}, "the second grader is asked where the first one is doubted"
    assert way["usd"] > 0
    again = here("eval", "graders", claims, "--json").response["ways"][0]
    assert (again["calls"], again["usd"], again["confusion"]) == ({}, 0, way["confusion"])


def test_inaccurate_grader_fails_the_run_with_its_errors(here: Run, server: ModelServer, claims: str) -> None:
    assert here("eval", "graders", claims, "--fail-if", "balanced < 0.8").code == 0
    failed = here("eval", "graders", claims, "--fail-if", "balanced < 0.9", "--fail-if", "precision < 0.5")
    assert failed.code == 3
    assert "| as-set | balanced < 0.9 | 0.8333 | **fails** |\n| as-set | precision < 0.5 |" in failed.err
    assert failed.err.endswith("\n- Leave is long.\n")


def test_unknown_label_is_ungraded_and_excluded_from_rates(here: Run, server: ModelServer, claims: str) -> None:
    server.answers["grade_support"] = lambda body: {
        "claims": [{"claim": "c", "support": "-1", "passages": [1], "missing": ""}]
    }
    ended = here("eval", "graders", claims, "--json")
    (way,) = ended.response["ways"]
    rates = {way[name] for name in ("passing_right", "failing_right", "precision", "balanced")}
    assert (way["ungraded"], way["passed"], rates, way["wrong"]) == (5, 0, {None}, [])
    assert {label for row in way["confusion"].values() for label in row} == {"ungraded"}
    shown = here("eval", "graders", claims).out
    assert "ungraded 5" in shown
    assert not re.search(r"\bnan\b|\d\.\d+(?! dollars)\b", shown), "no figure is shown but the cost"
    assert here("eval", "graders", claims, "--fail-if", "balanced < 0.5").code == 3, "no value fails"


def test_rates_are_over_the_graded_rows_and_each_says_over_how_many(
    here: Run, server: ModelServer, claims: str
) -> None:
    def judge_some(body: Body) -> dict[str, Any]:
        verdict = judge(body)
        if fields_of(body["messages"][-1])["answer"] in ("Leave is 25 days.", "Leave is paid."):
            verdict["claims"][0]["support"] = "-1"
        return verdict

    server.answers["grade_support"] = judge_some
    (way,) = here("eval", "graders", claims, "--json").response["ways"]
    rates = {name: (way[name][0], way[name][2]) for name in ("passing_right", "failing_right", "precision")}
    assert rates == {"passing_right": (1, 1), "failing_right": (0.5, 2), "precision": (0.5, 2)}
    assert (way["ungraded"], way["balanced"], way["wrong"]) == (2, 0.75, ["Leave is long."])


@pytest.mark.parametrize(
    ("step", "rows"),
    [
        (
            "grade_relevance",
            [{"question": "q", "passages": [FACT], "label": label} for label in ("relevant", "irrelevant")],
        ),
        (
            "decide_retrieval",
            [{"question": "q", "label": "yes"}, {"question": "r", "label": "no"}],
        ),
        (
            "grade_utility",
            [{"question": "q", "answer": "a", "label": 4}, {"question": "q", "answer": "b", "label": 2}],
        ),
    ],
)
def test_the_other_graders_are_measured_by_the_same_command(
    here: Run, server: ModelServer, tmp_path: Path, step: str, rows: list[dict[str, Any]]
) -> None:
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    report = here("eval", "graders", str(tmp_path / "rows.jsonl"), "--step", step, "--json").response
    (way,) = report["ways"]
    assert (way["passed"], way["passing_right"][0], way["failing_right"][0]) == (2, 1, 0)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            '{"claim": "c", "passages": ["p"], "label": "true"}',
            "line 1: the label 'true' is none of supported, partial",
        ),
        ('{"claim": "c", "label": "partial"}', "line 1: passages is missing"),
        ("[1]", "line 1: it is no row"),
        ("", "holds no row"),
    ],
)
def test_a_row_that_cannot_be_judged_is_refused_with_its_number(
    here: Run, tmp_path: Path, line: str, sentence: str
) -> None:
    (tmp_path / "rows.jsonl").write_text(line, encoding="utf-8")
    ended = here("eval", "graders", str(tmp_path / "rows.jsonl"))
    assert ended.code == 2
    assert sentence in ended.err
