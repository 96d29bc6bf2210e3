"""One judge looks at the answers of all variants, each against what its writer saw, and is paid once."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag.domain.passages import Passage
from selfrag.question.compose_answer.messages import MESSAGES
from selfrag.runtime.models import GRADER, WRITER
from selfrag_cli.lab.judge import Judge, Judgements, add_judgements, judge_answers, read_errors
from selfrag_cli.lab.judging import AS_SET
from selfrag_cli.lab.metrics.agreement import Counts
from selfrag_cli.lab.report import Findings
from selfrag_cli.lab.runs.results import Result
from selfrag_cli.lab.runs.variants import read_variants
from selfrag_cli.local.stand_in.fields import fields_of
from tests.support.doubles.model_server import Body, ModelServer
from tests.unit.cli.lab.conftest import gold, response

OPUS = "claude-opus-5-5"
QUESTIONS = [gold(f"{number}?") for number in range(4)]
ANSWERS = ["It is 1. [uncited]", "It is 2.", MESSAGES["ja"]["no_time"], "Not found."]
STATUSES = ["answered", "partial", "partial", "abstained"]


class Found:
    """Two variants with the same answers, of which the second one's were written from another passage."""

    def find(self, variant: str, question_id: str) -> Result:
        at = int(question_id[0])
        said = {**response(ANSWERS[at], STATUSES[at]), "id": f"{variant}{at}"}
        return Result(
            variant=variant, policy={}, question_id=question_id, question=question_id, seconds=1, response=said
        )


WRITTEN_FROM = {
    f"{variant}{at}": [Passage(passage_id="p", document="d", text=text)]
    for variant, text in (("one", "Yes."), ("two", "No."))
    for at in range(4)
}


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
    return Findings(QUESTIONS, read_variants(["one={}", "two={}"]), Found())


def by_passage(body: Body) -> dict[str, Any]:
    fields = fields_of(body["messages"][-1])
    full = fields["passages"][0]["text"] == "Yes."
    claim = {"claim": fields["answer"], "support": "full" if full else "none", "passages": [1] if full else []}
    return {"claims": [{**claim, "missing": ""}]}


def judged(findings: Findings, model: str) -> Judgements:
    return judge_answers(findings, WRITTEN_FROM, Judge(model), lambda done, total: None)


def test_every_answer_is_judged_by_one_model_against_what_its_writer_saw_and_paid_once(
    findings: Findings, server: ModelServer
) -> None:
    found = judged(findings, OPUS)
    assert {name: verdict.level for name, verdict in found.verdicts.items()} == {
        "one0": "fully_supported", "one1": "fully_supported", "two0": "no_support", "two1": "no_support",
    }  # fmt: skip
    assert (found.model, found.missing) == (OPUS, 0)
    assert {body["model"] for body in server.requests} == {OPUS}
    assert "[uncited]" not in json.dumps([body["messages"] for body in server.requests])
    add_judgements(findings, found, {"grade_support": Counts(100, 90, 100, 80)})
    report = findings.report()
    assert [variant["measures"]["supported"] for variant in report["variants"]] == [1, 0]
    assert report["comparisons"][0]["differences"]["supported"]["value"] == -1
    assert list(report["judge"]["corrected"]) == ["one", "two"]
    judged(findings, OPUS)
    assert len(server.requests) == 4, "the verdicts are kept"


def test_the_same_judge_says_whether_an_answer_says_what_a_right_one_does_and_is_asked_where_it_is_not_plain(
    server: ModelServer,
) -> None:
    server.answers["grade_correctness"] = lambda body: {
        "reason": "r",
        "says": "yes" if fields_of(body["messages"][-1])["answer"] == "It is 1." else "partly",
    }
    known = [gold(f"{at}?", answers=("one", "1"), facts=("1",), answerable=True) for at in range(3)]
    findings = Findings([*known, gold("3?", answerable=False)], read_variants(["one={}"]), Found())
    found = judged(findings, OPUS)
    assert found.says == {"one0": "yes", "one1": "partly", "one2": "no", "one3": "yes"}
    asked = [fields for body in server.requests if "right" in (fields := fields_of(body["messages"][-1]))]
    told = {one["answer"]: (one["right"], one["facts"]) for one in asked}
    assert told == dict.fromkeys(("It is 1.", "It is 2."), (["one", "1"], ["1"]))
    assert {body["model"] for body in server.requests} == {OPUS}
    add_judgements(findings, found, {"grade_correctness": Counts(10, 9, 10, 8)})
    report = findings.report()
    assert report["variants"][0]["measures"]["correct"] == 0.5
    assert report["variants"][0]["measures"]["partly_correct"] == 0.25
    assert report["judge"]["agreement"]["grade_correctness"]["balanced"]["value"] == pytest.approx(0.85)
    server.answers["grade_correctness"] = lambda body: {"reason": "r", "says": "perhaps"}
    another = [gold("0?", answers=("another",))]
    assert judged(Findings(another, read_variants(["two={}"]), Found()), OPUS).missing == 1, "another shape is none"


def test_as_it_is_set_the_step_judges_with_its_first_grader_and_its_check(
    findings: Findings, server: ModelServer
) -> None:
    assert judged(findings, AS_SET).model == WRITER
    assert {body["model"] for body in server.requests} == {GRADER, WRITER}


def test_an_answer_whose_trace_is_not_there_is_counted_as_missing(findings: Findings, server: ModelServer) -> None:
    found = judge_answers(findings, {"one0": WRITTEN_FROM["one0"]}, Judge(OPUS), lambda done, total: None)
    assert (list(found.verdicts), found.missing) == (["one0"], 3)


def test_the_judges_errors_are_those_of_the_same_model(tmp_path: Path) -> None:
    path = tmp_path / "graders.json"
    counts = {"passing": 5, "passed": 4, "failing": 5, "failed": 3}
    path.write_text(json.dumps({"step": "grade_support", "ways": [{"name": OPUS, "counts": counts}]}))
    assert read_errors([path], OPUS) == {"grade_support": Counts(5, 4, 5, 3)}
    with pytest.raises(InvalidInput, match="does not say how often another errs"):
        read_errors([path], "another")
    path.write_text("[]")
    with pytest.raises(InvalidInput, match="is not what `selfrag eval graders --json` prints"):
        read_errors([path], OPUS)
