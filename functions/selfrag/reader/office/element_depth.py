"""Elements of XML that are left out with all that they hold, as it streams by."""


class ElementDepth:
    """Counts how deep the element is that is open."""

    def __init__(self) -> None:
        self.depth = 0
        self._from = 0  # the depth of the element that is being skipped; 0 if none is

    @property
    def on(self) -> bool:
        """Return whether what comes is left out."""
        return self._from > 0

    def enter(self) -> None:
        """An element begins."""
        self.depth += 1

    def skip(self, depth: int = 0) -> None:
        """Leave out the open element of this depth, the innermost if none is given; one around it stays left out."""
        self._from = self._from or depth or self.depth

    def leave(self) -> bool:
        """The element ends; gives whether it was left out."""
        self.depth -= 1
        was = self.on
        if self.depth < self._from:
            self._from = 0
        return was
