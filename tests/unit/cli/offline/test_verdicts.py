"""The verdicts: Retrieve, IsRel, IsSup and IsUse, through the steps that ask for them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import question.decide_retrieval.logic as decide_retrieval
import question.grade_relevance.logic as grade_relevance
import question.grade_support.logic as grade_support
import question.grade_utility.logic as grade_utility
from cli.local.offline.rules import answer_of
from cli.local.offline.rules.notices import QUOTED, QUOTED_JA
from selfrag.domain.answers import Turn
from selfrag.ports.grading import Grader
from tests.support.fakes import passage

Graders = Callable[[str], Grader]
LEAVE = "Each employee has 26 days of annual leave per year. Leave is requested in the portal."
HOTEL = "The hotel limit in London is 190 GBP per night, including taxes."
HOTEL_JA = "東京での宿泊費は、1泊21,000円を上限とします。"
BUOY = "The buoy weighs 86 kilograms. Its hull has a diameter of 1.2 metres and is painted yellow."


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        ("Hello!", "no"),
        ("Thanks a lot for your help", "no"),
        ("Merci beaucoup !", "no"),
        ("ありがとうございます。", "no"),
        ("안녕하세요", "no"),
        ("What is 17 * 23?", "no"),
        ("12 + 30 は？", "no"),
        ("What is 15 percent of 80?", "no"),
        ("What can you do?", "no"),
        ("Hi, how many days of leave do I get?", "yes"),
        ("What is the limit in 2024?", "yes"),
        ("有給休暇は何日ですか。", "yes"),
        ("And in London?", "yes"),
    ],
)
def test_only_talk_and_sums_need_no_search(grader: Graders, question: str, decision: str) -> None:
    task = decide_retrieval.Task(question=question)
    assert decide_retrieval.decide(task, grader("decide_retrieval")).verdict.decision == decision


@pytest.mark.parametrize(
    ("question", "decision"),
    [
        ("And in London?", "continue"),
        ("What about Kobe?", "continue"),
        ("Does it apply to part-time staff?", "continue"),
        ("それはいつまでですか。", "continue"),
        ("じゃあ東京は？", "continue"),
        ("How long does the probation period last?", "yes"),
        ("Thanks!", "no"),
    ],
)
def test_a_follow_up_continues_from_the_answer_before_it(grader: Graders, question: str, decision: str) -> None:
    task = decide_retrieval.Task(question=question, previous=Turn(question="Hotel limit in Lisbon?", answer="150 EUR"))
    assert decide_retrieval.decide(task, grader("decide_retrieval")).verdict.decision == decision


@pytest.mark.parametrize(
    ("question", "complexity"),
    [
        ("How many days of annual leave do employees have?", "simple"),
        ("有給休暇は何日ですか。", "simple"),
        ("Is the hotel limit in London higher than in Lisbon?", "complex"),
        ("東京と神戸の上限の違いは何ですか。", "complex"),
    ],
)
def test_a_question_that_compares_is_complex(grader: Graders, question: str, complexity: str) -> None:
    task = decide_retrieval.Task(question=question, complexity=True)
    assert decide_retrieval.decide(task, grader("decide_retrieval")).verdict.complexity == complexity


@pytest.mark.parametrize(
    ("question", "text", "relevant"),
    [
        ("How many days of annual leave do employees have?", LEAVE, True),
        ("How much paid time off do I get each year?", LEAVE, True),
        ("How heavy is the buoy?", BUOY, True),
        ("How heavy is the buoy?", LEAVE, False),
        ("How many days of annual leave do employees have?", BUOY, False),
        ("Who won the match in Berlin?", LEAVE, False),
        ("駐車場は何台分ありますか。", "駐車場は40台分あり、宿泊のお客様は無料です。", True),
        ("駐車場は何台分ありますか。", "朝食は午前7時30分から9時までです。", False),
    ],
)
def test_a_passage_is_relevant_if_a_sentence_of_it_is_near_the_question(
    grader: Graders, question: str, text: str, relevant: bool
) -> None:
    task = grade_relevance.Task(question=question, passage=passage("p", text))
    verdict = grade_relevance.grade(task, grader("grade_relevance")).verdict
    assert verdict.relevant is relevant
    assert verdict.label == ("relevant" if relevant else "irrelevant")


def test_of_a_passage_that_comes_in_strips_the_one_that_answers_is_kept(grader: Graders) -> None:
    text = f"{LEAVE} {BUOY}"
    task = grade_relevance.Task(question="How heavy is the buoy?", passage=passage("p", text), lower_threshold=0.05)
    verdict = grade_relevance.grade(task, grader("grade_relevance")).verdict
    assert verdict.label == "relevant"
    assert "86 kilograms" in "".join(text[strip.start : strip.end] for strip in verdict.strips)
    assert LEAVE not in "".join(text[strip.start : strip.end] for strip in verdict.strips)


def test_a_passage_that_states_nothing_is_irrelevant(grader: Graders) -> None:
    task = grade_relevance.Task(question="How many days?", passage=passage("p", "## Annual leave\n\n---\n"))
    assert grade_relevance.grade(task, grader("grade_relevance")).verdict.score == 0.0


def support(grader: Graders, answer: str, *texts: str, question: str = "How many days?") -> list[tuple[str, list[str]]]:
    passages = [passage(f"p{number}", text) for number, text in enumerate(texts, start=1)]
    task = grade_support.Task(question=question, answer=answer, passages=passages)
    return [(c.support, c.passage_ids) for c in grade_support.grade(task, grader("grade_support")).verdict.claims]


def test_a_claim_is_supported_by_the_passage_that_holds_its_words(grader: Graders) -> None:
    answer = f"{QUOTED}Each employee has 26 days of annual leave per year."
    assert support(grader, answer, BUOY, LEAVE) == [("full", ["p2"])]


def test_a_claim_with_a_number_that_no_passage_holds_is_not_fully_supported(grader: Graders) -> None:
    assert support(grader, "Each employee has 30 days of annual leave per year.", LEAVE) == [("partial", ["p1"])]


def test_a_claim_about_something_else_is_not_supported(grader: Graders) -> None:
    assert support(grader, "The chief executive lives in Berlin.", LEAVE, BUOY) == [("none", [])]


@pytest.mark.parametrize(
    ("question", "answer", "text", "level"),
    [
        ("What do 3 nights in London cost in total?", "In total that is 3 x 190 = 570 GBP.", HOTEL, "full"),
        ("What is the most for a hotel in London for 3 nights?", "In total that is 3 x 190 = 570 GBP.", HOTEL, "full"),
        ("東京で3泊の宿泊費は合計でいくらですか。", "合計は 3 × 21,000 = 63,000円です。", HOTEL_JA, "full"),
        ("What is the limit per night for a stay of 3 nights?", "In total that is 3 x 190 = 570 GBP.", HOTEL, "none"),
        ("What do 3 nights in London cost in total?", "In total that is 3 x 190 = 580 GBP.", HOTEL, "none"),
        ("What do 3 nights in London cost in total?", "In total that is 3 x 190 = 570 GBP.", LEAVE, "none"),
    ],
)
def test_a_total_is_supported_if_it_was_asked_for_and_is_right(
    grader: Graders, question: str, answer: str, text: str, level: str
) -> None:
    assert [kind for kind, _ in support(grader, answer, text, question=question)] == [level]


def test_every_sentence_is_a_claim_and_marks_are_left_out(grader: Graders) -> None:
    answer = "Leave is requested in the portal. In total that is 3 x 140 = 420 EUR. [uncited]"
    assert support(grader, answer, LEAVE) == [("full", ["p1"]), ("none", [])]


def test_japanese_claims_are_compared_by_pairs_of_characters(grader: Graders) -> None:
    text = "入社日に12日の有給休暇を付与します。その後は、毎年4月1日に20日を付与します。"
    assert support(grader, f"{QUOTED_JA}入社日に12日の有給休暇を付与します。", text) == [("full", ["p1"])]
    assert support(grader, "社長は神戸に住んでいます。", text) == [("none", [])]


def judged_claims(answer: str, *, missing: bool = True) -> list[dict[str, Any]]:
    """Return the claims of an answer in the service's own form, with the field `missing` if the shape asks for it."""
    fields = {"question": "?", "answer": answer, "passages": [{"number": 1, "text": LEAVE}]}
    named = ["claim", "support", "passages"] + ["missing"] * missing
    claim = {"properties": {name: {} for name in named}}
    shape = {"title": "Support", "properties": {"claims": {}}, "$defs": {"JudgedClaim": claim}}
    verdict = answer_of({"content": json.dumps(fields)}, shape)
    assert isinstance(verdict, dict)
    return verdict["claims"]


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("The canteen sells 40 kinds of soup.", "canteen sells kinds soup"),
        ("社長は神戸に住んでいます。", "社長 神戸 住"),
        ("Each employee has 30 days of annual leave per year.", ""),
        ("Leave is requested in the portal.", ""),
    ],
)
def test_a_claim_that_nothing_backs_says_by_its_own_words_what_is_missing(answer: str, missing: str) -> None:
    assert [claim["missing"] for claim in judged_claims(answer)] == [missing]


