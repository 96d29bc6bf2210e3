"""Failures look like failures, give advice, and are retried by a click or when the network is back."""

from typing import Any

from playwright.sync_api import expect

from tests.e2e.page.test_languages import choose_language
from tests.support.page.browsing import Tab
from tests.support.page.replies import replying
from tests.support.page.said import response_of, saying_each

QUESTION = "What does a berth cost?"


def asked(tab: Tab, question: str = QUESTION) -> None:
    tab.write("#question", question)
    tab.press("Enter")


def test_failed_question_is_asked_again_in_its_own_turn(tab: Tab) -> None:
    with saying_each(["Fact."]) as url:
        tab.open(url)
        problem = {"status": 503, "detail": "The service is busy.", "hint": "Wait a moment."}
        tab.page.route("**/v1/ask", lambda route: route.fulfill(status=503, json=problem))
        asked(tab)
        failure = tab.page.locator(".failure")
        expect(failure).to_contain_text("The service is busy. Wait a moment.")
        assert tab.run("getComputedStyle(document.querySelector('.failure .bad'), '::before').content").startswith('"⚠')
        assert tab.violations() == []
        failure.get_by_role("button", name="Try again").click()
        expect(failure).to_contain_text("busy")
        tab.page.unroute("**/v1/ask")
        failure.get_by_role("button", name="Try again").click()
        expect(tab.page.locator(".answer")).to_contain_text("Fact.")
        assert tab.run("[turns.length, document.querySelectorAll('.turn').length, byId('question').value]") == [
            1,
            1,
            "",
        ]


def test_unsent_question_is_retried_once_when_the_network_is_back(tab: Tab) -> None:
    sent: list[Any] = []
    with saying_each(["Fact."]) as url:
        tab.open(url)
        tab.page.context.set_offline(True)
        asked(tab)
        expect(tab.page.locator(".failure")).to_contain_text("It is tried again when the connection is back.")
        tab.page.locator(".failure").get_by_role("button", name="Try again").click()
        expect(tab.page.locator(".failure")).to_be_visible()
        tab.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
        tab.page.context.set_offline(False)
        expect(tab.page.locator(".answer")).to_contain_text("Fact.")
        assert len(sent) == 1
        assert tab.run("turns.length") == 1


def test_accepted_question_is_polled_and_not_sent_twice(tab: Tab) -> None:
    sent: list[Any] = []
    tab.page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    with saying_each(["Fact."]) as url:
        tab.open(url)
        tab.page.route("**/v1/questions/*", lambda route: route.fulfill(status=500, json={"detail": "Broken."}))
        tab.page.route("**/events", lambda route: route.fulfill(status=404, json={"status": 404}))
        asked(tab)
        expect(tab.page.locator(".failure")).to_contain_text("Broken.")
        tab.page.unroute_all()
        tab.page.get_by_role("button", name="Try again").click()
        expect(tab.page.locator(".answer")).to_contain_text("Fact.")
        assert len(sent) == 1


def test_an_answer_that_failed_has_a_way_on(tab: Tab) -> None:
    with replying({**response_of("Fact."), "status": "failed", "question": QUESTION, "citations": []}) as url:
        tab.open(f"{url}/#q0")
        expect(tab.page.locator(".failure")).to_contain_text("That failed.")
        tab.page.get_by_role("button", name="Try again").click()
        expect(tab.page.locator(".turn")).to_have_count(2)
        expect(tab.page.locator(".asked").last).to_have_text(QUESTION)


def test_unacceptable_file_is_refused_before_upload(tab: Tab) -> None:
    sent: list[str] = []
    tab.page.on("request", lambda request: sent.append(request.url) if request.method != "GET" else None)
    big, most = 11 * 1024 * 1024 + 200_000, 10 * 1024 * 1024
    files = {
        "plan.png": 5, "Scan.HEIC": 5, "~$plan.docx": 162, ".~lock.plan.odt#": 5, "big.pdf": big, "more.md": most + 1,
        "empty.md": 0, "old.doc": 5, "slides.key": 5, "all.zip": 5, "tool.exe": 5, "README": 5, ".hidden.md": 5,
        "a\u2028b.md": 5, f"{'漢' * 90}.md": 5,
    }  # fmt: skip
    expected = [
        "Pictures are not read.", "Pictures are not read.", "This is the lock file of an open document.",
        "This is the lock file of an open document.", "11.2 MB; 10 MB is the limit.", "10.1 MB; 10 MB is the limit.",
        "The file is empty.", ".doc is not read. Save it as .docx.", ".key is not read. Save it as .pptx / PDF.",
        "Archives are not read. Add the files in it.", ".exe is not read. These are: .csv .docx",
        "A folder, or a file without an ending such as .pdf, is not read.",
        *["This name cannot be used. Rename the file."] * 3,
    ]  # fmt: skip
    with saying_each(["c/a.md"]) as url:
        tab.open(f"{url}/#documents")
        tab.until("document.querySelector('[data-id]')")
        accepted = tab.run("byId('files').accept").split(",")
        assert {".pdf", ".docx", ".md"} <= set(accepted)
        assert not {".png", ".doc"} & set(accepted)
        take = "(files) => take(files.map(([name, size]) => new File([new Uint8Array(size)], name)))"
        tab.page.evaluate(take, list(files.items()))
        rows = tab.page.locator("#uploads li")
        expect(rows).to_have_count(len(files))
        said = rows.locator(".bad:not(strong)").all_inner_texts()[::-1]
        assert [text.startswith(start) for text, start in zip(said, expected, strict=True)] == [True] * len(files), said
        assert rows.locator("strong").all_inner_texts() == ["not taken"] * len(files)
        assert tab.violations() == []
        for language, text in (("ja", "画像は読み取れません。"), ("ko", "그림은 읽지 않습니다.")):
            choose_language(tab, language)
            tab.page.evaluate(take, [["plan.png", 5]])
            expect(rows.first).to_contain_text(text)
        assert sent == []
        tab.page.evaluate(take, [["good.MD", most]])
        expect(rows.first).not_to_contain_text("받지 않음")
        assert len(sent) == 1
