"""`selfrag questions`: from a directory of documents to a first set of questions."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, cycle, zip_longest
from typing import get_args

from selfrag.bootstrap import questions
from selfrag.domain.errors import BudgetExceeded, TemporarilyUnavailable
from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import CANDIDATES, best
from selfrag.text.east_asian import RUN
from selfrag_cli.lab.drafting.drafts import Kind, QuestionDraft
from selfrag_cli.lab.drafting.writer import STEP, QuestionWriter
from selfrag_cli.local.backends import chosen_backends
from selfrag_cli.local.index import local_parts, open_embedder, open_index
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.stack import opened_stores

# A passage, and another one of its document.
Piece = tuple[Passage, Passage | None]
# The number of passages in which an answer is looked for to a question that is to have none.
PASSAGES = 5
# The most tries for each question.
TRIES = 2
# A shorter passage is a heading, or holds no fact to ask about; a letter of Chinese, Japanese or Korean says as much
# as about three of English.
LEAST_LETTERS = 80
_EAST_ASIAN_WEIGHT = 3
_SEED = 1


@dataclass
class DraftingResult:
    """The drafts, the reasons for dropped tries, and the reason for an early end, if any."""

    drafts: list[QuestionDraft] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    ended: str = ""


def drafted(
    count: int, pieces: Iterable[Piece], writer: QuestionWriter, progress: Callable[[int], None]
) -> DraftingResult:
    """Draft `count` questions, or as many as the passages give; the kinds take turns."""
    outcome, seen = DraftingResult(), set[tuple[str, ...]]()
    tries = zip(range(TRIES * count), cycle(get_args(Kind)), pieces, strict=False)
    for _, kind, piece in tries:
        try:
            draft = writer.draft(kind, *piece)
        except (BudgetExceeded, TemporarilyUnavailable) as error:
            outcome.ended = str(error)
            break
        if isinstance(draft, QuestionDraft) and draft.questions in seen:
            draft = "it is asked already"
        if isinstance(draft, QuestionDraft):
            seen.add(draft.questions)
            outcome.drafts.append(draft)
        else:
            outcome.dropped[draft] += 1
        progress(len(outcome.drafts))
        if len(outcome.drafts) == count:
            break
    return outcome


def sampled(passages: Sequence[Passage]) -> Iterator[Piece]:
    """Yield each passage that is long enough, with another one of its document if there is one.

    Documents take turns, their passages by chance: the order is the same for the same documents.
    """
    rng = random.Random(_SEED)  # noqa: S311 (a choice of passages, no secret)
    by_document: dict[str, list[Passage]] = defaultdict(list)
    for passage in sorted(passages, key=lambda passage: (passage.document, passage.passage_id)):
        if _weight(passage.text) >= LEAST_LETTERS:
            by_document[passage.document].append(passage)
    documents = list(by_document.values())
    rng.shuffle(documents)
    for of_document in documents:
        rng.shuffle(of_document)
    pieces = [_with_next(of_document) for of_document in documents]
    yield from (piece for piece in chain.from_iterable(zip_longest(*pieces)) if piece)


def _with_next(passages: Sequence[Passage]) -> list[Piece]:
    if len(passages) == 1:
        return [(passages[0], None)]
    return list(zip(passages, [*passages[1:], passages[0]], strict=True))


def _weight(text: str) -> int:
    return len(text) + (_EAST_ASIAN_WEIGHT - 1) * sum(map(len, RUN.findall(text)))


def passages_of(place: Place) -> list[Passage]:
    """Return all passages of a place that is in step."""
    return open_index().all_of(place.collection)


@contextmanager
def writer_for(place: Place, max_cost: float | None) -> Iterator[QuestionWriter]:
    """Yield the writer that the settings name, over the stores of the home."""
    with (
        chosen_backends(place) as backends,
        opened_stores(backends.environment, backends.secrets, {**local_parts(), **backends.parts}),
    ):
        index, embedder, bounds = open_index(), open_embedder(), Bounds([place.collection])

        def search(question: str) -> list[Passage]:
            vector = embedder.query(question)
            return best(index.search(question, vector, CANDIDATES, bounds), PASSAGES, embedder.spread_floor)

        yield QuestionWriter(questions.model(STEP), search, max_cost)
