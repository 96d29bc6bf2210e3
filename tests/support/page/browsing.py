"""A person at a page: Chromium, whose clicks and input Playwright controls.

Playwright brings no browser here: it drives Debian's (chromium-headless-shell), which `make install` installs.
"""

import atexit
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright

from tests.support.infra.tools import ROOT, needed

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")

AXE = ROOT / "tests/support/accessibility/node_modules/axe-core/axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# No name is looked up, so that nothing elsewhere could be reached.
FLAGS = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]
SECONDS = 60.0


class Tab:
    """One page; `requests` are the requested addresses, `said` the console's errors and refusals."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._browser = page.context.new_cdp_session(page)
        self.requests: list[str] = []
        self.said: list[str] = []
        page.set_default_timeout(1000 * SECONDS)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("console", self._hear)
        page.on("dialog", self._refuse)

    def tell(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the reply to a command of the DevTools protocol, for features that Playwright lacks."""
        return self._browser.send(method, params)

    def open(self, url: str, width: int = 1280, dark: bool = False) -> None:
        """Open an address in a window of this width."""
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.emulate_media(color_scheme="dark" if dark else "light")
        self.page.goto(url)

    def reload(self) -> None:
        """Open the same page anew."""
        self.page.reload()

    def run(self, script: str) -> Any:
        """Return the value of an expression in the page; a promise is waited for."""
        return self.page.evaluate(script)

    def until(self, condition: str) -> Any:
        """Wait until an expression is true, and return its value."""
        found = self.page.wait_for_function(f"() => {{ try {{ return {condition}; }} catch {{ return null; }} }}")
        return found.json_value()

    def click(self, selector: str) -> None:
        """Click in the middle of an element, with the mouse."""
        self.page.locator(selector).first.click()

    def write(self, selector: str, text: str) -> None:
        """Write into a field."""
        self.page.locator(selector).fill(text)

    def press(self, key: str) -> None:
        """Press a key such as Tab or Enter."""
        self.page.keyboard.press(key)

    def drop(self, selector: str, file: Path) -> None:
        """Drag a file from elsewhere over an element and let it go."""
        box = self.page.locator(selector).bounding_box()
        assert box
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.tell("Input.dispatchDragEvent", type=kind, x=box["x"] + 20, y=box["y"] + 20, data=data)

    def picture(self) -> bytes:
        """Return a screenshot as PNG."""
        return self.page.screenshot()

    def violations(self) -> list[str]:
        """Return what axe-core finds wrong with the view by WCAG 2.2 A and AA."""
        self.page.evaluate(Path(needed(AXE, "axe-core is not installed: make install")).read_text(encoding="utf-8"))
        found = self.page.evaluate("(tags) => axe.run({runOnly: tags}).then((found) => found.violations)", WCAG)
        return [f"{one['id']}: {' '.join(node['html'] for node in one['nodes'])}" for one in found]

    def _hear(self, message: ConsoleMessage) -> None:
        # Replies other than 2xx are logged like errors of the page.
        if not message.text.startswith("Failed to load resource"):
            self.said.append(message.text)

    def _refuse(self, dialog: Dialog) -> None:
        self.said.append(f"a dialog: {dialog.message}")
        dialog.dismiss()


@cache
def _browser() -> Browser:
    """Return the one browser of a process: its start takes as long as a test."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    program = needed(program, "chromium is not installed: make install as root on Debian, or install it yourself")
    playwright = sync_playwright().start()
    atexit.register(playwright.stop)
    return playwright.chromium.launch(executable_path=program, args=FLAGS)


@contextmanager
def browsing() -> Iterator[Tab]:
    """Yield a tab with an empty profile, whose storage is deleted at the end of the block."""
    context = _browser().new_context()
    yield Tab(context.new_page())
    context.close()
