"""Opens a page in headless Chromium, which writes down itself what it asked for and what the console said."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.infra.tools import needed

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Of its own accord it asks for nothing; no name is looked up, so that nothing could be reached either.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--virtual-time-budget=2000",
    "--window-size=1050,1600",
)
# INFO:CONSOLE:12] "what was said", source: file:///page.html (12)
SAID = re.compile(r':CONSOLE[:(]\d+\)?\] (".*)')


@dataclass(frozen=True)
class Opened:
    """What a page asked for (addresses) and what the console said, as the browser logged both; and a picture of it."""

    requests: list[str]
    console: list[str]
    picture: bytes


def chromium() -> str:
    """The browser's program."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return needed(found, "chromium is not installed: make install as root on Debian, or install it yourself")


def opened(page: Path, directory: Path) -> Opened:
    """Open a file as a person does who clicks on it; `directory` is an empty one for what the browser writes."""
    log, picture = directory / "requests.json", directory / "page.png"
    kept = (f"--user-data-dir={directory / 'profile'}", f"--log-net-log={log}", f"--screenshot={picture}")
    command = [chromium(), *FLAGS, *kept, page.resolve().as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    events = json.loads(log.read_text(encoding="utf-8"))["events"]
    asked = [event["params"]["url"] for event in events if "url" in event.get("params", {})]
    return Opened(list(dict.fromkeys(asked)), SAID.findall(done.stderr), picture.read_bytes())
