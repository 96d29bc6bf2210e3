"""`selfrag ask` over documents that were never read before."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.strategies import Strategy
from selfrag.text.language import language_of
from selfrag_cli.local.index import E5Embedder
from selfrag_cli.local.sources.source import own_collection
from selfrag_cli.local.stores.manifest import opened_manifest
from tests.e2e.conftest import Ask, Run
from tests.support.command import Command, Ended
from tests.support.doubles.model_server import ModelServer
from tests.support.words import NOT_FOUND_IN

ENGLISH = """# Harbour office

## Berths

The fee for a guest berth is 34 euros per night. Berths are given out by the harbour master at noon.

## Crane

The harbour crane lifts boats of up to 12 tonnes. Book the crane two days ahead with Ilse Brandt.
"""
JAPANESE = """# 図書館の利用案内

## 貸出

本は一人につき10冊まで借りることができます。貸出期間は3週間です。

## 開館時間

図書館は平日の午前9時から午後7時まで開いています。月曜日は休館日です。
"""


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    directory = tmp_path / "documents"
    (directory / "deep").mkdir(parents=True)
    (directory / "harbour.md").write_text(ENGLISH, encoding="utf-8")
    (directory / "deep" / "図書館.md").write_text(JAPANESE, encoding="utf-8")
    (directory / "other.txt").write_text("The lighthouse was painted white in 1962.\n", encoding="utf-8")
    return directory


def judges_in(value: Any) -> set[str]:
    """Return what judged, of every verdict in a response."""
    if isinstance(value, list):
        return set().union(*map(judges_in, value))
    if not isinstance(value, dict):
        return set()
    own = {value["judged_by"]} if "judged_by" in value else set()
    return own.union(*map(judges_in, value.values()))


@pytest.mark.parametrize("strategy", get_args(Strategy))
def test_without_a_model_no_verdict_of_any_strategy_passes_for_a_judgement(
    ask: Ask, documents: Path, strategy: str
) -> None:
    response = ask("What does a guest berth cost per night?", documents, policy=json.dumps({"strategy": strategy}))
    assert "34 euros" in response["answer"]
    assert response["notice"].startswith("No model is connected")
    assert judges_in(response) == (set() if strategy == "naive" else {"rule"})


def test_two_directories_of_one_home_do_not_tell_of_each_others_questions(
    ask: Ask, documents: Path, tmp_path: Path
) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "facts.md").write_text("The harbour crane lifts 12 tonnes.", encoding="utf-8")

    def counts(question: str, directory: Path) -> list[int]:
        usage = ask(question, directory)["usage"]
        return [usage[name] for name in ("cached_verdicts", "replies_by_rule", "rounds")]

    asked_by_nobody = counts("What does a yacht berth cost per night?", tmp_path / "others")
    ask("What does a guest berth cost per night?", documents)
    assert counts("What does a guest berth cost per night?", tmp_path / "others") == asked_by_nobody
    assert counts("What does a guest berth cost per night?", documents)[1] == 0


@pytest.mark.parametrize(
    ("question", "fact", "document"),
    [
        ("What does a guest berth cost per night?", "34 euros", "harbour.md"),
        ("How heavy a boat can the crane lift?", "12 tonnes", "harbour.md"),
        ("本は何冊まで借りられますか?", "10冊", "deep/図書館.md"),
        ("図書館は何曜日が休みですか?", "月曜日", "deep/図書館.md"),
    ],
)
def test_fact_is_answered_with_verbatim_quote_from_right_file(
    ask: Ask, documents: Path, question: str, fact: str, document: str
) -> None:
    response = ask(question, documents)
    assert response["status"] == "answered"
    assert fact in response["answer"]
    assert document in [citation["document"] for citation in response["citations"]]
    for citation in response["citations"]:
        read = re.sub("^#+", "", (documents / citation["document"]).read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert citation["quote"] in read
        around = citation["before"] + citation["quote"] + citation["after"]
        assert " ".join(around.split()) in " ".join(read.replace("#", "").split()), "headings are read without marks"
        start, end = citation["answer_span"]
        assert 0 <= start < end <= len(response["answer"])


def test_the_response_has_the_designs_shape_and_stands_alone_on_stdout(fresh: Command, documents: Path) -> None:
    ended = fresh("ask", "--json", "--docs", str(documents), "--", "What does a guest berth cost per night?")
    response = ended.response
    assert list(response) == list(AnswerResponse.model_fields)
    cited = {"passage_id", "document", "quote", "answer_span", "heading", "page", "locator", "before", "after"}
    assert set(response["citations"][0]) == cited | {
        "copies",
        "copy_count",
        "document_id",
        "collection",
        "answer_span_utf16",
    }
    # The complexity is asked for under `adaptive` alone.
    assert set(response["reflection"]["retrieve"]) == {
        "decision", "reason", "complexity", "aggregate", "ratio", "query", "judged_by", "model",
    }  # fmt: skip
    assert response["reflection"]["retrieve"]["complexity"] is None
    # Claude tells no probabilities.
    assert response["reflection"]["retrieve"]["ratio"] is None
    assert response["status"] == "answered"
    # A rule judges nothing, and no model was called.
    support, relevance = response["reflection"]["support"], response["reflection"]["relevance"]
    assert [support["level"], response["reflection"]["utility"]["score"]] == [None, None]
    assert {claim["support"] for claim in support["claims"]} == {verdict["score"] for verdict in relevance} == {None}
    assert all(claim["passage_ids"] for claim in support["claims"])
    usage = response["usage"]
    assert [usage[name] for name in ("model_calls", "input_tokens", "output_tokens")] == [0, 0, 0]
    assert usage["replies_by_rule"] == sum(step["calls"] for step in usage["by_step"].values()) > 0
    assert response["usage"]["rounds"] == 2
    assert response["usage"]["cost_usd"] == 0
    assert set(response["usage"]["by_step"]) == {
        "decide_retrieval", "grade_relevance", "generate", "grade_support", "grade_utility",
    }  # fmt: skip
    assert response["notice"].startswith("No model is connected")
    assert response["answer"] == "The fee for a guest berth is 34 euros per night."
    reflection = response["reflection"]
    verdicts = [reflection["retrieve"], *reflection["relevance"], reflection["support"], reflection["utility"]]
    assert {verdict["judged_by"] for verdict in verdicts} == {"rule"}
    assert ended.err == ""


@pytest.mark.parametrize(
    "question",
    ["What is the salary of the harbour master?", "図書館の館長の名前は何ですか?", "Who won the chess world cup?"],
)
def test_question_outside_documents_abstains(ask: Ask, documents: Path, question: str) -> None:
    response = ask(question, documents)
    assert response["status"] == "abstained"
    assert response["answer"].startswith(NOT_FOUND_IN[language_of(question)])
    assert response["citations"] == []
    assert response["queries"][0] == question


@pytest.mark.parametrize("question", ["Hello!", "こんにちは"])
def test_a_greeting_needs_no_search(ask: Ask, documents: Path, question: str) -> None:
    response = ask(question, documents)
    assert response["reflection"]["retrieve"]["decision"] == "no"
    assert response["status"] == "answered"
    assert response["answer"].strip()
    # The search that was begun before the decision was known has no part in the answer.
    assert response["queries"] == response["reflection"]["relevance"] == []
    assert response["path"][-2:] == ["Generate", "GradeUtility"]
    assert (response["usage"]["model_calls"], response["usage"]["waste"]["model_calls"]) == (0, 0)


def test_a_follow_up_continues_from_the_earlier_evidence(ask: Ask, documents: Path) -> None:
    towns = "# Harbours\n\nA berth in Aston costs 34 euros per night. A berth in Brill costs 29 euros per night.\n"
    (documents / "towns.md").write_text(towns, encoding="utf-8")
    first = ask("What does a berth in Aston cost per night?", documents)
    second = ask("And in Brill?", documents, first["id"])
    assert second["reflection"]["retrieve"]["decision"] == "continue"
    assert second["queries"] == []
    assert second["path"][-4:] == ["Retrieve", "Generate", "GradeSupport", "GradeUtility"]
    assert "29 euros" in second["answer"]


def test_an_earlier_question_about_other_documents_is_not_continued(ask: Ask, documents: Path) -> None:
    other = documents.parent / "elsewhere"
    other.mkdir()
    (other / "a.md").write_text("# A\n\nThe ferry leaves at 8.\n", encoding="utf-8")
    first = ask("How heavy a boat can the crane lift?", documents)
    asked = ask("And with whom do I book it?", other, first["id"])
    assert "The earlier question was not found, so this one stands alone." in asked["usage"]["warnings"]
    assert "Ilse Brandt" not in asked["answer"]


def test_the_index_is_not_built_again_and_nothing_is_embedded_twice(
    ask: Ask, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []
    as_built = E5Embedder.passages

    def counting(self: E5Embedder, texts: Sequence[str]) -> list[list[float]]:
        embedded.extend(text for text in texts if "\n" in text)  # a passage is embedded below its title
        return as_built(self, texts)

    monkeypatch.setattr(E5Embedder, "passages", counting)
    ask("What does a guest berth cost per night?", documents)
    passages = len(embedded)
    ask("How heavy a boat can the crane lift?", documents)
    assert passages >= 3
    assert len(embedded) == passages


def test_refused_key_is_reported_once_with_its_cause_and_traced(
    here: Run, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "What does a guest berth cost per night?"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-nobody")
    with ModelServer(lambda step, n: 401) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        answered = here("ask", "--docs", str(documents), question)
        in_json = here("ask", "--docs", str(documents), "--json", question)
    cause = f"{server.url.removeprefix('http://')} refused the key: status 401"
    assert (answered.code, in_json.code) == (1, 1)
    assert words_of(answered).count(f"{cause}.") == 1, "once, however many steps failed for it"
    assert "Try again" not in words_of(answered)
    assert in_json.err.count(f": {cause}.") == 1
    assert "DecideRetrieval" in in_json.err
    question_id = json.loads(in_json.out)["id"]
    traced = here("trace")
    assert words_of(traced).startswith(f"Question {question} Status failed Id {question_id}")
    assert f"error Misconfigured: {cause}" in words_of(traced)
    assert "sk-of-nobody" not in "".join(
        told for ended in (answered, in_json, traced) for told in (ended.out, ended.err)
    )


def words_of(ended: Ended) -> str:
    """Return a command's output without frames and line breaks."""
    return " ".join(ended.out.replace("│", " ").split())


