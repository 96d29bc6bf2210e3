"""IsSup by a decision model: sentence by sentence, and below the lower threshold only where nothing is left to try."""

from dataclasses import replace

import pytest

from selfrag.domain.answers import UNCITED
from selfrag.domain.citations import citation_of
from selfrag.domain.steps import GradeSupportTask
from selfrag.judging.graders import Grader
from selfrag.question.grade_support.judge import judged_sentences
from selfrag.question.grade_support.logic import grade
from tests.support.fakes import PROMPT, FakeClaude, FakeDecider, judge_of, passage

FULL = {"full": 0.97, "partial": 0.01, "none": 0.01, "contradicted": 0.0, "cannot_tell": 0.01}
NONE = {"full": 0.02, "partial": 0.03, "none": 0.9, "contradicted": 0.04, "cannot_tell": 0.01}
DOUBT = {"full": 0.6, "partial": 0.3, "none": 0.05, "contradicted": 0.04, "cannot_tell": 0.01}
CANNOT = {"full": 0.02, "partial": 0.03, "none": 0.03, "contradicted": 0.02, "cannot_tell": 0.9}
PASSAGES = [passage("p1", "Leave is 25 days."), passage("p2", "Meals cost 12 euros."), passage("p3", "A gym.")]
ANSWER = "Leave is 25 days. Meals cost 12 euros."
CITED = [citation_of(PASSAGES[0], 0, 17, (0, 17)), citation_of(PASSAGES[1], 0, 20, (18, 38))]
TASK = GradeSupportTask(question="?", answer=ANSWER, citations=CITED, passages=PASSAGES)
WRONG = TASK.model_copy(update={"answer": ANSWER.replace("25", "26")})
SAYS = {"claims": [{"claim": "c", "support": "full", "passages": [1], "missing": ""}]}


def test_one_request_asks_one_question_a_sentence_on_the_cited_passages_alone() -> None:
    decider, claude = FakeDecider({"s": FULL}), FakeClaude()
    result = grade(TASK, judge_of("grade_support", decider, claude))
    [state], [questions] = decider.states, decider.questions
    assert set(questions) == {"s1", "s2"}
    assert state["sentences"] == {"s1": "Leave is 25 days.", "s2": "Meals cost 12 euros."}
    assert [each["text"] for each in state["passages"].values()] == ["Leave is 25 days.", "Meals cost 12 euros."]
    verdict = result.verdict
    assert (verdict.level, verdict.probability, verdict.judged_by) == ("fully_supported", 0.97, "decider")
    assert [(claim.claim, claim.passage_ids, claim.probability) for claim in verdict.claims] == [
        ("Leave is 25 days.", ["p1"], 0.97), ("Meals cost 12 euros.", ["p2"], 0.97),
    ]  # fmt: skip
    assert claude.asked == []


@pytest.mark.parametrize("upper", [0.9, None], ids=["cascade", "alone"])
@pytest.mark.parametrize("answer", ["Leave is 26 days.", "Vacances : vingt-cinq jours.", "Ann has 25 days of leave."])
def test_sure_yes_on_facts_that_code_does_not_find_goes_to_claude(answer: str, upper: float | None) -> None:
    task, claude = TASK.model_copy(update={"answer": answer, "citations": CITED[:1]}), FakeClaude(SAYS)
    result = grade(task, judge_of("grade_support", FakeDecider({"s": FULL}), claude, upper=upper))
    assert (len(claude.asked), result.verdict.judged_by) == (1, "model")


def test_cascade_without_measured_thresholds_leaves_support_to_claude() -> None:
    decider, claude = FakeDecider({"s": FULL}), FakeClaude(SAYS)
    judge = judge_of("grade_support", decider, claude)
    assert judge.decider
    result = grade(TASK, replace(judge, decider=replace(judge.decider, measured=False)))
    assert (decider.states, len(claude.asked), result.verdict.judged_by) == ([], 1, "model")


def test_likeliest_label_below_one_half_is_no_full_support() -> None:
    weak, claude = (
        {"full": 0.45, "partial": 0.3, "none": 0.2, "contradicted": 0.0, "cannot_tell": 0.05},
        FakeClaude(SAYS),
    )
    result = grade(TASK, judge_of("grade_support", FakeDecider({"s1": FULL, "s": weak}), claude, upper=None))
    assert (len(claude.asked), result.verdict.judged_by) == (1, "model")


@pytest.mark.parametrize(
    ("more", "asks"), [({}, False), ({"may_repair": True}, True), ({"may_search": True}, True)], ids=str
)
def test_unsupported_sentence_goes_to_claude_while_repair_or_search_remains(more, asks: bool) -> None:
    claude = FakeClaude(SAYS)
    result = grade(
        WRONG.model_copy(update=more), judge_of("grade_support", FakeDecider({"s1": NONE, "s": FULL}), claude)
    )
    assert bool(claude.asked) is asks
    assert result.verdict.judged_by == ("model" if asks else "decider")
    if not asks:
        assert result.verdict.level == "partially_supported"
        assert [(claim.support, claim.missing) for claim in result.verdict.claims] == [
            ("none", "Leave is 26 days."), ("full", ""),
        ]  # fmt: skip


