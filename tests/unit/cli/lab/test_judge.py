"""One judge looks at the answers of all variants, each against what its writer saw, and is paid once."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.passages import Passage
from selfrag.judging.prompts import load_prompt, material
from selfrag.question.compose_answer.messages import MESSAGES
from selfrag.runtime.models import GRADER, WRITER
from selfrag_cli.lab import judge
from selfrag_cli.lab.judge import DEFAULT_JUDGE, JudgeReport, judge_answers
from selfrag_cli.lab.records import RunResult, Trace
from selfrag_cli.lab.run import read_variants
from selfrag_cli.lab.table import Findings
from tests.support.doubles.messages_api import fields_of
from tests.support.doubles.model_server import Body, ModelServer
from tests.unit.cli.lab.conftest import gold, response, result

OPUS = "claude-opus-5-5"
QUESTIONS = [gold(f"{number}?") for number in range(4)]
ANSWERS = ["It is 1. [uncited]", "It is 2.", MESSAGES["ja"]["no_time"], "Not found."]
STATUSES = ["answered", "partial", "partial", "abstained"]


class Stored:
    """Two variants with the same answers, of which the second one's were written from another passage."""

    def find(self, variant: str, question_id: str) -> RunResult:
        at = int(question_id[0])
        said = {**response(ANSWERS[at], STATUSES[at]), "id": f"{variant}{at}"}
        passage = Passage(passage_id="p", document="d", text="Yes: 1, 2." if variant == "one" else "No: 1, 2.")
        trace = Trace(id=said["id"], question=question_id, steps=[], written_from=[passage])
        return result(variant, question_id, said).model_copy(update={"trace": trace})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelServer]:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))
    with ModelServer() as running:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        running.answers["grade_support"] = by_passage
        yield running


@pytest.fixture
def findings() -> Findings:
    return Findings(QUESTIONS, read_variants(["one={}", "two={}"]), Stored().find)


def by_passage(body: Body) -> dict[str, Any]:
    fields = fields_of(body["messages"][-1])
    full = fields["passages"][0]["text"].startswith("Yes")
    claim = {"claim": fields["answer"], "support": "full" if full else "none", "passages": [1] if full else []}
    return {"claims": [{**claim, "missing": ""}]}


def judged(findings: Findings, model: str) -> JudgeReport:
    report, shares = judge_answers(findings.answers, model, 4, None, lambda done, total: None)
    findings.add_judgements(report, shares)
    return report


def figures(findings: Findings, name: str) -> list[float | None]:
    return [variant.measures[name] for variant in findings.report().variants]


def test_every_answer_is_judged_once_by_one_model(findings: Findings, server: ModelServer) -> None:
    report = judged(findings, OPUS)
    assert (report.model, report.judged, report.missing) == (OPUS, 4, 0)
    assert {body["model"] for body in server.requests} == {OPUS}
    assert "[uncited]" not in json.dumps([body["messages"] for body in server.requests])
    assert (figures(findings, "supported"), figures(findings, "judged_claims")) == ([1, 0], [1, 0])
    (comparison,) = findings.report().comparisons
    assert (findings.primary, comparison.differences["supported"].value) == ("supported", -1)
    judged(findings, OPUS)
    assert len(server.requests) == 4, "the verdicts are stored"


def test_judge_compares_unclear_answers_with_gold_answers(server: ModelServer) -> None:
    server.answers["grade_correctness"] = lambda body: {
        "reason": "r",
        "says": "yes" if fields_of(body["messages"][-1])["answer"] == "It is 1." else "partly",
    }
    answerable = [gold(f"{at}?", answers=("one", "1"), facts=("1",), answerable=True) for at in range(3)]
    findings = Findings([*answerable, gold("3?", answerable=False)], read_variants(["one={}"]), Stored().find)
    judged(findings, OPUS)
    assert [of["correct"].count for of in findings.measures["one"]] == [1, 0, 0, 1]
    compared = [fields for body in server.requests if "right" in (fields := fields_of(body["messages"][-1]))]
    right = {fields["answer"]: (fields["right"], fields["facts"]) for fields in compared}
    assert right == dict.fromkeys(("It is 1.", "It is 2."), (["one", "1"], ["1"]))
    assert {body["model"] for body in server.requests} == {OPUS}
    assert (figures(findings, "correct"), figures(findings, "partly_correct")) == ([0.5], [0.25])
    server.answers["grade_correctness"] = lambda body: {"reason": "r", "says": "perhaps"}
    another = [gold("0?", answers=("another",))]
    two = Findings(another, read_variants(["two={}"]), Stored().find)
    assert judged(two, OPUS).missing == 1, "another shape is none"
    assert two.report().variants[0].n["correct"] == 0


@pytest.mark.parametrize("claims", [[], [{"claim": "c", "support": "-1", "passages": [], "missing": ""}]])
def test_answer_without_claims_or_with_unknown_label_has_no_score(
    findings: Findings, server: ModelServer, claims: list[dict[str, Any]]
) -> None:
    server.answers["grade_support"] = lambda body: {"claims": claims}
    judged(findings, OPUS)
    variant = findings.report().variants[0]
    assert [(variant.measures[name], variant.n[name]) for name in ("supported", "judged_claims")] == [(None, 0)] * 2


def test_default_judge_uses_first_grader_and_its_check(findings: Findings, server: ModelServer) -> None:
    assert judged(findings, DEFAULT_JUDGE).model == WRITER
    assert {body["model"] for body in server.requests} == {GRADER, WRITER}


def test_an_answer_without_a_trace_is_counted_as_missing(findings: Findings, server: ModelServer) -> None:
    for _, answer in findings.answers:
        if answer.response.id != "one0":
            answer.trace = None
    report = judged(findings, OPUS)
    assert (report.judged, report.missing) == (1, 3)


def test_correctness_prompt_has_common_sections_and_names_reply_fields() -> None:
    prompt = load_prompt(judge.__name__, "correctness.md").text
    headings = re.findall(r"^## (.*)", prompt, re.M)
    assert headings == ["Input", "Output", "How to decide", "Hard cases"]
    assert prompt.count(material()) == 1
    out = prompt.split("## Output")[1].split("\n## ")[0]
    assert re.findall(r"^- `(\w+)`:", out, re.M) == list(judge.Correctness.model_fields)