@pytest.mark.parametrize("variable", ["ALL_PROXY", "all_proxy"])
def test_a_proxy_of_the_company_does_not_concern_the_stand_in(
    ask: Ask, documents: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "socks5://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "example.com")
    assert "34 euros" in ask("What does a guest berth cost per night?", documents)["answer"]


@pytest.mark.long
def test_unusable_proxy_is_named_without_traceback(fresh: Command, documents: Path) -> None:
    proxied = Command(fresh.home, (("ALL_PROXY", "socks5://127.0.0.1:9"), ("ANTHROPIC_API_KEY", "sk-of-nobody")))
    ended = proxied("ask", "--docs", str(documents), "--json", "What does a guest berth cost per night?")
    assert ended.code == 1
    assert ended.err.count("ALL_PROXY names a SOCKS proxy") == 1
    assert all(line.startswith("selfrag: warning: ") for line in ended.err.splitlines())


@pytest.mark.long
def test_a_readable_answer_shows_what_the_response_says(read: Command) -> None:
    question = "How many weeks of parental leave are there?"
    assert read("ask", question).code == 0
    # Both of these find every verdict of the first: they differ in nothing but the time that they take.
    response, shown = read("ask", "--json", question).response, read("ask", "--verdicts", question).out
    words = " ".join(re.sub(r"[─-╿]", " ", shown).split())  # without the lines of the tables
    usage, reflection = response["usage"], response["reflection"]
    assert words.startswith(f"{response['answer']} [1] [1] ")
    assert response["notice"] in words
    assert [citation["document"] for citation in response["citations"]] == ["people/parental-leave.md"]
    for citation in response["citations"]:
        assert f"{citation['document']} > {citation['heading']} {citation['quote']}" in words
    assert words.count("IsRel by rule") == len(reflection["relevance"])
    assert f"Retrieve {reflection['retrieve']['decision']} {reflection['retrieve']['reason']}" in words
    assert "IsSup Found word for word in the source. No model checked whether it answers the question." in words
    assert "supported" not in words
    assert "IsUse" not in words
    assert f"Path {' → '.join(response['path'])}" in words
    assert f"Queries {' | '.join(response['queries'])}" in words
    spent = f"0 model calls in {usage['rounds']} rounds, {usage['cached_verdicts']} cached verdicts"
    assert f"Cost 0.0000 USD, {spent}, {usage['input_tokens']} tokens in, {usage['output_tokens']} out" in words


@pytest.mark.long
def test_trace_shows_the_last_execution_step_by_step(read: Command) -> None:
    response = read("ask", "--json", "How many weeks of parental leave are there?").response
    shown = read("trace").out
    for step in ("DecideRetrieval", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", "ComposeAnswer"):
        assert step in shown
    heading = f"Question How many weeks of parental leave are there? Status answered Id {response['id']} Time "
    assert words_of(read("trace")).startswith(heading)
    assert "│ task    {" not in shown
    assert "│ task    {" in read("trace", "--full").out
    assert read("trace", response["id"]).out == shown
    assert read("trace", "unknown").code == 2


def test_the_suggestion_of_every_document_is_answered_from_it(ask: Ask, documents: Path) -> None:
    (documents / "fees.md").write_text("# Fees\n\nThe parking permit costs 15 EUR.\n", encoding="utf-8")
    (documents / "garden.md").write_text("# Garden\n\nThe gate must be closed before noon.\n", encoding="utf-8")
    ask("What does the parking permit cost?", documents)
    with opened_manifest() as manifest:
        records = manifest.records(own_collection(documents))
    suggestions = {key: record.suggestion for key, record in records.items() if record.suggestion}
    assert len(suggestions) >= 2
    for key, question in suggestions.items():
        response = ask(question, documents)
        assert response["status"] == "answered", question
        assert key.endswith(response["citations"][0]["document"])
