"""The page in Chromium: how long until something is seen of it, until a draft is and until the answer is."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from tests.bench.api.server import no_time, usual_pace
from tests.bench.serving import Served, served
from tests.support.page.browsing import Tab, browsing

SAMPLES = 10
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


@dataclass(frozen=True)
class Appearance:
    """An appearance on the page: what, with which model, and after how many seconds."""

    what: str
    model: str
    median_seconds: float
    least_seconds: float
    most_seconds: float


def appearances() -> Iterator[Appearance]:
    """First contentful paint (W3C, Paint Timing) from the request on; the draft and the answer from Enter on."""
    with served() as at, browsing() as tab:
        painted = []
        for _ in range(SAMPLES):
            tab.open(at.url)
            painted.append(tab.until(PAINTED) / 1000)
        yield _of("first paint", "", painted)
        for name, pace in (("usual", usual_pace), ("no time", no_time)):
            at.pace(pace)
            asked = [_asked(tab, at) for _ in range(SAMPLES)]
            yield _of("draft", name, [draft for draft, _ in asked])
            yield _of("answer", name, [answer for _, answer in asked])


def _asked(tab: Tab, at: Served) -> tuple[float, float]:
    """Return the seconds until the first words of the draft, and until the answer; of no draft those of the answer."""
    tab.open(at.url)
    tab.page.get_by_label("Your question").fill(at.question())
    began = time.perf_counter()
    tab.page.keyboard.press("Enter")
    useful = tab.page.get_by_role("button", name="Useful", exact=True)
    tab.page.locator(".drafted .said").first.or_(useful).first.wait_for()
    drafted = time.perf_counter() - began
    useful.wait_for()
    return drafted, time.perf_counter() - began


def _of(what: str, model: str, seconds: list[float]) -> Appearance:
    return Appearance(what, model, round(median(seconds), 2), round(min(seconds), 2), round(max(seconds), 2))
