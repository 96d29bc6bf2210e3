"""Which passages questions are made from: a few of each document in turn, and of each script in turn."""

import random
import unicodedata
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence

from selfrag.domain.passages import Passage
from selfrag.text.east_asian import RUN

# What is shorter is a heading, or holds no fact to ask about; a letter of Chinese, Japanese or Korean says as much as
# about three of English.
LEAST_LETTERS = 80
_LETTERS_OF_ONE = 3


def spread(passages: Sequence[Passage], seed: int) -> Iterator[tuple[Passage, Passage | None]]:
    """Each passage that is long enough, with another one of its document if there is one.

    Scripts take turns, within one its documents, and within one its passages by chance: the same seed gives the same
    order for the same documents.
    """
    rng = random.Random(seed)  # noqa: S311 (a choice of passages, no secret)
    scripts: dict[str, dict[str, list[Passage]]] = defaultdict(lambda: defaultdict(list))
    for passage in sorted(passages, key=lambda one: (one.document, one.passage_id)):
        if _weight(passage.text) >= LEAST_LETTERS:
            scripts[script_of(passage.text)][passage.document].append(passage)
    turns = deque(_in_turn(list(documents.values()), rng) for _, documents in sorted(scripts.items()))
    while turns:
        found = next(turns[0], None)
        if found is None:
            turns.popleft()
            continue
        turns.rotate(-1)
        yield found


def script_of(text: str) -> str:
    """The script that most of a text is in, in Unicode's word; of the East Asian ones the language's name."""
    runs = "".join(RUN.findall(text))
    letters = Counter(unicodedata.name(letter, "?").split()[0] for letter in RUN.sub("", text) if letter.isalpha())
    if _LETTERS_OF_ONE * len(runs) > letters.total():
        names = {unicodedata.name(letter, "?").split()[0] for letter in runs}
        return "japanese" if names & {"HIRAGANA", "KATAKANA"} else "korean" if "HANGUL" in names else "chinese"
    return letters.most_common(1)[0][0].lower() if letters else "none"


def _in_turn(documents: list[list[Passage]], rng: random.Random) -> Iterator[tuple[Passage, Passage | None]]:
    """The passages of documents, of which one follows the other."""
    rng.shuffle(documents)
    left = deque(documents)
    for passages in left:
        rng.shuffle(passages)
    places = deque((passages, 0) for passages in left)
    while places:
        passages, at = places.popleft()
        yield passages[at], passages[(at + 1) % len(passages)] if len(passages) > 1 else None
        if at + 1 < len(passages):
            places.append((passages, at + 1))


def _weight(text: str) -> int:
    return len(text) + (_LETTERS_OF_ONE - 1) * sum(map(len, RUN.findall(text)))
