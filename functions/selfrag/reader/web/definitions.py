"""Lists of definitions: a term stays with what it means."""

from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from selfrag.reader.web.furniture import Facts
from selfrag.reader.web.lines import LEVEL, Lines
from selfrag.text.weight import CAPACITY


@dataclass
class _List:
    """The terms that wait for their definition, and the definitions that wait for the next term or the end.

    A definition that is `long` is written as it comes, below a heading; `above` is the heading before.
    """

    above: tuple[int, str]
    terms: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    long: bool = False
    has_begun: bool = False


class Definitions:
    """Writes each term of the lists of a page with its definitions; lists may stand within lists."""

    def __init__(self, lines: Lines, facts: dict[int, Facts]) -> None:
        self._lines = lines
        self._facts = facts
        self._lists: list[_List] = []

    def enter(self, node: LexborNode) -> None:
        """A list, a term or a definition begins."""
        if node.tag == "dl":
            self._lists.append(_List(self._lines.above))
        elif not _is_of_a_list(node):
            return
        elif node.tag == "dt":
            self._begin_term(self._lists[-1], node)
        else:
            self._begin_definition(self._lists[-1])

    def leave(self, node: LexborNode) -> None:
        """It ends."""
        if node.tag == "dl":
            self._end_group(self._lists.pop())
        elif not _is_of_a_list(node):
            return
        elif node.tag == "dt":
            self._lists[-1].terms.append(" ".join(self._lines.collected().split()))
        elif not self._lists[-1].long:
            self._lists[-1].texts.append(self._lines.collected())

    def _begin_term(self, found: _List, node: LexborNode) -> None:
        if found.has_begun:
            self._end_group(found)
        if not found.terms:
            found.long = not self._lines.collecting and self._weight(node) > CAPACITY
        self._lines.collect()

    def _begin_definition(self, found: _List) -> None:
        found.has_begun = True
        if not found.long:
            self._lines.collect()
        elif found.terms:
            self._lines.hold(LEVEL + len(self._lists) - 1, ", ".join(filter(None, found.terms)))
            found.terms = []

    def _end_group(self, found: _List) -> None:
        term = ", ".join(filter(None, found.terms)).rstrip(":：")
        text = "\n".join(filter(None, found.texts))
        if found.long and not found.terms:
            self._lines.resume(found.above)
        elif term or text:
            self._lines.writer().definition(term, text)
        found.terms, found.texts, found.long, found.has_begun = [], [], False, False

    def _weight(self, term: LexborNode) -> int:
        """Return the size of a term, those beside it and their definitions."""
        total, defined = 0, False
        node: LexborNode | None = term
        while node is not None and not (defined and node.tag == "dt"):
            defined |= node.tag == "dd"
            total += self._facts[node.mem_id].weight if node.tag in ("dt", "dd") else 0
            node = node.next
        return total


def _is_of_a_list(node: LexborNode) -> bool:
    """Return whether a term or a definition stands right in a list, or in a group of one."""
    above = node.parent
    if above is not None and above.tag == "div":
        above = above.parent
    return above is not None and above.tag == "dl"
