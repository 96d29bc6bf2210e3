"""The notes of a walk through a site: what was not read and why, in a sentence for each reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_SHOWN = 3


@dataclass(frozen=True)
class Limits:
    """The bounds of a walk: links from the first page, addresses that are asked for, and bytes in all (in millions)."""

    depth: int = 10
    pages: int = 500
    megabytes: int = 200


@dataclass
class Notes:
    """Counts, and addresses by what became of them.

    `asked` are all that were asked for, `read` and `unchanged` documents. `left` were not asked for because of
    `Limits.pages` or `megabytes`, `deeper` because of `depth`; `dead` were linked and are not there, `gone` were
    documents before.
    """

    asked: int = 0
    read: int = 0
    unchanged: int = 0
    redirects: int = 0
    moved: str = ""
    forbidden: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    deeper: list[str] = field(default_factory=list)

    def summary(self, size: int) -> str:
        """Return the counts in one line; `size` is what came in all, in bytes."""
        return (
            f"{self.asked} addresses asked for: {self.read} read ({size / 1e6:.1f} MB), {self.unchanged} unchanged, "
            f"{self.redirects} redirects"
        )

    def sentences(self, limits: Limits, delay: float, waited: Sequence[float]) -> Iterator[str]:
        """Yield a sentence for each reason; `delay` and `waited` are the seconds that the site has asked for."""
        if self.moved:
            yield self.moved
        if delay:
            yield f"robots.txt asks for {delay:g} s between two requests, and got them."
        if waited:
            yield f"The site was busy and asked to wait: {_times(len(waited))}, {sum(waited):g} s in all."
        for addresses, what in (
            (self.forbidden, "not read, because robots.txt forbids it"),
            (self.elsewhere, "not read, because it leads to another site"),
            (self.dead, "linked and not there"),
            (self.gone, "gone from the site, and removed"),
            (self.copies, "read once, because another address has the same content"),
            (self.left, f"not asked for: --pages {limits.pages} and --megabytes {limits.megabytes} are the limits"),
            (self.deeper, f"not asked for: more than --depth {limits.depth} links away from the first page"),
        ):
            if addresses:
                yield f"{_number(addresses)} {what}: {_listed(addresses)}."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _number(addresses: Sequence[str]) -> str:
    return "1 address was" if len(addresses) == 1 else f"{len(addresses)} addresses were"


def _listed(addresses: Sequence[str]) -> str:
    more = f" and {len(addresses) - _SHOWN} more" if len(addresses) > _SHOWN else ""
    return ", ".join(addresses[:_SHOWN]) + more
