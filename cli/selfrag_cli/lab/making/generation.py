"""`selfrag questions`: from a directory of documents to a first set of questions."""

import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean

from selfrag.bootstrap import questions
from selfrag.domain.calls import price_of
from selfrag.domain.errors import BudgetExceeded, TemporarilyUnavailable
from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import CANDIDATES, best
from selfrag.ports.prompts import Prompt, load_prompt
from selfrag.runtime.settings import Settings, read
from selfrag.text.east_asian import RUN
from selfrag_cli.lab.making.checks import Kind, Made
from selfrag_cli.lab.making.writer import STEP, Piece, Search, Writer
from selfrag_cli.local.backends import chosen_backends
from selfrag_cli.local.index import local_parts, open_embedder, open_index
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.stack import opened_stores

KINDS: tuple[Kind, ...] = ("single_fact", "several_facts", "follow_up", "unanswerable")
# So many passages are looked at for an answer to a question that is to have none.
FOUND = 5
# Of so many tries for a question one brings it, or there are fewer.
TRIES = 2
# Bytes of a token in a mean of languages, and the tokens of a question that is written.
_BYTES, _TOKENS = 3, 150


# What is shorter is a heading, or holds no fact to ask about; a letter of Chinese, Japanese or Korean says as much as
# about three of English.
LEAST_LETTERS = 80
_LETTERS_OF_ONE = 3


@dataclass
class Outcome:
    """The questions made, the reasons for dropped tries, and the reason for an early end, if any."""

    made: list[Made] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    ended: str = ""


def make(
    kinds: Sequence[Kind], count: int, pieces: Iterable[Piece], writer: Writer, seed: int, tell: Callable[[int], None]
) -> Outcome:
    """Make as many questions as are wanted, or as the passages give; kinds take turns, in an order by chance."""
    outcome, seen = Outcome(), set[tuple[str, ...]]()
    turns = _in_turn(kinds, seed)
    for tried, piece in enumerate(pieces):
        if len(outcome.made) == count or tried == TRIES * count:
            break
        try:
            made = writer.make(next(turns), piece)
        except (BudgetExceeded, TemporarilyUnavailable) as error:
            outcome.ended = str(error)
            break
        if isinstance(made, Made) and made.questions in seen:
            made = "it is asked already"
        if isinstance(made, Made):
            seen.add(made.questions)
            outcome.made.append(made)
        else:
            outcome.dropped[made] += 1
        tell(len(outcome.made))
    return outcome


def _in_turn(kinds: Sequence[Kind], seed: int) -> Iterator[Kind]:
    """Yield the kinds, each once in every round, in an order by chance."""
    rng = random.Random(seed)  # noqa: S311 (an order, no secret)
    while True:
        yield from rng.sample(kinds, len(kinds))


def sampled(passages: Sequence[Passage], seed: int) -> Iterator[tuple[Passage, Passage | None]]:
    """Yield each passage that is long enough, with another one of its document if there is one.

    Documents take turns, their passages by chance: the same seed gives the same order for the same documents.
    """
    rng = random.Random(seed)  # noqa: S311 (a choice of passages, no secret)
    by_document: dict[str, list[Passage]] = defaultdict(list)
    for passage in sorted(passages, key=lambda one: (one.document, one.passage_id)):
        if _weight(passage.text) >= LEAST_LETTERS:
            by_document[passage.document].append(passage)
    documents = list(by_document.values())
    rng.shuffle(documents)
    for found in documents:
        rng.shuffle(found)
    places = deque((found, 0) for found in documents)
    while places:
        found, at = places.popleft()
        yield found[at], found[(at + 1) % len(found)] if len(found) > 1 else None
        if at + 1 < len(found):
            places.append((found, at + 1))


def _weight(text: str) -> int:
    return len(text) + (_LETTERS_OF_ONE - 1) * sum(map(len, RUN.findall(text)))


def passages_of(place: Place) -> list[Passage]:
    """Return all passages of a place that is in step."""
    return open_index().all_of(place.collection)


def estimated_usd(kinds: Sequence[Kind], count: int, passages: Sequence[Passage]) -> float | None:
    """Estimate the dollars of so many questions, each written at the first try; None if the price is unknown."""
    settings = read(Settings)
    price = price_of(settings.models[STEP], settings.prices)
    if price is None or not passages:
        return None
    one = fmean(len(passage.text.encode()) for passage in passages)
    to_write, to_answer = (len(prompt.text.encode()) for prompt in prompts())
    checks = count * ("unanswerable" in kinds) / len(kinds)
    read_bytes = count * (to_write + 1.25 * one) + checks * (to_answer + FOUND * one)
    return (read_bytes / _BYTES * price[0] + (count + checks) * _TOKENS * price[1]) / 1_000_000


def prompts() -> tuple[Prompt, Prompt]:
    """Load the prompts to write a question, and to look for an answer."""
    return load_prompt(__name__, "write.md"), load_prompt(__name__, "answer.md")


@contextmanager
def writer_for(place: Place, max_cost: float | None) -> Iterator[Writer]:
    """Give the writer that the settings name, over the stores of the home."""
    with (
        chosen_backends(place) as backends,
        opened_stores(backends.environment, backends.secrets, {**local_parts(), **backends.parts}),
    ):
        yield Writer(questions.model(STEP), prompts(), _searching(place), max_cost)


def _searching(place: Place) -> Search:
    index, embedder, bounds = open_index(), open_embedder(), Bounds([place.collection])

    def search(question: str) -> list[Passage]:
        vector = embedder.query(question)
        return best(index.search(question, vector, CANDIDATES, bounds), FOUND, embedder.spread_floor)

    return search
