"""The stand-in quotes passages, declines, and never claims to be a judge."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import selfrag.question.decide_retrieval.logic as decide_retrieval
import selfrag.question.grade_relevance.logic as grade_relevance
import selfrag.question.grade_support.logic as grade_support
import selfrag.question.grade_utility.logic as grade_utility
import selfrag.question.rewrite_question.logic as rewrite_question
from selfrag.domain.answers import Turn
from selfrag.domain.passages import Passage
from selfrag.domain.steps import (
    DecideRetrievalTask,
    GenerateTask,
    GradeRelevanceTask,
    GradeSupportTask,
    GradeUtilityTask,
    RewriteQuestionTask,
)
from selfrag.judging.graders import Grader
from selfrag.question.decide_retrieval.logic import decide_continuation
from selfrag.question.generate.logic import generate
from selfrag_cli.lab import judge
from selfrag_cli.local.stand_in.claude import RuleClaude
from selfrag_cli.local.stand_in.quoting import QuoteSource, quotes
from selfrag_cli.local.stand_in.words import names
from tests.support.fakes import passage
from tests.unit.cli.stand_in.conftest import PROMPT

Graders = Callable[[str], Grader]
HOTELS = passage(
    "hotels",
    "## Hotel limits\n\nThe hotel limit in Lisbon is 150 EUR per night. "
    "The hotel limit in London is 190 GBP per night.",
    title="Hotels",
)
LEAVE = passage("leave", "Each employee has 26 days of annual leave. Leave is requested in the portal.", title="Leave")
LIBRARY = passage("ja", "# 図書館\n\n本は1人10冊まで、2週間借りられます。カードの再発行には200円かかります。\n")
KOREAN = passage("ko", "도서관은 평일 오전 9시부터 오후 7시까지 문을 엽니다. 주차장은 무료입니다.")
LISBON, LONDON = "The hotel limit in Lisbon is 150 EUR per night.", "The hotel limit in London is 190 GBP per night."


def ask(claude: RuleClaude, question: str, *passages: Passage, **more: Any) -> Any:
    return generate(GenerateTask(question=question, passages=list(passages), **more), claude, PROMPT)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What is the hotel limit in London?", LONDON),
        ("How many days of annual leave does each employee have?", "Each employee has 26 days of annual leave."),
        ("カードの再発行はいくらですか。", "カードの再発行には200円かかります。"),
        ("도서관은 몇 시에 문을 엽니까?", "도서관은 평일 오전 9시부터 오후 7시까지 문을 엽니다."),
        ("Compare the hotel limits of Lisbon and London", f"{LISBON} {LONDON}"),
    ],
)
def test_the_sentence_with_the_words_of_the_question_is_quoted_and_cited(
    claude: RuleClaude, question: str, sentence: str
) -> None:
    result = ask(claude, question, LEAVE, HOTELS, LIBRARY, KOREAN)
    assert result.answer == sentence
    assert " ".join(citation.quote for citation in result.citations) == sentence


@pytest.mark.parametrize(
    "question",
    [
        "Who is the chief executive?",
        "May I bring my dog to the office?",
        # A name that stands in no passage and no title.
        "What is the hotel limit in Tallinn?",
        "What is the hotel limit per night of XK-7?",
        "ホテルの上限はいくらですか。",
    ],
)
def test_questions_beyond_the_passages_are_declined(claude: RuleClaude, question: str) -> None:
    result = ask(claude, question, LEAVE, HOTELS, LIBRARY)
    assert not result.answered
    assert result.answer == ""


BUFLIST = passage(
    "b", "# weechat\n\nUm die maximale Breite der buflist-Spalte zu reduzieren, nutze folgende Option:\n\n"
    "/set weechat.bar.buflist.size_max 15\n\nDie Farbe ist blau.\n", title="weechat FAQ"
)  # fmt: skip
VISA = passage("v", "For a visa to Kobe bring:\n\n1. a passport\n2. two photos\n\nThe fee is 40 EUR.", title="Travel")
MAIL = passage(
    "m", "A host sends mail with a forged sender, and your host gets the bounces. This is called backscatter mail. "
    "It is blocked by header checks."
)  # fmt: skip
SEAL = passage("s", "印鑑は総務課で管理します。これは代表印と呼ばれます。")
TRAILER = passage(
    "t", "The insurance of the trailer now covers Denmark and Poland as well. The excess is 500 EUR per claim.",
    title="Insurance of the trailer", document="insurance-trailer.eml"
)  # fmt: skip
EXCESS = [passage(f"x{n}", f"Excess baggage {n} is weighed. Excess cash is kept.") for n in range(4)]
CLAIMS = passage(
    "c", "A claim is submitted within 30 days of the end of the trip. A purchase without a trip is claimed, too. "
    "A later claim needs the written approval of the finance lead.", title="Deadline and form"
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "Wie kann ich die maximale Breite der buflist-Spalte reduzieren?",
            "Um die maximale Breite der buflist-Spalte zu reduzieren, nutze folgende Option:\n"
            "/set weechat.bar.buflist.size_max 15",
        ),
        ("What must I bring for a visa to Kobe?", "For a visa to Kobe bring:\n1. a passport\n2. two photos"),
        ("How many photos for a visa to Kobe?", "two photos"),
        (
            "What is backscatter mail?",
            "A host sends mail with a forged sender, and your host gets the bounces. This is called backscatter mail.",
        ),
        ("代表印とは何ですか?", "印鑑は総務課で管理します。 これは代表印と呼ばれます。"),
        ("What is the excess of the trailer insurance?", "The excess is 500 EUR per claim."),
        ("Who approves a trip?", ""),
        ("Who approves a claim?", "A later claim needs the written approval of the finance lead."),
        ("Hotel limit in Lodnon?", LONDON),
        ("What is the hotel limmit in Londn", LONDON),
        ("WAS IST DAS HOTELLIMIT IN LONDON?", LONDON),
        ("HOTEL LIMIT IN LISBON", LISBON),
        ("What is the hotel limit in Londonderry?", ""),
    ],
)
def test_answer_is_the_whole_thought_and_nothing_beside_it(claude: RuleClaude, question: str, answer: str) -> None:
    result = ask(claude, question, HOTELS, BUFLIST, VISA, MAIL, SEAL, TRAILER, CLAIMS, *EXCESS)
    assert result.answer == answer


MANUALS = [
    passage(f"z{n}", f"Clean the filter every {n} days with {how}.", title="Care", document=f"zx-manual-{n}.md")
    for n, how in ((47, "warm water"), (48, "alcohol"), (49, "soap"))
]
ROWS = "\n".join(f"Supplier: {name}; City: {city}" for name, city in (("Nordwind", "Kiel"), ("Kaya", "Izmir")))
SUPPLIERS = passage("r", ROWS, title="suppliers.csv", document="suppliers.csv")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does zx-manual-48.md say about the filter?", "Clean the filter every 48 days with alcohol."),
        ("How often do I clean the filter according to ZX-manual-49?", "Clean the filter every 49 days with soap."),
        ("Which suppliers do we have?", ROWS),
        ("List all suppliers.", ROWS),
        ("Which supplier is in Izmir?", "Supplier: Kaya; City: Izmir"),
    ],
)
def test_named_file_and_whole_list_are_quoted(claude: RuleClaude, question: str, answer: str) -> None:
    assert ask(claude, question, *MANUALS, SUPPLIERS).answer == answer


def test_question_for_a_list_is_an_aggregate(grader: Graders) -> None:
    for question, aggregate in (("Which suppliers do we have?", True), ("Which supplier is in Izmir?", False)):
        verdict = decide_retrieval.decide(DecideRetrievalTask(question=question), grader("decide_retrieval")).verdict
        assert verdict.aggregate is aggregate


def test_name_in_title_or_document_name_is_no_reason_to_decline(claude: RuleClaude) -> None:
    limits = passage("limits", "The limit is 63 bytes for an identifier.", title="Limits of PostgreSQL")
    assert "63 bytes" in ask(claude, "What is the limit for an identifier in PostgreSQL?", limits).answer
    assert not ask(claude, "What is the limit for an identifier in Oracle?", limits).answered


@given(text=st.text(alphabet=st.sampled_from("ab AB.#-*|?\n7。本カ"), max_size=80), question=st.text(max_size=30))
def test_a_quote_is_always_a_part_of_its_passage(claude: RuleClaude, text: str, question: str) -> None:
    for part in text.split(".")[:1]:
        result = ask(claude, f"{question} {part}", passage("p", text or "."))
        assert all(citation.quote in text for citation in result.citations)


@given(blocks=st.lists(st.text(alphabet="ab .#\n|-", min_size=1, max_size=12), max_size=6))
def test_every_sentence_is_made_of_the_blocks_that_it_names(blocks: list[str]) -> None:
    for quote in quotes("a b", [QuoteSource("d", "t", tuple(blocks))]):
        whole = " ".join("".join(blocks[quote.start : quote.end]).replace("**", "").split())
        assert whole.endswith(quote.text)


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_sentence_that_was_wrapped_is_quoted_whole(claude: RuleClaude, indent: str) -> None:
    lines = f"The deposit for a flat in the house equals two months'\n{indent}rent and is returned in May.\n"
    wrapped = passage("w", lines)
    assert ask(claude, "When is the deposit for a flat returned?", wrapped).citations[0].quote == wrapped.text.strip()


def test_new_message_is_quoted_before_the_one_that_it_quotes(claude: RuleClaude, grader: Graders) -> None:
    head = "Re: Price of the filter\nFrom: Ada <ada@example.com>; To: Bo <bo@example.com>; Date: 2026-11-03 11:00\n"
    quoted = "Earlier message of Bo, 2 Nov 2026\nOn 2 Nov 2026, Bo wrote:\nThe price of the filter is 80 EUR."
    mail = passage("mail", f"{head}It is now 95 EUR.\n{quoted}", title="Re: Price of the filter")
    answer = ask(claude, "What is the price of the filter?", mail)
    said = "It is now 95 EUR. Earlier message of Bo, 2 Nov 2026: The price of the filter is 80 EUR."
    assert answer.answer == said
    task = GradeSupportTask(question="What?", answer=said, passages=[mail])
    claims = grade_support.grade(task, grader("grade_support")).verdict.claims
    assert [claim.support for claim in claims] == ["full", "full"]


def test_subject_of_a_message_is_no_answer(claude: RuleClaude) -> None:
    mail = passage("mail", "Re: Price of the filter\nPlease call me.", title="Re: Price of the filter")
    assert "Price" not in ask(claude, "What is the price of the filter?", mail).answer


@pytest.mark.parametrize(
    ("question", "previous", "decision"),
    [
        ("Hello!", "", "no"),
        ("こんにちは", "", "no"),
        ("What can you do?", "", "no"),
        ("What is 12 times 7?", "", "yes"),
        ("How many days of leave do I get?", "", "yes"),
        ("有給休暇は何日ですか。", "", "yes"),
        ("And in London?", "", "yes"),
        ("And in London?", LISBON, "continue"),
        ("じゃあ神戸オフィスは？", LISBON, "continue"),
        ("How long does the probation period last?", LISBON, "yes"),
    ],
)
def test_only_greetings_need_no_search_and_a_short_question_follows_an_answer(
    grader: Graders, question: str, previous: str, decision: str
) -> None:
    task = DecideRetrievalTask(question=question, previous=Turn(question="Limit in Lisbon?", answer=previous))
    assert decide_retrieval.decide(task, grader("decide_retrieval")).verdict.decision == decision


def test_a_follow_up_is_read_with_the_question_before_it(claude: RuleClaude) -> None:
    previous = Turn(question="What is the hotel limit in Lisbon?", answer="150 EUR")
    assert ask(claude, "And in London?", HOTELS, previous=previous).answer == LONDON


@pytest.mark.parametrize(
    ("earlier", "question", "answer"),
    [
        ("How much does the band saw cost?", "And the forklift?", "The forklift costs 21,000 EUR."),
        ("band saw cost?", "What about the forklift?", "The forklift costs 21,000 EUR."),
        ("How much does the band saw cost?", "And the crane?", ""),
        ("国内出張の日当はいくらですか。", "海外の場合は?", "海外出張の日当は7,500円です。"),
        ("How many seats does room B12 have?", "And B14?", "Room B14 has 12 seats."),
        ("How many seats does room B12 have?", "And room B13?", ""),
    ],
)
def test_follow_up_noun_replaces_earlier_noun(claude: RuleClaude, earlier: str, question: str, answer: str) -> None:
    workshop = passage("w", "The band saw costs 3,200 EUR. The forklift costs 21,000 EUR.", title="Workshop")
    rooms = passage("r", "Room B12 has 30 seats. Room B14 has 12 seats.", title="Rooms")
    travel = passage("t", "国内出張の日当は3,200円です。海外出張の日当は7,500円です。", title="出張")
    previous = Turn(question=earlier, answer="Some.")
    assert ask(claude, question, LEAVE, workshop, rooms, travel, previous=previous).answer == answer


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Who approves a trip?", "Who approves a trip?"),
        ("And in Paris?", "What is the hotel limit in ? And in Paris?"),
    ],
)
def test_a_complete_question_is_searched_as_it_was_typed(grader: Graders, question: str, query: str) -> None:
    previous = Turn(question="What is the hotel limit in Lisbon?", answer="150 EUR")
    verdict = decide_retrieval.decide(
        DecideRetrievalTask(question=question, previous=previous), grader("decide_retrieval")
    ).verdict
    assert verdict.query == query


LEASES = (
    passage("5", "The notice period is nine months. The rent is 8,400 EUR.", title="Lease contract Hall 5"),
    passage("7", "The notice period is six months. Hall 7 has 2 gates.", title="Lease contract Hall 7"),
    passage("ko", "제1홀의 임대료는 월 5백만 원입니다.", title="임대"),
    passage("ja", "1号館の食堂は11時に開きます。", title="食堂"),
    passage("de", "Halle 3 wird im August renoviert.", title="Umbau"),
    passage("v", "Version 3.10 needs 4 GB. The rule of 2024 ends in May.", title="Releases"),
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the notice period for the lease of Hall 7?", "The notice period is six months."),
        ("What is the notice period for the lease of hall 5?", "The notice period is nine months."),
        ("What is the notice period for the lease of Hall 2?", ""),
        ("What is the notice period for the lease of Hall 57?", ""),
        ("제1홀의 임대료는 얼마입니까?", "제1홀의 임대료는 월 5백만 원입니다."),
        ("제2홀의 임대료는 얼마입니까?", ""),
        ("1号館の食堂は何時に開きますか。", "1号館の食堂は11時に開きます。"),
        ("2号館の食堂は何時に開きますか。", ""),
        ("Wann wird Halle 3 renoviert?", "Halle 3 wird im August renoviert."),
        ("Wann wird Halle 2 renoviert?", ""),
        ("What does version 3.10 need?", "Version 3.10 needs 4 GB."),
        ("What does version 3.1 need?", ""),
        ("When does the rule of 2024 end?", "The rule of 2024 ends in May."),
        ("When does the rule of 2023 end?", ""),
    ],
)
def test_evidence_must_contain_number_after_noun(claude: RuleClaude, question: str, answer: str) -> None:
    assert ask(claude, question, *LEASES).answer == answer


def test_a_quantity_is_no_name() -> None:
    assert names("Can we leave 2 weeks after 14 days, for more than 30 or at least 20%?") == ()


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When does the cafe open?", "The café opens at half past seven."),
        ("How fast does the lathe turn?", "The lathe turns at 1,800 revolutions."),
        ("WHO APPROVES A PURCHASE?", "Ms Okafor approved the purchases."),
        ("Why did the backlog fall?", "The backlog fell because two people were hired."),
        ("WAS IST DAS HOTELLIMIT IN LONDON?", "Das Hotellimit in London beträgt 190 GBP."),
        ("Wie lange dauern die Prüfungen?", "Eine Prüfung dauert 40 Minuten."),
        ("런던 호텔 한도가 얼마죠?", "런던 호텔 한도는 1박에 190파운드입니다."),
        ("ｻｰﾊﾞｰの上限は?", "サーバーの上限は10台です。"),
    ],
)
def test_case_width_accents_and_endings_are_the_same_in_question_and_text(
    claude: RuleClaude, question: str, sentence: str
) -> None:
    assert ask(claude, question, LEAVE, HOTELS, passage("p", sentence)).answer == sentence


@pytest.mark.parametrize(
    "question",
    [
        'What does "Annual Leave" say?',
        "What does “annual leave” say?",
        "What does Annual Leave say?",
        "Was steht in „Annual Leave“?",
        "「Annual Leave」には何が書かれていますか?",
        "“Annual Leave”에는 어떤 내용이 있나요?",
        "What does “annual.md” say?",
    ],
)
def test_document_question_is_answered_with_first_sentences(claude: RuleClaude, question: str) -> None:
    first = passage("a", "# Annual Leave\n\nEach employee has 26 days. Five can be carried over. No more.")
    own = first.model_copy(update={"title": "Annual Leave", "document": "people/annual.md"})
    result = ask(claude, question, HOTELS, own)
    assert result.answer == "Each employee has 26 days. Five can be carried over."
    assert len(result.citations) == 2
    assert not ask(claude, question, HOTELS).answered


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which lab may visitors enter?", "Visitors may enter lab 1."),
        ("Which lab may visitors not enter?", "Visitors may not enter lab 2."),
        ("Where is smoking not allowed?", "Smoking is forbidden in the yard."),
        ("Where are dogs not allowed?", ""),
        ("What does error E-104 mean?", "The sensor is not connected."),
        ("What does error E-105 mean?", ""),
        ("How many days at home are allowed?", "Three days at home are allowed."),
        ("What is the default of ServerAliveCountMax?", "ServerAliveCountMax sets the messages. The default is 3."),
    ],
)
def test_negations_codes_and_newer_rules_are_told_apart(claude: RuleClaude, question: str, answer: str) -> None:
    rules = [
        passage("labs", "Visitors may enter lab 1. Visitors may not enter lab 2.", title="Labs"),
        passage("yard", "Smoking is allowed on the terrace. Smoking is forbidden in the yard.", title="Smoking"),
        passage("dogs", "Dogs are allowed in the hall.", title="Dogs"),
        passage("e", "## E-104\n\nThe sensor is not connected. Restart it.", title="Error codes > E-104"),
        passage("old", "Two days at home are allowed.", title="Home", date="2024-02-01"),
        passage("new", "Three days at home are allowed.", title="Home", date="2026-02-01"),
        passage("ssh", "ServerAliveCountMax sets the messages. The default is 3.", title="Settings"),
    ]
    assert ask(claude, question, *rules).answer == answer


def test_growing_answer_continues_until_every_name_is_covered(claude: RuleClaude, grader: Graders) -> None:
    both = "What are the hotel limits in Lisbon and in London?"

    def decision(so_far: str) -> str:
        return decide_continuation(
            DecideRetrievalTask(question=both, so_far=so_far), grader("decide_retrieval")
        ).verdict.decision

    assert (decision(LISBON), decision(f"{LISBON} {LONDON}")) == ("yes", "complete")
    assert ask(claude, both, HOTELS, mode="segment", so_far=LISBON).answer == LONDON
    assert not ask(claude, both, HOTELS, mode="segment", so_far=f"{LISBON} {LONDON}").answered


def test_an_option_is_chosen_that_stands_in_the_sentence_that_answers(claude: RuleClaude) -> None:
    limit = "What is the hotel limit in Lisbon?"
    assert ask(claude, limit, HOTELS, choices=["120 EUR", "150 EUR"]).answer == "150 EUR"
    assert not ask(claude, limit, HOTELS, choices=["true", "false"]).answered


def test_a_query_is_other_words_each_time_until_there_are_none(grader: Graders) -> None:
    queries = ["May I bring my old dog to the office in Lisbon?"]
    while True:
        task = RewriteQuestionTask(question=queries[0], queries=queries)
        found = rewrite_question.rewrite(task, grader("rewrite_question"))
        if not found.new:
            break
        queries.append(found.query)
    assert queries[1:] == ["bring old dog office lisbon", "office lisbon bring"]


def test_a_strip_is_kept_for_the_words_that_it_has(grader: Graders) -> None:
    text = f"{LEAVE.text} {HOTELS.text}"
    task = GradeRelevanceTask(
        question="What is the hotel limit in London?", passage=passage("p", text), lower_threshold=0.3
    )
    strips = grade_relevance.grade(task, grader("grade_relevance")).verdict.strips
    kept = "".join(text[strip.start : strip.end] for strip in strips)
    assert LONDON in kept
    assert "annual leave" not in kept


def test_every_verdict_says_that_a_rule_made_it(grader: Graders) -> None:
    question, answer = "What is the hotel limit in London?", LONDON
    verdicts = [
        decide_retrieval.decide(DecideRetrievalTask(question=question), grader("decide_retrieval")).verdict,
        decide_continuation(DecideRetrievalTask(question=question, so_far=answer), grader("decide_retrieval")).verdict,
        grade_relevance.grade(GradeRelevanceTask(question=question, passage=HOTELS), grader("grade_relevance")).verdict,
        grade_support.grade(
            GradeSupportTask(question=question, answer=answer, passages=[HOTELS]), grader("grade_support")
        ).verdict,
        grade_utility.grade(GradeUtilityTask(question=question, answer=answer), grader("grade_utility")).verdict,
    ]
    assert {verdict.judged_by for verdict in verdicts} == {"rule"}


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ({"right": ["210", "200 EUR a night"]}, "no"),
        ({"right": ["nothing", LONDON[:-1]]}, "yes"),
        ({"right": ["?"], "facts": [LONDON[:20], LONDON[-20:]]}, "yes"),
        ({"right": ["?"], "facts": [LONDON[:20], "zebra"]}, "partly"),
    ],
)
def test_answer_with_a_gold_answer_or_all_facts_is_correct(
    grader: Graders, known: dict[str, list[str]], says: str
) -> None:
    task = judge.CorrectnessTask(question="What is the hotel limit in London?", answer=LONDON, **known)
    verdict = judge.grade_correctness(task, grader("grade_support")).verdict
    assert (verdict.says, verdict.judged_by) == (says, "rule")