def test_a_verdict_has_no_field_that_its_shape_does_not_ask_for() -> None:
    assert list(judged_claims(LEAVE, missing=False)[0]) == ["claim", "support", "passages"]


def test_support_finds_no_contradiction_and_does_not_claim_to(grader: Graders) -> None:
    assert support(grader, "Leave is not requested in the portal.", LEAVE) == [("full", ["p1"])]


@pytest.mark.parametrize(
    ("question", "answer", "at_least", "at_most"),
    [
        ("How heavy is the buoy?", f"{QUOTED}The buoy weighs 86 kilograms.", 4, 5),
        ("When is the office open?", f"{QUOTED}The office is open from 07:00 to 19:00.", 4, 5),
        ("国内出張の日当はいくらですか。", f"{QUOTED_JA}国内出張の日当は、1日7,500円です。", 5, 5),
        ("When is the office open?", f"{QUOTED}The office is painted yellow.", 1, 2),
        ("How much does the buoy cost?", f"{QUOTED}The buoy is painted yellow.", 1, 2),
        ("Who won the match in Berlin?", f"{QUOTED}Leave is requested in the portal.", 1, 2),
        ("What is 17 * 23?", "By rule, not by a language model: 17 * 23 = 391.", 5, 5),
        ("Hello!", "By rule, not by a language model: Hello.", 5, 5),
        ("Hello!", "", 1, 1),
    ],
)
def test_an_answer_is_useful_if_it_is_about_the_question_and_has_the_wanted_form(
    grader: Graders, question: str, answer: str, at_least: int, at_most: int
) -> None:
    task = grade_utility.Task(question=question, answer=answer)
    verdict = grade_utility.grade(task, grader("grade_utility")).verdict
    assert verdict.score is not None
    assert at_least <= verdict.score <= at_most
    assert verdict.reason.endswith(".")
