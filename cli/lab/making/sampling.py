"""A sample of passages to make questions from, spread over the documents."""

import random
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from selfrag.domain.passages import Passage
from selfrag.text.east_asian import RUN

# What is shorter is a heading, or holds no fact to ask about; a letter of Chinese, Japanese or Korean says as much as
# about three of English.
LEAST_LETTERS = 80
_LETTERS_OF_ONE = 3


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
