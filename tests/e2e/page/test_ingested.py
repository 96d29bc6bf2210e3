"""Hostile files as they come: read by the real ingestion, answered by the real workflow, shown by the page."""

import pytest

from tests.e2e.test_serve import WRITABLE, served
from tests.support.command import Command
from tests.support.infra.tools import ROOT
from tests.support.page.browsing import Tab

pytestmark = pytest.mark.long
LOOK = (ROOT / "tests/support/page/inspected.js").read_text(encoding="utf-8")
LIFTS = "The harbour crane lifts 12 tonnes <script>window.ran=1</script> <svg onload=window.ran=1> \u202eand no more."
FILES = {
    "<img src=x onerror=window.ran=1>.txt": f"<script>window.ran=1</script>\n\n{LIFTS}\n",
    "\u202efdp.exe.txt": "A guest berth costs 34 euros a night. [here](javascript:window.ran=1)\n",
    "</script><script>window.ran=1<": "",
    "'\"><b onclick=window.ran=1>.pdf": "no PDF",
    "letters.txt": "a" * 100_000,
}


def test_hostile_files_are_read_asked_about_and_listed_as_text(tab: Tab, fresh: Command) -> None:
    directory = fresh.home / "notes"
    directory.mkdir()
    for name, text in FILES.items():
        (directory / name.replace("/", "\u2215")).write_text(text, encoding="utf-8")
    with served(fresh, *WRITABLE) as url:
        tab.open(url.link, 390)
        tab.run(f"{LOOK}; null")
        tab.write("#question", "How much does the harbour crane lift?")
        tab.press("Enter")
        tab.until("document.querySelector('.feedback')")
        tab.run("document.querySelectorAll('.turn details').forEach((one) => { one.open = true; })")
        assert "<script>window.ran=1</script>" in tab.run("document.querySelector('.answer').textContent")
        assert "<img src=x onerror=window.ran=1>.txt" in tab.run("document.querySelector('.cards').textContent")
        assert tab.run("inspected(byId('turns'))") == []
        tab.click("#show-documents")
        tab.until("document.querySelector('[data-id]')")
        names = tab.run("document.querySelector('#list').textContent")
        assert "[U+202E]fdp.exe.txt" in names
        assert "<b onclick=window.ran=1>.pdf" in names
        assert tab.run("inspected(byId('list'))") == []
        assert tab.said == []
        assert {address.split("/")[2] for address in tab.requests if address.startswith("http")} == {url.split("/")[2]}
