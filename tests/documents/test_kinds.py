"""In whatever way a document holds an answer, one passage holds it whole, and a quote of it says where it stands."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.answers import Citation
from selfrag.domain.documents import Document
from selfrag.domain.passages import Bounds, Passage, embedded_text
from selfrag.domain.steps import GenerateTask
from selfrag.ingestion.split_document.logic import SplitDocumentTask as ToSplit
from selfrag.ingestion.split_document.logic import split_into_batches
from selfrag.ports.index import IndexEntry
from selfrag.question.generate.logic import generate
from selfrag.retrieval.search import CANDIDATES
from selfrag.text.sentences import split_around
from selfrag_cli.local.index import open_embedder, open_index
from tests.documents.kinds import ASKED, TEMPTING, Asked, documents
from tests.support.best_passages import best
from tests.support.fakes import PROMPT, FakeClaude, FakeWork, cited

pytestmark = pytest.mark.long

TOP_K = 4  # as policy has it by default


def passages_of(document: Document) -> list[Passage]:
    """Return what SplitDocument hands on of a document."""
    work = FakeWork(d=asdict(document))
    task = ToSplit(key=document.key, document_id=document.key, collection="c", generation="g", document_key="d")
    batches = split_into_batches(task, work).batches
    return [Passage.model_validate(each) for batch in batches for each in work.get_json(batch.passages_key)]


@pytest.fixture(scope="module", autouse=True)
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """All documents in the laptop's index, with its own vectors."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("SELFRAG_HOME", str(home))
        passages = [passage for document in documents() for passage in passages_of(document)]
        vectors = open_embedder().passages([embedded_text(each.title, each.text) for each in passages])
        open_index().add([IndexEntry(each, vector) for each, vector in zip(passages, vectors, strict=True)])
        yield home


def found(question: str) -> list[Passage]:
    """Return what Retrieve finds for a question."""
    return best(open_index().search(question, open_embedder().query(question), CANDIDATES, Bounds(["c"])), TOP_K)


def holding(asked: Asked, passages: list[Passage]) -> Passage:
    """Return the passage that holds all that an answer rests on."""
    whole = [each for each in passages if all(word in embedded_text(each.title, each.text) for word in asked.words)]
    assert whole, [each.text for each in passages]
    return whole[0]


def quoted(passage: Passage, words: tuple[str, ...]) -> Citation:
    """The citation of an answer that rests on the fewest blocks with these words, as the model would cite them."""
    stretches = split_around(passage.text, [(row.start, row.end) for row in passage.rows])
    blocks = [passage.text[start:end] for start, end in stretches]
    ranges = [
        (a, b) for b in range(1, len(blocks) + 1) for a in range(b) if all(w in "".join(blocks[a:b]) for w in words)
    ]
    start, end = min(ranges, key=lambda each: each[1] - each[0])
    model = FakeClaude([cited("So it is.", 0, start, end)])
    return generate(GenerateTask(question="?", passages=[passage]), model, PROMPT).citations[0]


@pytest.mark.parametrize("kind", ASKED)
def test_found_passage_holds_subject_and_value_and_citation_locates_it(kind: str) -> None:
    asked = ASKED[kind]
    passage = holding(asked, found(asked.question))
    citation = quoted(passage, asked.words)
    assert passage.document == asked.document
    assert (citation.locator, citation.page) == (asked.place, asked.page)
    assert not [word for word in asked.others if word in citation.quote]
    assert citation.quote in passage.text


@pytest.mark.parametrize("kind", [kind for kind in ASKED if "row" in kind])
def test_a_number_is_cited_by_its_row_and_not_by_the_table(kind: str) -> None:
    asked = ASKED[kind]
    value: Any = asked.words[-1:]
    quote = quoted(holding(asked, found(asked.question)), value).quote
    assert all(word in quote for word in asked.words)
    assert "\n" not in quote


@pytest.mark.parametrize("kind", TEMPTING)
def test_misleading_value_is_found_with_its_own_subject(kind: str) -> None:
    asked = TEMPTING[kind]
    assert holding(asked, found(asked.question)).document == asked.document
