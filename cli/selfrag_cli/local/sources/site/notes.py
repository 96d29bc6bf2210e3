"""The notes of a walk through a site: what was not read and why, in a sentence for each reason."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum

_SHOWN = 3


@dataclass(frozen=True)
class SiteLimits:
    """The bounds of a walk: links from the first page, addresses that are requested, and bytes in all (in millions)."""

    depth: int = 10
    pages: int = 500
    megabytes: int = 200


class Reason(StrEnum):
    """The reasons for which an address is no document, in the order in which they are shown."""

    FORBIDDEN = "not read, because robots.txt forbids it"
    ELSEWHERE = "not read, because it leads to another site"
    DEAD = "linked and not there"
    GONE = "gone from the site, and removed"
    COPY = "read once, because another address has the same content"
    LEFT = "not requested: --pages {pages} and --megabytes {megabytes} are the limits"
    DEEPER = "not requested: more than --depth {depth} links away from the first page"


@dataclass
class Notes:
    """Counts of addresses, and by reason those that are no documents; `moved` says where the site is."""

    requested: int = 0
    read: int = 0
    unchanged: int = 0
    redirects: int = 0
    moved: str = ""
    addresses: dict[Reason, list[str]] = field(default_factory=lambda: {reason: [] for reason in Reason})

    def summary(self, size: int) -> str:
        """Return the counts in one line; `size` is what came in all, in bytes."""
        return (
            f"{self.requested} addresses requested: {self.read} read ({size / 1e6:.1f} MB), {self.unchanged} "
            f"unchanged, {self.redirects} redirects"
        )

    def sentences(self, limits: SiteLimits, delay: float, waits: list[float]) -> Iterator[str]:
        """Yield a sentence for each reason; `delay` and `waits` are the seconds that the site has asked for."""
        if self.moved:
            yield self.moved
        if delay:
            yield f"robots.txt asks for {delay:g} s between two requests, and got them."
        if waits:
            times = "once" if len(waits) == 1 else f"{len(waits)} times"
            yield f"The site was busy and asked to wait: {times}, {sum(waits):g} s in all."
        for reason, addresses in self.addresses.items():
            if addresses:
                number = "1 address was" if len(addresses) == 1 else f"{len(addresses)} addresses were"
                more = f" and {len(addresses) - _SHOWN} more" if len(addresses) > _SHOWN else ""
                shown = ", ".join(addresses[:_SHOWN])
                yield f"{number} {reason.format(**asdict(limits))}: {shown}{more}."
