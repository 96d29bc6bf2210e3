"""Question sets and feedback, and the measures that use them: nearness, citations, abstentions."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import InvalidInput
from selfrag.domain.feedback import Feedback
from selfrag_cli.lab.question_sets import (
    NOT_FOR_IT,
    GoldQuestion,
    Measured,
    Share,
    aggregate,
    f1,
    feedback_questions,
    is_same_document,
    match,
    measure,
    read_questions,
)
from tests.unit.cli.lab.conftest import gold, reflection, response

Write = Callable[..., Path]


@pytest.fixture
def lines(tmp_path: Path) -> Write:
    def written(*rows: Any) -> Path:
        path = tmp_path / "questions.jsonl"
        path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
        return path

    return written


def known(question: GoldQuestion) -> dict[str, Any]:
    """Return the fields of a question that are set."""
    return {name: value for name, value in vars(question).items() if name != "id" and value not in ((), None)}


def test_jsonl_line_gives_question_answers_documents_and_answerability(lines: Write) -> None:
    read = read_questions(
        lines(
            {"question": "How long?", "answer": "18 weeks", "answers": ["eighteen weeks", "18 weeks"]},
            "",
            {"question": "Where?", "documents": ["travel/hotels.md"]},
            {"question": "Who?", "answerable": False},
        )
    )
    assert [known(one) for one in read] == [
        {"question": "How long?", "answers": ("18 weeks", "eighteen weeks"), "answerable": True},
        {"question": "Where?", "documents": ("travel/hotels.md",)},
        {"question": "Who?", "answerable": False},
    ]


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ('{"question": "b?"', "it is not JSON: "),
        ("[" * 100_000, "it is not JSON: "),
        ("7", "it is no JSON object such as "),
        ({"answer": "b"}, "question is missing"),
        ({"question": " "}, "The question was not accepted: it is empty"),
        ({"question": "b?", "anwser": "b"}, "anwser does not exist; the fields are question, answer, answers, "),
        ({"question": "b?", "answers": "b"}, "answers was not accepted: "),
        (
            {"question": "b?", "answerable": False, "answer": "b"},
            "answerable was not accepted: it is false, but there is an answer",
        ),
    ],
)
def test_a_bad_line_is_refused_with_its_number(lines: Write, bad: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_questions(lines({"question": "a?"}, bad))
    assert "questions.jsonl, line 2: " in str(refused.value)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_set_without_questions_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "set.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="holds no question"):
        read_questions(path)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"absent\.json cannot be read: No such file or directory\.$"):
        read_questions(tmp_path / "absent.json")
    (tmp_path / "set.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="is not a text in UTF-8"):
        read_questions(tmp_path / "set.json")


def test_question_id_is_independent_of_position_and_unique(lines: Write) -> None:
    first = read_questions(lines({"question": "a?"}, {"question": "b?"}, {"question": "a?"}))
    second = read_questions(lines({"question": "b?"}, {"question": "a?", "answer": "now known"}, {"question": "a?"}))
    assert len({one.id for one in first}) == 3
    assert {one.id for one in first} == {one.id for one in second}
    assert first[1].id == second[0].id


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
FIELDS = st.sampled_from(["question", "answer", "answers", "documents"])


@given(st.dictionaries(FIELDS, VALUES) | VALUES)
def test_whatever_a_row_holds_it_is_read_or_refused_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "whatever.jsonl"
    path.write_text(json.dumps(value), encoding="utf-8")
    refusals = []
    try:
        read_questions(path)
    except InvalidInput as error:
        refusals.append(str(error))
    assert all(len(refusal.splitlines()) == 1 for refusal in refusals)


def said(question: str = "How many days?", **more: Any) -> Feedback:
    about = {"question_id": "q", "question": question, "status": "answered", "answered": "Twenty.", "cited": ["a.md"]}
    times = {"collections": ["c"], "given_at": 1, "expires_at": 2, "useful": False}
    return Feedback.model_validate({**about, **times, **more})


@pytest.mark.parametrize(
    ("feedback", "expected"),
    [
        (said(answer="25."), {"answers": ("25.",), "answerable": True}),
        (said(answer="25.", documents=["b.md"]), {"answers": ("25.",), "documents": ("b.md",), "answerable": True}),
        (said(wrong=["unanswerable"], answer="Ask HR."), {"answerable": False}),
        (said(status="abstained", wrong=["answerable"]), {"answerable": True}),
        (said(wrong=["wrong_documents"], documents=["b.md"]), {"documents": ("b.md",)}),
    ],
)
def test_a_correction_in_feedback_is_what_is_known_of_its_question(
    feedback: Feedback, expected: dict[str, Any]
) -> None:
    (question,) = feedback_questions([feedback])
    assert known(question) == {"question": "How many days?", **expected}


def test_latest_correction_wins_within_each_collection() -> None:
    items = [said(answer="25.", given_at=2), said(answer="24."), said(answer="30.", collections=["d"])]
    assert [question.answers for question in feedback_questions(items)] == [("25.",), ("30.",)]
    assert [question.answers for question in feedback_questions(items, "d")] == [("30.",)]


def test_ratings_and_follow_ups_alone_make_no_question() -> None:
    with pytest.raises(InvalidInput, match="has no right answer"):
        feedback_questions([said("A?", useful=True), said("And in May?", previous="q", answer="25.")])


KNOWN = gold(answers=("18 weeks",), answerable=True)
NONE = gold(answerable=False)


def measured(question: GoldQuestion, body: dict[str, Any], seconds: float) -> Measured:
    return measure(question, AnswerResponse.model_validate(body), seconds)


def test_the_nearest_of_several_right_answers_counts() -> None:
    found = measured(gold(answers=("four months", "18 weeks"), answerable=True), response("18 weeks"), 1.0)
    assert found["f1"] == found["match"] == Share(1)


def test_answer_matches_if_it_has_all_facts_in_any_order() -> None:
    asked = gold(answers=("18 weeks, full pay",), facts=("18 weeks", "full pay"), answerable=True)
    assert measured(asked, response("At full pay, for 18 weeks."), 1.0)["match"] == Share(1)
    assert measured(asked, response("For 18 weeks."), 1.0)["match"] == Share(0)


@pytest.mark.parametrize("status", ["abstained", "failed"])
def test_abstention_from_an_answerable_question_scores_zero(status: str) -> None:
    found = measured(KNOWN, response("Not found: 18 weeks", status), 1.0)
    assert found["f1"] == found["match"] == Share(0)


def test_abstaining_is_right_only_for_unanswerable_questions() -> None:
    assert measured(NONE, response("Not found.", "abstained"), 1.0)["f1"] == Share(1)
    assert measured(NONE, response("18 weeks"), 1.0)["f1"] == Share(0)


def test_nearness_and_abstention_need_gold_answers() -> None:
    found = measured(gold(), response(status="abstained"), 1.0)
    unknown = ("f1", "match", "citation_recall", "citation_precision")
    assert {name: found[name] for name in unknown} == dict.fromkeys(unknown, NOT_FOR_IT)
    assert found["abstention_precision"].of == found["abstention_recall"].of == 0
    assert found["abstained"] == Share(1)


def recall(found: Sequence[str], *documents: str) -> float | None:
    said = {**response(), "reflection": reflection(*((document, 0.5) for document in found))}
    return aggregate([measured(gold(documents=documents), said, 1.0)])["recall_at_4"]


def test_search_recall_counts_early_gold_documents_cited_or_not() -> None:
    assert recall(["b.md", "people/a.md", "b.md", "c.md", "d.md"], "a.md", "d.md") == 1 / 2
    assert recall(["a.md", "a.md"], "a.md") == 1
    assert recall(["b.md"], "a.md") == 0


def test_citations_are_compared_with_the_gold_documents() -> None:
    asked = gold(documents=("people/leave.md", "people/parental-leave.md"))
    cited = [("people/leave.md", "a"), ("people/leave.md", "b"), ("travel/hotels.md", "c")]
    found = measured(asked, response(citations=cited), 1.0)
    assert (found["citation_recall"], found["citation_precision"]) == (Share(1 / 2), Share(1 / 2))


def test_right_abstention_is_excluded_from_search_and_citation_measures() -> None:
    asked = gold(documents=("a.md",), answerable=False)
    body = {**response("Not found.", "abstained"), "reflection": reflection(("b.md", 0.5))}
    measures = measured(asked, body, 1.0)
    names = ("citation_recall", "citation_precision", "recall_at_4")
    assert {measures[name] for name in names} == {NOT_FOR_IT}
    assert (measures["match"], measures["abstention_recall"]) == (Share(1), Share(1))


def test_an_answer_without_citations_recalls_nothing_and_has_no_precision() -> None:
    found = measured(gold(documents=("a.md",)), response(), 1.0)
    assert (found["citation_recall"], found["citation_precision"]) == (Share(0), NOT_FOR_IT)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("people/leave.md", "people/leave.md", True),
        ("handbook/people/leave.md", "people/leave.md", True),
        ("leave.md", "./handbook/people/leave.md", True),
        ("people/sick-leave.md", "leave.md", False),
        ("archive/leave.md", "people/leave.md", False),
    ],
)
def test_a_document_is_known_by_the_end_of_its_name(one: str, other: str, same: bool) -> None:
    assert is_same_document(one, other) is is_same_document(other, one) is same


def test_precision_and_recall_of_abstention_are_over_all_questions() -> None:
    abstained, answered = response("Not found.", "abstained"), response("18 weeks")
    asked = [(NONE, abstained), (NONE, abstained), (NONE, answered), (KNOWN, abstained), (KNOWN, answered)]
    found = aggregate([measured(question, said, 2.0) for question, said in asked])
    assert found["abstention_precision"] == pytest.approx(2 / 3)
    assert found["abstention_recall"] == pytest.approx(2 / 3)
    assert found["abstained"] == pytest.approx(3 / 5)
    assert found["f1"] == pytest.approx(3 / 5)
    assert found["citation_recall"] is None


def test_rounds_calls_and_seconds_are_means_and_unknown_prices_are_ignored() -> None:
    said = [response(usd=0.01, rounds=2), response(usd=None, rounds=4), response(usd=0.03, rounds=6)]
    found = aggregate([measured(KNOWN, one, seconds) for one, seconds in zip(said, (1.0, 2.0, 6.0), strict=True)])
    assert (found["rounds"], found["seconds"], found["usd"], found["model_calls"]) == (4, 3, 0.02, 8)


# The figures follow from the published rules of SQuAD 1.1, by hand.
ENGLISH = [
    ("Denver Broncos", "Denver Broncos", 1, 1),
    ("The Denver Broncos!", "denver  broncos", 1, 1),
    ("the Carolina Panthers", "Denver Broncos", 0, 0),
    ("It was Super Bowl 50.", "Super Bowl", 2 * 2 / 7, 1),
    ("308", "308 yards", 2 / 3, 0),
    ("They won 15 games", "5", 0, 0),
    ("well-known", "well known", 0, 0),
    ("U.S. dollars", "US dollars", 1, 1),
    ("Zürich", "Zurich", 0, 0),
    ("18 weeks 18", "18 weeks", 4 / 5, 1),
    ("", "Denver", 0, 0),
    ("An", "the", 1, 0),
]
# Letters are counted by hand; punctuation of any width is none, and spaces between letters do not count.
EAST_ASIAN = [
    ("東京都", "東京都", 1, 1),
    ("「東京都」。", "東京都", 1, 1),
    ("東京", "東京都", 2 * 2 / 5, 0),
    ("首都は東京都です。", "東京都", 2 * 3 / 11, 1),
    ("京都東", "東京都", 1, 0),
    ("1989年2月15日", "1989年", 2 * 2 / 8, 1),
    ("19892年", "1989年", 2 * 1 / 4, 0),
    ("北京，1949年", "北京 1949 年", 1, 1),
    ("서울특별시", "서울", 2 * 2 / 7, 1),
    ("2월 15일", "2월15일", 1, 1),
    ("ビタミン A", "ビタミンA", 1, 1),
    ("Beatles가 왔다", "beatles", 2 * 1 / 5, 1),
    ("1962", "1962年", 2 * 1 / 3, 0),
]


@pytest.mark.parametrize(("answer", "right", "near", "inside"), [*ENGLISH, *EAST_ASIAN])
def test_known_pairs_have_the_figures_of_the_published_rules(
    answer: str, right: str, near: float, inside: float
) -> None:
    assert f1(answer, right) == pytest.approx(near)
    assert match(answer, right) == inside


WORDS = st.text(alphabet="abthe 東京서울年1.。-", max_size=24)


@given(WORDS, WORDS)
def test_nearness_is_reflexive_and_symmetric(one: str, other: str) -> None:
    assert 0 <= f1(one, other) == f1(other, one) <= 1
    assert f1(one, one) == 1
