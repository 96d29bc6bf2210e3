"""The check by code: a changed number, date or name is never accepted, and a copied sentence always is."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.passages import Passage
from selfrag.ingestion.split_document.logic import split
from selfrag.question.grade_support.evidence import AnswerEvidence
from selfrag.question.grade_support.facts import facts_of
from selfrag.reader.readers import parse
from selfrag.text.sentences import split_sentences
from selfrag_cli.sample import HANDBOOK
from tests.support.fakes import passage

DOCS = Path(__file__).parents[4] / "docs"
PAGE = (DOCS / "architecture.md").read_text(encoding="utf-8")
WORDS = st.sampled_from(["the", "fee", "course", "Lisbon", "Quayside", "office", "is", "paid", "by", "of", "up to"])
NUMBERS = st.integers(0, 99_999).map(lambda number: f"{number:,}")
PARTS = st.one_of(WORDS, NUMBERS, st.sampled_from(["EUR", "%", "days", "31 March", "form HR-08", "on 2026-01-31"]))
SENTENCES = st.lists(PARTS, min_size=1, max_size=12).map(lambda parts: f"{' '.join(parts)} x.")


@given(st.lists(st.one_of(SENTENCES, st.text(max_size=40)), min_size=1, max_size=6), st.data())
def test_a_claim_that_is_copied_from_a_passage_always_passes(texts: list[str], data: st.DataObject) -> None:
    whole = " ".join(texts)
    for sentence in [said for said in split_sentences(whole) if facts_of(said).vocabulary or facts_of(said).facts]:
        assert stands_in(sentence, [passage(text="Another text."), passage(text=whole)]), sentence


@given(SENTENCES, st.lists(SENTENCES, max_size=4), st.lists(WORDS, max_size=5), NUMBERS, st.data())
def test_a_number_that_no_passage_has_is_never_let_through(
    begins: str, others: list[str], ends: list[str], number: str, data: st.DataObject
) -> None:
    said = " ".join([begins[:-1], number, *ends, "y."])
    changed = data.draw(NUMBERS.filter(lambda each: not re.search(rf"(?<![\d,]){each}(?![\d,])", f"{said} {others}")))
    claim = " ".join([begins[:-1], changed, *ends, "y."])
    assert stands_in(said, [passage(text=" ".join([*others, said]))])
    assert not stands_in(claim, [passage(text=" ".join([*others, said]))])


def stands_in(claim: str, passages: Sequence[Passage]) -> bool:
    return AnswerEvidence(passages).holds(claim)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The budget is 1,800 EUR.", "The budget is €1800."),
        ("The budget is 1 800 EUR.", "The budget is 1,800 euros."),
        ("The grant is 10万円です。", "The grant is 100,000円です。"),
        ("The company pays 80 percent.", "The company pays 80% of it."),
        ("Probation lasts four months.", "Probation lasts 4 months."),
        ("It takes twenty-five days.", "It takes 25 days."),
        ("A certificate from the fourth day.", "A certificate from the 4th day."),
        ("It begins on 31 January 2026.", "It begins on 2026-01-31."),
        ("It begins on 31 January 2026.", "It begins on January 31, 2026."),
        ("It begins on 31 January 2026.", "It begins on 31.1.2026."),
        ("It begins on 31 January 2026.", "It begins in January 2026."),
        ("手当は月額５，０００円です。", "手当は月額5,000円です。"),
        ("期間は三週間です。", "期間は3週間です。"),
        ("令和８年４月１日から適用します。", "2026年4月1日から適用します。"),
        ("宿泊費は、1泊21,000円を上限とします。", "The limit is JPY 21,000 for 1 night."),
        ("Die Frist endet am 31.01.2026.", "The deadline ends on 31 January 2026."),
        ("Quaysideで申請します。", "Staff applies in Quayside."),
        ("Leave is requested in Quayside. It takes 5 days.", "In Quayside it takes 5 days."),
    ],
)
def test_the_same_fact_in_another_notation_passes(text: str, claim: str) -> None:
    assert stands_in(claim, [passage(text=text)])


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("The limit is 12 days.", "The limit is 14 days."),
        ("The limit is 12 working days.", "The limit is 12 days."),
        ("The limit is 12 days.", "The limit is 12 weeks."),
        ("It costs 20 EUR.", "It costs 20 USD."),
        ("It costs 20 EUR.", "It costs 20%."),
        ("It begins on 31 January 2026.", "It begins on 31 January 2027."),
        ("It begins on 31 January.", "It begins on 31 January 2026."),
        ("It begins on 1/2/2026.", "It begins on 2/1/2026."),
        ("Closed from 27 to 31 December.", "Closed from 31 to 27 December."),
        ("The limit is 5 in Lisbon. The limit is 7 in Tallinn.", "The limit is 7 in Lisbon."),
        ("Lisbon pays 120 EUR and Tallinn 110 EUR.", "Lisbon pays 110 EUR and Tallinn 120 EUR."),
        ("TR-2 was replaced by TR-5.", "TR-5 was replaced by TR-2."),
        ("Leave is requested in Quayside. The form is HR-08.", "The form is Quayside."),
        ("The office in Lisbon is open.", "Tallinn is open."),
        ("The office of Tallinn closes. In Lisbon it is open.", "The office of Lisbon closes."),
        ("神戸オフィスの社員が対象です。", "大阪オフィスの社員が対象です。"),
        ("パスワードは16文字以上とします。", "カードは16文字以上とします。"),
        ("手当は五千円です。", "手当は六千円です。"),
        ("宿泊費は、1泊21,000円を上限とします。", "The limit is JPY 22,000 for 1 night."),
        ("宿泊費を支給します。", "The stay is paid for."),
        ("Die Kosten trägt die Firma.", "Zwrot kosztów wypłaca firma."),
        ("It is 3.", "It is -3."),
        ("The ratio is 1.800.", "The ratio is 1.8."),
    ],
)
def test_another_fact_or_none_to_compare_is_a_doubt(text: str, claim: str) -> None:
    assert not stands_in(claim, [passage(text=text)])


def test_only_the_named_passages_count_and_titles_name_what_they_are_about() -> None:
    lisbon = passage(text="The limit is 120 EUR.", title="Hotels > Lisbon", heading="Lisbon")
    assert stands_in("The limit in Lisbon is 120 EUR.", [lisbon])
    assert not stands_in("The limit in Tallinn is 120 EUR.", [lisbon])
    assert not stands_in("The limit is 120 EUR.", [])


Change = Callable[[str, str], Iterator[str]]
NUMBER = re.compile(r"(?<![\w-])\d[\d,]*(?:[.:]\d+)?|(?<=[\u3040-\u9fff])\d[\d,]*")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w-]+|[\u30a1-\u30fa\u30fc]{2,}")
MONTHS = "January February March April May June July August September October November December"


def copied(sentence: str, text: str) -> Iterator[str]:
    yield sentence


def numbers(sentence: str, text: str) -> Iterator[str]:
    """Yield the sentence with each of its numbers one higher, or as another number of the passage."""
    for found in NUMBER.finditer(sentence):
        higher = re.sub(r"\d(?!.*\d)", lambda digit: str((int(digit[0]) + 1) % 10), found[0])
        for other in {higher, *NUMBER.findall(text)} - {found[0]}:
            yield sentence[: found.start()] + other + sentence[found.end() :]


def names(sentence: str, text: str) -> Iterator[str]:
    """Yield the sentence with each of its names replaced by another name of the passage."""
    months = set(MONTHS.split())
    for found in NAME.finditer(sentence):
        for other in set(NAME.findall(text)) - months - {found[0]}:
            if found[0] not in months:
                yield sentence[: found.start()] + other + sentence[found.end() :]


def dates(sentence: str, text: str) -> Iterator[str]:
    """Yield the sentence with each of its months and years as the next one."""
    months = MONTHS.split()
    for found in re.finditer(rf"{'|'.join(months)}|\b20\d\d|\d+(?=月)", sentence):
        said = found[0]
        later = str(int(said) + 1) if said.isdigit() else months[(months.index(said) + 1) % 12]
        yield sentence[: found.start()] + later + sentence[found.end() :]


@pytest.mark.parametrize(
    ("change", "share"),
    [(copied, 1.0), (numbers, 0.0), (dates, 0.0), (names, 0.0)],
    ids=["copied", "another number", "another date", "another name"],
)
def test_handbook_sentences_pass_and_altered_facts_are_doubted(
    change: Change, share: float, record_property: Callable[[str, str], None]
) -> None:
    passed = [
        stands_in(claim, [found])
        for found in _handbook()
        for sentence in split_sentences(found.text)
        if sentence.rstrip().endswith((".", "。"))
        for claim in change(sentence, found.text)
        # "two" instead of "2" is not a change.
        if change is copied or facts_of(claim) != facts_of(sentence)
    ]
    through = sum(passed) / len(passed)
    record_property("figures", f"{len(passed):,} claims, {through:.1%} let through, {1 - through:.1%} in doubt")
    assert through == share
    named = {copied: "copied", numbers: "another number", dates: "another date", names: "another name"}[change]
    assert f"| {named} | {len(passed):,} | {through:.1%} |" in PAGE


def _handbook() -> list[Passage]:
    """Return the passages of the sample handbook."""
    files = [(file.relative_to(HANDBOOK).as_posix(), file.read_bytes()) for file in sorted(HANDBOOK.rglob("*.*"))]
    return [
        passage(f"{key}-{n}", piece.text, document=key, title=piece.title, heading=piece.heading)
        for key, content in files
        for n, piece in enumerate(split(parse(key, content)))
    ]


ROWS = [
    "office: Kobe; capacity: 12",
    "office: Lisbon; capacity: 40",
    "term: 30 days. Then it ends. Or it goes on for 7 days.",
]


def of_rows() -> Passage:
    text = "\n".join(ROWS)
    starts = [text.index(row) for row in ROWS]
    rows = [{"start": start, "end": start + len(row)} for start, row in zip(starts, ROWS, strict=True)]
    return passage(text=text, title="Offices", rows=rows)


@pytest.mark.parametrize("claim", ["Kobe has an office with a capacity of 12.", "Lisbon has a capacity of 40.", *ROWS])
def test_claim_stated_by_row_passes(claim: str) -> None:
    assert stands_in(claim, [of_rows()])


@pytest.mark.parametrize(
    "claim", ["Kobe has an office with a capacity of 40.", "Lisbon has a capacity of 12.", "term is 12 days."]
)
def test_a_number_of_another_row_is_not_let_through(claim: str) -> None:
    assert not stands_in(claim, [of_rows()])


def test_a_row_does_not_borrow_a_name_from_the_row_before_it() -> None:
    text = "Kobe: open.\nThe capacity of the office is 40"
    apart = [{"start": 0, "end": 11}, {"start": 12, "end": len(text)}]
    claim = "The capacity of the office in Kobe is 40."
    assert stands_in(claim, [passage(text=text, title="")])
    assert not stands_in(claim, [passage(text=text, title="", rows=apart)])
