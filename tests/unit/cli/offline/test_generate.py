"""The answer: quotes with citations that are verbatim, an honest NO_ANSWER, and one honest way to be wrong."""

from typing import Any

import anthropic
import pytest

from cli.local.offline.rules.notices import DIRECT, DIRECT_JA, QUOTED, QUOTED_JA
from question.generate.logic import NO_ANSWER, Task, generate
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.domain.answers import Turn
from selfrag.domain.passages import Passage
from selfrag.ports.model import Source
from selfrag.ports.prompts import Prompt
from tests.support.fakes import passage

PROMPT = Prompt("Answer from the search results.", "1")
HOTELS = passage(
    "hotels",
    "## Hotel limits\n\nThe hotel limit in Lisbon is 150 EUR per night. "
    "The hotel limit in London is 190 GBP per night. In all other European cities the limit is 140 EUR per night.\n",
    title="Hotels",
)
LEAVE = passage("leave", "Each employee has 26 days of annual leave. Leave is requested in the portal.", title="Leave")
LIBRARY = passage(
    "ja",
    "# 図書館\n\n本は1人10冊まで、2週間借りられます。カードの再発行には200円かかります。館内での食事は禁止です。\n",
)


def ask(claude: SdkClaude, question: str, *passages: Passage, **more: Any) -> Any:
    return generate(Task(question=question, passages=list(passages), **more), claude, PROMPT)


def test_the_best_sentence_is_quoted_with_its_citation_and_the_notice(claude: SdkClaude) -> None:
    result = ask(claude, "What is the hotel limit in London?", LEAVE, HOTELS)
    assert result.answer == f"{QUOTED}The hotel limit in London is 190 GBP per night."
    (citation,) = result.citations
    assert citation.passage_id == "hotels"
    assert citation.quote == "The hotel limit in London is 190 GBP per night."
    assert citation.answer_span == (0, len(result.answer))


def test_a_japanese_question_is_answered_from_a_japanese_document(claude: SdkClaude) -> None:
    result = ask(claude, "本は何冊まで借りられますか。", LIBRARY)
    assert result.answer == f"{QUOTED_JA}本は1人10冊まで、2週間借りられます。"
    assert result.citations[0].quote == "本は1人10冊まで、2週間借りられます。"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("How many days of annual leave does each employee have?", "26 days"),
        ("Where is leave requested?", "in the portal"),
        ("How much may a hotel in Lisbon cost per night?", "150 EUR"),
        ("カードをなくしたらいくらかかりますか。", "200円"),
        ("館内で食事をしてもいいですか。", "食事は禁止"),
    ],
)
def test_a_question_is_answered_by_the_sentence_that_holds_the_fact(
    claude: SdkClaude, question: str, found: str
) -> None:
    result = ask(claude, question, LEAVE, HOTELS, LIBRARY)
    assert found in result.answer
    assert "[uncited]" not in result.answer


@pytest.mark.parametrize(
    "question",
    [
        "Who is the chief executive?",
        "May I bring my dog to the office?",
        "How much does a Tern 4 buoy cost?",
        "Which brand of laptop do new employees get?",
        "社長の名前を教えてください。",
        "図書館の電話番号は何番ですか。",
    ],
)
def test_what_the_passages_do_not_state_is_not_answered(claude: SdkClaude, question: str) -> None:
    result = ask(claude, question, LEAVE, HOTELS, LIBRARY)
    assert not result.found
    assert result.answer == ""


def test_no_answer_stands_alone_as_the_prompt_demands(sdk: anthropic.Anthropic, claude: SdkClaude) -> None:
    source = Source("leave.md", "Leave", ("Each employee has 26 days of annual leave.",))
    writing = claude.write(
        "generate", PROMPT, [source], {"task": "grounded", "question": "Who is the chief executive?"}
    )
    assert [segment.text for segment in writing.segments] == [NO_ANSWER]


def test_cited_text_is_verbatim_though_the_shown_text_has_no_markdown(sdk: anthropic.Anthropic) -> None:
    blocks = ["| Item | Loan period |\n", "|---|---|\n", "| **DVDs** | 1 week |\n", "| Books | 4 weeks |\n"]
    result = {
        "type": "search_result",
        "source": "library.md",
        "title": "Library",
        "content": [{"type": "text", "text": block} for block in blocks],
        "citations": {"enabled": True},
    }
    question = {"type": "text", "text": '{"task": "grounded", "question": "What is the loan period of DVDs?"}'}
    message = sdk.messages.create(
        model="claude-sonnet-5-5", max_tokens=100, messages=[{"role": "user", "content": [result, question]}]
    )
    (block,) = message.content
    assert block.text == f"{QUOTED}Item: DVDs; Loan period: 1 week."
    (citation,) = block.citations
    assert citation.cited_text == "| **DVDs** | 1 week |\n"
    assert (citation.search_result_index, citation.start_block_index, citation.end_block_index) == (0, 2, 3)
    assert (citation.source, citation.title) == ("library.md", "Library")


def test_a_sentence_that_was_wrapped_is_quoted_whole(claude: SdkClaude) -> None:
    wrapped = passage(
        "w", "The deposit for a flat in the house equals two months'\nrent and is returned within 45 days.\n"
    )
    result = ask(claude, "When is the deposit for a flat returned?", wrapped)
    assert result.answer.endswith("equals two months' rent and is returned within 45 days.")
    assert result.citations[0].quote == wrapped.text.strip()