@pytest.mark.parametrize("answers", [{"s": DOUBT}, {"s1": CANNOT, "s": FULL}, None], ids=["doubt", "cannot", "none"])
def test_in_doubt_claude_judges_the_whole_answer_as_without_a_decision_model(answers) -> None:
    strong, small = FakeClaude(SAYS), FakeClaude({"claims": [{"claim": "c", "support": "none", "passages": []}]})
    judge = Grader("grade_support", PROMPT, strong, Grader("grade_support_first", PROMPT, small))
    decider = judge_of("grade_support", FakeDecider(answers), strong).decider
    assert decider is not None
    result = grade(TASK, replace(judge, decider=decider))
    assert (len(small.asked), len(strong.asked)) == (1, 1)
    assert (result.verdict.level, result.verdict.judged_by) == ("fully_supported", "model")
    assert [call.decision for call in result.calls] == [*([] if answers is None else [True]), False, False]


@pytest.mark.parametrize("answers", [{"s1": CANNOT, "s": FULL}, None], ids=["cannot", "none"])
def test_without_a_verdict_and_without_claude_the_answer_is_ungraded(answers) -> None:
    class Rules(FakeClaude):
        def model_of(self, step: str) -> str:
            return "rule"

    rules = Rules(SAYS)
    result = grade(TASK, judge_of("grade_support", FakeDecider(answers), rules, upper=None))
    assert (result.verdict.level, result.verdict.claims, rules.asked) == ("ungraded", [], [])


def test_full_support_that_is_only_the_likeliest_label_is_no_sure_no() -> None:
    weak = {"full": 0.4, "partial": 0.3, "none": 0.2, "contradicted": 0.05, "cannot_tell": 0.05}
    claude = FakeClaude(SAYS)
    judge = judge_of("grade_support", FakeDecider({"s": weak}), claude, upper=0.9, lower=0.5)
    assert grade(TASK, judge).verdict.judged_by == "model"


def test_sole_decider_reports_failed_sentences_as_claims_and_next_queries() -> None:
    task = WRONG.model_copy(update={"may_repair": True, "may_search": True})
    decider = FakeDecider({"s1": NONE, "s": FULL})
    verdict = grade(task, judge_of("grade_support", decider, FakeClaude(), upper=None)).verdict
    assert (verdict.level, verdict.claims[0].missing) == ("partially_supported", "Leave is 26 days.")


def test_sure_no_on_a_sentence_that_a_passage_has_goes_to_claude() -> None:
    claude = FakeClaude(SAYS)
    result = grade(TASK, judge_of("grade_support", FakeDecider({"s1": NONE, "s": FULL}), claude))
    assert (len(claude.asked), result.verdict.judged_by) == (1, "model")


def sentences(answer: str) -> list[tuple[str, str]]:
    task = TASK.model_copy(update={"answer": answer, "citations": []})
    return [(sentence.text, sentence.judged) for sentence in judged_sentences(task)]


@pytest.mark.parametrize(
    ("answer", "judged"),
    [
        ("Leave is 25 days. It ends in May.", ["Leave is 25 days.", "Leave is 25 days. It ends in May."]),
        ("Leave is 25 days. Do you need more?", ["Leave is 25 days."]),
        ("休暇は25日です。これは5月に終わります。", ["休暇は25日です。", "休暇は25日です。 これは5月に終わります。"]),
        (f"Leave is 25 days. {UNCITED} Meals cost 12 euros.", ["Leave is 25 days.", "Meals cost 12 euros."]),
        ("The limits are:\n- 25 days\n- 12 euros\nAsk Ann.", [
            "The limits are: - 25 days", "The limits are: - 12 euros", "Ask Ann.",
        ]),
        ("Is it 25 days?", []),
    ],
)  # fmt: skip
def test_sentence_is_judged_with_its_context_and_question_is_skipped(answer: str, judged: list[str]) -> None:
    assert [text for _, text in sentences(answer)] == judged


def test_an_answer_without_a_statement_is_no_verdict_and_goes_to_claude() -> None:
    claude, decider = FakeClaude(SAYS), FakeDecider({"s": FULL})
    task = TASK.model_copy(update={"answer": "Is it 25 days?", "citations": []})
    assert grade(task, judge_of("grade_support", decider, claude)).verdict.judged_by == "model"
    assert decider.states == []


def test_a_sentence_without_a_citation_rests_on_all_cited_passages() -> None:
    task = TASK.model_copy(update={"answer": "Leave is 25 days. Days is leave.", "citations": CITED[:1]})
    verdict = grade(task, judge_of("grade_support", FakeDecider({"s": FULL}), FakeClaude())).verdict
    assert [claim.passage_ids for claim in verdict.claims] == [["p1"], ["p1"]]
