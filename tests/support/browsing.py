"""A person at a page: headless Chromium, told by its DevTools protocol over a pipe what to click and what to write.

https://chromedevtools.github.io/devtools-protocol/; messages are JSON, each with a zero byte behind it.
"""

import base64
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import F_DUPFD, fcntl
from itertools import count
from pathlib import Path
from typing import Any

from tests.support.browser import chromium
from tests.support.infra.tools import ROOT, needed

AXE = ROOT / "tests/support/accessibility/node_modules/axe-core/axe.min.js"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
SECONDS = 60.0
# The browser reads at descriptor 3 and writes at 4.
START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)


class Tab:
    """One page; `requests` are the addresses that it asked, `said` what the console has of errors and refusals."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing, self._numbers, self._left = reading, writing, count(1), b""
        self._session: dict[str, str] = {}
        self.requests: list[str] = []
        self.said: list[str] = []
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = {"sessionId": self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.tell(f"{domain}.enable")

    def tell(self, method: str, **params: Any) -> dict[str, Any]:
        """What the browser replies to one command."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params, **self._session}
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while (came := self._next()).get("id") != number:
            self._hear(came)
        assert "error" not in came, (method, came)
        result: dict[str, Any] = came["result"]
        return result

    def open(self, url: str, width: int = 1280, dark: bool = False) -> None:
        """Open an address in a window of this width."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.tell("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setEmulatedMedia", features=[scheme])
        self.tell("Page.navigate", url=url)
        self.until(f"location.href.startsWith({json.dumps(url)}) && document.readyState === 'complete'")

    def reload(self) -> None:
        """Open the same page anew."""
        self.tell("Page.reload")
        while (came := self._next()).get("method") != "Page.loadEventFired":
            self._hear(came)

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        done = self.tell("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def until(self, condition: str) -> Any:
        """The value of an expression as soon as it is true."""
        look = f"const found = (() => {{ try {{ return {condition}; }} catch {{ return null; }} }})();"
        again = "found ? done(found) : setTimeout(look, 50);"
        return self.run(f"new Promise((done) => {{ const look = () => {{ {look} {again} }}; look(); }})")

    def click(self, selector: str) -> None:
        """Click in the middle of an element, with the mouse."""
        where = self.run(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.scrollIntoView({{block: "
            "'center'}); const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / "
            "2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.tell("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)

    def write(self, selector: str, text: str) -> None:
        """Click into a field and write."""
        self.click(selector)
        self.tell("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press a key such as Tab or Enter."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27}
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.tell("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes[key], **text)

    def drop(self, selector: str, file: Path) -> None:
        """Drag a file from elsewhere over an element and let it go."""
        where = self.run(f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().toJSON()")
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.tell("Input.dispatchDragEvent", type=kind, x=where["x"] + 20, y=where["y"] + 20, data=data)

    def picture(self) -> bytes:
        """What is seen, as PNG."""
        return base64.b64decode(self.tell("Page.captureScreenshot")["data"])

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the view by WCAG 2.2 A and AA."""
        self.run(Path(needed(AXE, "axe-core is not installed: make install")).read_text(encoding="utf-8") + "; null")
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
        found = self.run(
            f"axe.run({{runOnly: {json.dumps(tags)}}}).then((found) => found.violations.map((one) => "
            "`${one.id}: ${one.nodes.map((node) => node.html).join(' ')}`))"
        )
        return list(found)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._reading], [], [], SECONDS)
            assert ready, f"the browser said nothing for {SECONDS:g} s; the console: {self.said}"
            came = os.read(self._reading, 1 << 20)
            assert came, "the browser has ended"
            self._left += came
        message, _, self._left = self._left.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told

    def _hear(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif event.get("method") == "Log.entryAdded" and params["entry"]["source"] != "network":
            self.said.append(params["entry"]["text"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.said.append(str(params["exceptionDetails"]))
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.said.append(str(params["args"]))
        elif event.get("method") == "Page.javascriptDialogOpening":
            self.said.append(f"a dialog: {params['message']}")


@contextmanager
def browsing(profile: Path) -> Iterator[Tab]:
    """A tab of a browser that keeps what it writes in this folder and ends with the block."""
    to_read, writing = os.pipe()
    reading, to_write = os.pipe()
    # Neither end may have a number that the browser's own are moved to.
    theirs, our = (fcntl(end, F_DUPFD, 10) for end in (to_read, to_write))
    begun = [sys.executable, "-c", START, str(theirs), str(our)]
    command = [*begun, chromium(), *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe"]
    process = subprocess.Popen(command, pass_fds=(theirs, our), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    for end in (to_read, to_write, theirs, our):
        os.close(end)
    try:
        yield Tab(reading, writing)
    finally:
        process.terminate()
        process.wait(30)
        os.close(reading)
        os.close(writing)
