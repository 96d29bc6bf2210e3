"""How far an ingestion is, from what is told of its documents."""

from collections.abc import Callable
from itertools import accumulate

from cli.local.index import KeptEmbedder
from cli.local.place import Place
from cli.local.sources.comparison import Comparison
from cli.pace import Reading

# Called with how far it is; only if something is to be done.
OnDocument = Callable[[Reading], None]
# What a document takes beside what it holds, in bytes of text: a workflow is run for it.
_EACH = 500


class Telling:
    """Tells how far it is: documents that are read, apart from those that are removed, and one name at a time."""

    def __init__(self, place: Place, comparison: Comparison, embedding: KeptEmbedder, on_document: OnDocument) -> None:
        self._place, self._embedding, self._tell = place, embedding, on_document
        self._gone = frozenset(comparison.gone)
        self._total, self._before = len(comparison.todo), embedding.asked
        self._read = self._removed = 0
        self._ended: set[str] = set()
        # In the order in which they were begun; the first one is told of, until it ends.
        self._at_work: dict[str, int] = {}
        # Documents are begun in this order, so the first ones are those that are done, or nearly so.
        sizes = (_EACH + comparison.files.size(path) for path in comparison.todo)
        self._upto = [0, *accumulate(sizes)]

    def __call__(self, key: str, passage: int, ended: bool) -> None:
        """Take in what a document has come to."""
        path = self._place.path_of(key)
        # A batch of a document that has failed may still be at work.
        if path in self._ended:
            return
        self._at_work[path] = passage
        if ended:
            del self._at_work[path]
            self._ended.add(path)
            self._read += path not in self._gone
            self._removed += path in self._gone
        first, at = next(iter(self._at_work.items()), (path, 0))
        name = first + (f", passage {at}" if at > 1 else "")
        share = self._upto[self._read] / (self._upto[-1] or 1)
        passages = self._embedding.asked - self._before
        self._tell(Reading(self._read, self._total, name, passages, share, self._removed))
