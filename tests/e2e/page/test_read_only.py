"""A server that does not change its documents offers no change of them, on the page and in its API."""

import re
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import expect

from tests.e2e.test_serve import WRITABLE, served
from tests.support.command import Command
from tests.support.page.browsing import Tab


@pytest.mark.parametrize("writable", [False, True])
def test_actions_that_the_server_refuses_are_hidden(tab: Tab, tmp_path: Path, writable: bool) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "cranes.md").write_text("# Cranes\n\nThe crane lifts 90 tonnes.\n", encoding="utf-8")
    with served(Command(tmp_path), *(WRITABLE if writable else ("--docs", "notes"))) as url:
        listed = httpx2.get(f"{url}/v1/documents", headers=url.key).json()
        assert listed["writable"] is writable
        assert listed["notice"].startswith("No model is connected")
        assert re.fullmatch(r"notes(~[0-9a-f]{8})?", listed["collections"][0]), "called after its directory"
        tab.open(url.link)
        assert tab.run("location.hash") == "", "the token does not stay in the address"
        tab.page.get_by_role("button", name="Documents").click()
        row = tab.page.locator("#list tr").filter(has_text="cranes.md")
        expect(row).to_contain_text("ready")
        expect(row.get_by_role("rowheader")).to_contain_text("cranes.md")
        assert "/" not in row.get_by_role("rowheader").inner_text(), "a name, and no hash before it"
        expect(row.get_by_role("button", name="Delete")).to_have_count(int(writable))
        expect(tab.page.locator("#drop")).to_be_visible(visible=writable)
        assert "~" not in tab.run("document.body.innerText")
        expect(tab.page.get_by_text("Documents cannot be changed here.")).to_be_visible(visible=not writable)