def test_the_answer_below_a_question_is_quoted_and_not_the_question(claude: SdkClaude) -> None:
    faq = passage("faq", "### How much memory does it use?\n\nAbout 20 MB.\n\n### Does it need root?\n\nNo.\n")
    result = ask(claude, "How much memory does it use?", faq)
    assert result.answer == f"{QUOTED}About 20 MB."


def test_an_outdated_page_gives_way_to_the_one_that_holds(claude: SdkClaude) -> None:
    old = passage("old", "The hotel limit in Lisbon is 125 EUR per night.", title="Hotels 2023 (superseded)")
    result = ask(claude, "What is the hotel limit in Lisbon?", old, HOTELS)
    assert result.citations[0].passage_id == "hotels"


@pytest.mark.parametrize(
    ("question", "total"),
    [
        ("What may a hotel in London cost in total for 3 nights?", "In total that is 3 x 190 = 570 GBP."),
        ("What is the hotel limit in Lisbon for two nights?", "In total that is 2 x 150 = 300 EUR."),
    ],
)
def test_a_total_is_worked_out_and_cites_the_sentence_of_its_figure(
    claude: SdkClaude, question: str, total: str
) -> None:
    result = ask(claude, question, HOTELS)
    assert result.answer.endswith(f" {total}")
    cited = result.citations[-1]
    assert result.answer[slice(*cited.answer_span)] == f" {total}"
    assert cited.quote == result.citations[0].quote


def test_a_repair_drops_the_failed_total_and_quotes_only(claude: SdkClaude) -> None:
    question = "What is the hotel limit per night in London for a stay of 3 nights?"
    total = "In total that is 3 x 190 = 570 GBP."
    assert total in ask(claude, question, HOTELS).answer
    result = ask(claude, question, HOTELS, draft=f"... {total}", failed_claims=[total])
    assert result.answer == f"{QUOTED}The hotel limit in London is 190 GBP per night."


def test_a_repair_keeps_the_total_that_did_not_fail(claude: SdkClaude) -> None:
    question = "What may a hotel in London cost in total for 3 nights?"
    result = ask(claude, question, HOTELS, draft="...", failed_claims=["Breakfast is free."])
    assert result.answer.endswith(" In total that is 3 x 190 = 570 GBP.")


def test_a_repair_does_not_quote_a_sentence_that_failed(claude: SdkClaude) -> None:
    failed = "Each employee has 26 days of annual leave."
    result = ask(
        claude, "How many days of annual leave does each employee have?", LEAVE, draft=failed, failed_claims=[failed]
    )
    assert "26" not in result.answer


def test_a_follow_up_is_read_together_with_the_question_before_it(claude: SdkClaude) -> None:
    previous = Turn(question="What is the hotel limit in Lisbon?", answer="150 EUR")
    result = ask(claude, "And in London?", HOTELS, previous=previous)
    assert "190 GBP" in result.answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is 17 * 23?", f"{DIRECT}17 * 23 = 391."),
        ("12 + 30 は？", f"{DIRECT_JA}12 + 30 = 42."),
        ("9 ** 9 ** 9", f"{DIRECT}9 ** 9 ** 9 is a number too large to write out."),
    ],
)
def test_a_sum_is_answered_directly(claude: SdkClaude, question: str, answer: str) -> None:
    assert ask(claude, question, mode="direct").answer == answer


@pytest.mark.parametrize(
    ("question", "notice"), [("Hello!", DIRECT), ("What can you do?", DIRECT), ("こんにちは", DIRECT_JA)]
)
def test_a_greeting_is_answered_with_what_the_stand_in_can_do(claude: SdkClaude, question: str, notice: str) -> None:
    assert ask(claude, question, mode="direct").answer.startswith(notice)


def test_a_fact_is_never_answered_directly(claude: SdkClaude) -> None:
    assert not ask(claude, "How many days of leave do I have?", mode="direct").found


def test_no_passages_give_no_answer(claude: SdkClaude) -> None:
    assert not ask(claude, "How many days of leave do I have?").found


def test_rows_and_definitions_are_quoted_one_by_one_as_they_are_sent(claude: SdkClaude) -> None:
    lines = [
        "town: Lisbon; what a night in a hotel may cost at most: 150 EUR",
        "town: London; what a night in a hotel may cost at most: 190 GBP",
        "drop: remove one entry of the stash",
        "pop: put an entry back",
    ]
    text = "\n".join(lines)
    rows = [
        {"start": text.index(line), "end": text.index(line) + len(line), "name": f"row {n}"}
        for n, line in enumerate(lines)
    ]
    limits = passage("limits", text, title="Limits", rows=rows)
    hotel = ask(claude, "What may a night in a hotel in Lisbon cost?", limits)
    assert [(citation.quote, citation.locator) for citation in hotel.citations] == [(lines[0], "row 0")]
    stash = ask(claude, "How do I remove one entry of the stash?", limits)
    assert [(citation.quote, citation.locator) for citation in stash.citations] == [(lines[2], "row 2")]
