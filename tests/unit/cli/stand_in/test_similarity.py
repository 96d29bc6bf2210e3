"""IsRel of the stand-in: the cosine that the search computes, on a scale by language; words where there is none."""

import pytest

from selfrag.domain.passages import Passage
from selfrag.domain.steps import GradeRelevanceTask
from selfrag.domain.verdicts import RULE_MODEL, RelevanceVerdict
from selfrag.judging.graders import Grader
from selfrag.judging.models import CachedClaude, CachedReplies
from selfrag.question.grade_relevance.logic import Relevance, grade
from selfrag.runtime.clock import Clock
from selfrag_cli.local.stand_in.claude import RuleClaude
from selfrag_cli.local.stand_in.similarity import Similarity, threshold_of
from tests.support.fakes import MemoryCache
from tests.unit.cli.stand_in.conftest import PROMPT

FEE = Passage(passage_id="fee", document="harbour.md", title="Berths", text="A guest berth costs 34 euros per night.")
# No word of it stands in the passage.
QUESTION = "How much do visitors pay for mooring?"
QUESTIONS = {
    "en": QUESTION,
    "de": "Wie viel zahlen Besucher für das Anlegen?",
    "fr": "Combien les visiteurs paient-ils pour l'amarrage ?",
    "es": "¿Cuánto pagan los visitantes por el amarre?",
    "ja": "来訪者は係留にいくら払いますか。",
    "ko": "방문객은 계류비로 얼마를 냅니까?",
    "it": "Quanto pagano i visitatori per l'ormeggio?",
    "zh": "访客需要支付多少停泊费？",
    "el": "Πόσο πληρώνουν οι επισκέπτες;",
}


def claude(similarity: Similarity) -> RuleClaude:
    return RuleClaude({"grade_relevance": RULE_MODEL}, Clock(), similarity)


def verdict(similarity: Similarity, question: str = QUESTION) -> RelevanceVerdict:
    task = GradeRelevanceTask(question=question, passage=FEE)
    return grade(task, Grader("grade_relevance", PROMPT, claude(similarity))).verdict


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_passage_is_relevant_from_its_languages_threshold_on(question: str) -> None:
    threshold = threshold_of(question)
    near, far = (verdict(lambda query, passage, at=at: threshold + at, question) for at in (0.001, -0.03))
    assert (near.relevant, far.relevant) == (True, False)
    assert near.score == pytest.approx(0.5, abs=0.05)
    assert near.reason == f"Similarity {threshold + 0.001:.3f} ({threshold:.3f} is enough), not a judgement"
    assert near.judged_by == "rule"


def test_languages_have_thresholds_of_their_own_and_others_go_by_script() -> None:
    thresholds = {language: threshold_of(question) for language, question in QUESTIONS.items()}
    assert len({thresholds[language] for language in ("en", "de", "ja", "ko")}) == 4
    assert thresholds["zh"] == thresholds["ja"]
    assert thresholds["it"] not in (thresholds["en"], thresholds["ja"])


def test_passage_without_a_vector_is_compared_by_words_and_says_so() -> None:
    unlike, like = (verdict(lambda query, passage: None, question) for question in (QUESTION, "guest berth per night"))
    assert (unlike.relevant, like.relevant) == (False, True)
    assert "not a judgement, as the passage has no vector" in like.reason


def test_words_in_common_tip_a_cosine_that_is_a_hair_too_low() -> None:
    hair = threshold_of(QUESTION) - 0.02
    asked = (QUESTION, "What does a guest berth cost per night?")
    assert [verdict(lambda query, passage: hair, question).relevant for question in asked] == [False, True]


def test_nearer_of_question_and_search_query_counts() -> None:
    cosines = {QUESTION: 0.7, "berth fee": 0.95}
    fields = {"question": QUESTION, "query": "berth fee", "passage": FEE.quoted()}
    judge = claude(lambda query, passage: cosines[query])
    without = judge.judge("grade_relevance", PROMPT, {**fields, "query": ""}, Relevance).verdict
    judged = judge.judge("grade_relevance", PROMPT, fields, Relevance).verdict
    assert judged
    assert without
    assert judged.score > 0.5 > without.score


def test_follow_up_is_compared_together_with_its_earlier_question() -> None:
    queries: list[str] = []
    previous = {"question": "What does a guest berth cost?", "answer": "34 euros."}
    fields = {"question": "And in winter?", "previous": previous, "passage": FEE.quoted()}
    claude(lambda query, passage: queries.append(query)).judge("grade_relevance", PROMPT, fields, Relevance)
    assert queries == ["What does a guest berth cost? And in winter?"]


def test_verdict_by_words_is_not_cached_and_gives_way_to_the_vector() -> None:
    cosines: list[float | None] = [None, 0.95, 0.1]
    cached = CachedClaude(claude(lambda query, passage: cosines.pop(0)), CachedReplies(MemoryCache()))
    fields = {"question": QUESTION, "passage": FEE.quoted()}
    verdicts = [cached.judge("grade_relevance", PROMPT, fields, Relevance).verdict for _ in range(3)]
    assert [each and each.score > 0.5 for each in verdicts] == [False, True, True]
