"""The location of a quote: the part of its document, and its rows."""

from typing import Any

import pytest

from selfrag.domain.answers import Citation
from selfrag.domain.passages import Evidence
from selfrag.domain.steps import GenerateTask
from selfrag.question.generate.citations import source_of
from selfrag.question.generate.logic import generate
from tests.support import steps
from tests.support.fakes import PROMPT, FakeClaude, cited, passage

LINES = [
    "The offices of the north.",
    *(f"office: {city}; capacity: {n}" for n, city in enumerate(["Oslo", "Bodo", "Alta"])),
]
TEXT = "\n".join(LINES)


def rows(*names: str) -> list[dict[str, Any]]:
    starts = [TEXT.index(line) for line in LINES[1:]]
    return [
        {"start": start, "end": start + len(line), "name": name}
        for start, line, name in zip(starts, LINES[1:], names, strict=True)
    ]


def citation(start: int, end: int, **place: Any) -> Citation:
    """Return the citation of these blocks: the sentence is the first, each row is one."""
    found = passage("p", TEXT, **place)
    return generate(
        GenerateTask(question="?", passages=[found]), FakeClaude([cited("So.", 0, start, end)]), PROMPT
    ).citations[0]


@pytest.mark.parametrize(
    ("start", "end", "locator"),
    [
        (0, 1, "sheet Prices"),
        (1, 2, "sheet Prices, row 14"),
        (0, 2, "sheet Prices, row 14"),
        (1, 4, "sheet Prices, rows 14 to 16"),
        (2, 4, "sheet Prices, rows 15 to 16"),
    ],
)
def test_a_citation_names_the_sheet_and_the_rows_that_it_quotes(start: int, end: int, locator: str) -> None:
    found = citation(start, end, locator="sheet Prices", rows=rows("row 14", "row 15", "row 16"))
    assert found.locator == locator
    assert found.quote == "\n".join(LINES[start:end])


@pytest.mark.parametrize(
    ("names", "locator"),
    [
        (("row 2", "row 3", "row 4"), "rows 2 to 4"),
        (("A2:B2", "A3:B3", "A4:B4"), "A2:B2 to A4:B4"),
        (("", "", ""), ""),
        (("row 2", "row 2", "row 2"), "row 2"),
    ],
    ids=["numbered", "ranges of cells", "not counted", "parts of one row"],
)
def test_a_document_without_parts_is_cited_by_its_rows_alone(names: tuple[str, ...], locator: str) -> None:
    assert citation(1, 4, rows=rows(*names)).locator == locator


def test_a_page_is_cited_by_its_label_and_opened_by_its_number() -> None:
    found = citation(0, 1, locator="page iv", page=6)
    assert (found.locator, found.page) == ("page iv", 6)


def test_a_citation_has_what_stands_around_its_quote_in_the_passage() -> None:
    found = citation(2, 3, rows=rows("row 14", "row 15", "row 16"))
    assert found.before + found.quote + found.after == TEXT
    long = passage("p", f"{'Before. ' * 100}Fact. {'After. ' * 100}".strip())
    writes = FakeClaude([cited("So.", 0, 100, 101)])
    (one,) = generate(GenerateTask(question="?", passages=[long]), writes, PROMPT).citations
    assert (one.quote, len(one.before), len(one.after)) == ("Fact.", 200, 200)
    assert f"{one.before}{one.quote}{one.after}" in long.text


def test_a_passage_of_a_release_before_is_cited_as_it_was() -> None:
    found = citation(1, 2, page=6)
    assert (found.locator, found.page, found.quote) == ("", 6, LINES[1])


def test_citation_of_a_stripped_passage_counts_only_kept_sentences() -> None:
    text = "One is one. Two is two. Three is three."
    strips = [{"start": 0, "end": 12}, {"start": 24, "end": 39}]
    task = GenerateTask.model_validate({"question": "?", "passages": [{**steps.passage("p", text), "strips": strips}]})
    second, both = (
        generate(task, FakeClaude([cited("So.", 0, start, 2)]), PROMPT).citations[0].quote for start in (1, 0)
    )
    assert second == "Three is three."
    assert both == text


def test_the_model_is_given_each_row_as_one_block() -> None:
    model = FakeClaude([cited("So.", 0, 0, 1)])
    texts = "office: Oslo. By the sea.; capacity: 12"
    found = passage("p", texts, rows=[{"start": 0, "end": len(texts), "name": "row 2"}])
    generate(GenerateTask(question="?", passages=[found]), model, PROMPT)
    assert model.sources[0].blocks == (texts,)


def evidence(**place: Any) -> Evidence:
    return Evidence.model_validate(passage("p", **place))


@pytest.mark.parametrize(
    ("place", "title"),
    [
        ({"title": "Remote work", "date": "2026-02-01"}, "Remote work, 2026-02-01"),
        ({"title": "", "date": "2026-02-01"}, "people/leave.md, 2026-02-01"),
        ({"title": "Remote work"}, "Remote work"),
        ({"title": ""}, ""),
    ],
)
def test_a_source_ends_its_title_with_the_date_of_its_document(place: dict[str, Any], title: str) -> None:
    assert source_of(evidence(**place)).title == title


def test_a_citation_names_the_documents_of_copies_and_counts_them_all() -> None:
    copies = [{"passage_id": f"c{n}", "document": name} for n, name in enumerate(["b.md", "c.md", "b.md", ""])]
    found = citation(0, 1, copies=copies)
    assert (found.copies, found.copy_count) == (["b.md", "c.md"], 4)
    assert (citation(0, 1).copies, citation(0, 1).copy_count) == ([], 0)
