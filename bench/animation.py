"""The animation of README: an answer of which a claim is not in the documents, so that it is repaired.

A simulated model writes and judges; the page, the workflow and the search are the real ones.
"""

import io
import json
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image

from tests.e2e.test_serve import served
from tests.support.command import Command
from tests.support.doubles.model_server import ModelServer
from tests.support.page.browsing import Tab, browsing

PICTURE = Path(__file__).parents[1] / "docs" / "page-repair.webp"
QUESTION = "How long is parental leave, and how is it paid?"
DOCUMENT = "people/parental-leave.md"
TRUE = "Each parent receives 18 weeks of parental leave at full pay."
FALSE = "The leave can be extended to 26 weeks at half pay."
# The moments that are shown of the work: a step, and which of its requests has come.
GATES = ("generate 1", "grade_support 1", "generate 2")
_WIDTH, _HEIGHT, _SECONDS = 1120, 640, 60
# The page polls twice a second; in milliseconds.
_SETTLED = 1500


class Story(ModelServer):
    """A model whose first answer makes an unsupported claim; requests at a gate wait until the frame is captured."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = {
            "grade_relevance": self._relevance,
            "generate": self._answer,
            "grade_support": self._support,
            "grade_utility": lambda body: {"reason": "It says how long the leave is and how it is paid.", "score": 5},
        }
        self.gates = {gate: threading.Event() for gate in GATES}

    def is_at(self, gate: str) -> bool:
        """Return whether a request waits at a gate: a step, and which of its requests."""
        step, _, number = gate.partition(" ")
        return self.counts[step] >= int(number) and not self.gates[gate].is_set()

    def _relevance(self, body: dict[str, Any]) -> dict[str, Any]:
        relevant = "18 weeks" in json.dumps(body)
        reason = "It states the length and the pay." if relevant else "It is about something else."
        return {"reason": reason, "score": 0.95 if relevant else 0.1}

    def _answer(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the sentence that a passage says, cited, and at first one that none says."""
        self.gates["generate 2" if self.counts["grade_support"] else "generate 1"].wait(_SECONDS)
        results = [block for block in body["messages"][0]["content"] if block["type"] == "search_result"]
        at, block = next((at, block) for at, block in enumerate(results) if "18 weeks" in json.dumps(block))
        number = next(number for number, part in enumerate(block["content"]) if "18 weeks" in part["text"])
        citation = {
            "type": "search_result_location",
            "cited_text": block["content"][number]["text"],
            "source": block["source"],
            "title": block["title"],
            "search_result_index": at,
            "start_block_index": number,
            "end_block_index": number + 1,
        }
        sentences = [TRUE] if self.counts["grade_support"] else [TRUE + " ", FALSE]
        return [{"type": "text", "text": sentence, "citations": [citation]} for sentence in sentences]

    def _support(self, body: dict[str, Any]) -> dict[str, Any]:
        self.gates["grade_support 1"].wait(_SECONDS)
        claims = [{"claim": TRUE, "support": "full", "passages": [1], "missing": ""}]
        if FALSE in json.dumps(body):
            claims.append({"claim": FALSE, "support": "none", "passages": [], "missing": "an extension to 26 weeks"})
        return {"claims": claims}


class Camera:
    """Pictures of a page, and how long each is shown, in milliseconds."""

    def __init__(self, tab: Tab) -> None:
        self._tab, self._pictures, self._durations = tab, list[Image.Image](), list[int]()

    def take(self, milliseconds: int) -> None:
        """Take a screenshot of the page."""
        self._pictures.append(Image.open(io.BytesIO(self._tab.picture())).convert("RGB"))
        self._durations.append(milliseconds)

    def write(self, path: Path) -> None:
        """Write an animation of the pictures that runs for ever."""
        first, *others = self._pictures
        first.save(path, save_all=True, append_images=others, duration=self._durations, loop=0, quality=80, method=6)


def main() -> None:
    """Write docs/page-repair.webp."""
    with TemporaryDirectory() as home, Story() as model, browsing() as tab:
        environment = (("ANTHROPIC_BASE_URL", model.url), ("ANTHROPIC_API_KEY", "simulated"))
        with served(Command(Path(home), environment)) as url:
            _play(tab, url, model, Camera(tab))


def _play(tab: Tab, url: str, model: Story, camera: Camera) -> None:
    tab.open(f"{url}/", _WIDTH)
    tab.page.set_viewport_size({"width": _WIDTH, "height": _HEIGHT})
    tab.until("document.querySelectorAll('#examples button').length")
    for end in (10, 25, len(QUESTION)):
        tab.write("#question", QUESTION[:end])
        camera.take(300)
    tab.press("Enter")
    for gate in GATES:
        while not model.is_at(gate):
            tab.page.wait_for_timeout(100)
        tab.page.wait_for_timeout(_SETTLED)
        camera.take(1800)
        model.gates[gate].set()
    tab.until("document.querySelector('.feedback')")
    tab.page.locator(".said").first.click()
    tab.until("document.querySelector('#source mark')")
    camera.take(3500)
    tab.click(".checked > summary")
    tab.run("document.querySelector('.checked').scrollIntoView()")
    camera.take(4000)
    camera.write(PICTURE)


def run() -> None:
    """Run the command."""
    main()
