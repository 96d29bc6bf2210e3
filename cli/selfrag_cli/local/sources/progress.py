"""The progress of an ingestion, from the events of its documents."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from selfrag_cli.local.sources.comparison import Comparison
from selfrag_cli.local.sources.place import Place
from selfrag_cli.pace import Reading

# Called with each moment of an ingestion; only if something is to be done.
OnDocument = Callable[[Reading], None]
# The work of a document beside its text, in letters: a workflow runs for it.
_EACH = 500


@dataclass(frozen=True)
class Event:
    """An event of a document: it begins, is split, works on a passage (from 1), has embedded passages, or ends.

    `letters` are those of all its passages, once it is split; `passages` and `embedded` are the passages that were
    embedded just now, and their letters.
    """

    key: str
    passage: int = 0
    letters: int | None = None
    passages: int = 0
    embedded: int = 0
    ended: bool = False


class Progress:
    """Counts documents that are read apart from those that are removed, and names one at a time.

    The work is counted in letters. Those of a document are known when it is split; until then they are estimated from
    its bytes, by the documents of the same ending that are split already: a page of HTML is half markup.
    """

    def __init__(self, place: Place, comparison: Comparison, tell: OnDocument) -> None:
        self._place, self._tell, self._gone = place, tell, frozenset(comparison.gone)
        self._total = len(comparison.todo)
        self.read = self._removed = self._passages = self._letters = self._letters_left = 0
        self._ended: set[str] = set()
        # In the order in which they were begun; the first one is named until it ends.
        self._at_work: dict[str, str] = {}
        self._bytes = {path: comparison.files.size(path) for path in comparison.todo}
        self._unsplit = Counter[str]()
        for path, size in self._bytes.items():
            self._unsplit[_ending(path)] += size
        self._split_bytes, self._split_letters = Counter[str](), Counter[str]()
        # Of each document that is split: the letters that are not embedded yet.
        self._left: dict[str, int] = {}

    def __call__(self, event: Event) -> None:
        """Take in an event of a document, and tell."""
        path = self._place.path_of(event.key)
        # A batch of a document that has failed may still be at work.
        if path in self._ended:
            return
        self._at_work[path] = f"{path}, passage {event.passage}" if event.passage > 1 else path
        self._passages += event.passages
        if event.letters is not None or event.ended:
            self._measure(path, event.letters or 0)
        self._embed(path, event.embedded)
        if event.ended:
            self._end(path)
        self._tell(self._reading(path))

    def _measure(self, path: str, letters: int) -> None:
        """Count the letters of a document in place of its bytes."""
        size = self._bytes.pop(path, None)
        if size is None:
            return
        ending, self._left[path] = _ending(path), letters
        self._unsplit[ending] -= size
        # Nothing is learned from a document that could not be read.
        if letters:
            self._split_bytes[ending] += size
            self._split_letters[ending] += letters
            self._letters_left += letters

    def _embed(self, path: str, letters: int) -> None:
        self._left[path] = self._left.get(path, 0) - letters
        self._letters += letters
        self._letters_left -= letters

    def _end(self, path: str) -> None:
        # What was not embedded of it never will be.
        self._letters_left -= self._left.pop(path)
        del self._at_work[path]
        self._ended.add(path)
        self.read += path not in self._gone
        self._removed += path in self._gone

    def _reading(self, path: str) -> Reading:
        unsplit = sum(size * self._share(ending) for ending, size in self._unsplit.items())
        letters = self._letters + _EACH * self.read
        left = self._letters_left + _EACH * (self._total - self.read) + round(unsplit)
        name = next(iter(self._at_work.values()), path)
        return Reading(self.read, self._total, name, self._passages, letters, left, self._removed)

    def _share(self, ending: str) -> float:
        """Return the letters of a byte, by the documents of this ending, else by all, that are split already."""
        if self._split_bytes[ending]:
            return self._split_letters[ending] / self._split_bytes[ending]
        size = self._split_bytes.total()
        return self._split_letters.total() / size if size else 1.0


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lower()
