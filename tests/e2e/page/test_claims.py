"""The verdicts stand in the answer's own sentences, a draft is marked as one, and the device keeps questions alone."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Route, expect

from tests.support.page.browsing import Tab
from tests.support.page.replies import AT_WORK, STEP, opened, replying
from tests.support.page.said import response_of, saying_each

SENTENCES = ["A berth costs 34 euros a night. ", "Dogs are welcome on all piers. ", "The crane lifts 90 tonnes."]
ANSWER = "".join(SENTENCES)
# The claims in a judge's words.
CLAIMS = {
    "A guest berth costs 34 euros a night": "full",
    "Dogs are welcome on piers": "partial",
    "The crane lifts 90 tonnes": "none",
}


def cited(quote: str, end: int) -> dict[str, Any]:
    return {"passage_id": quote, "document": "harbour/rules.md", "quote": quote, "heading": "Berths", "page": None,
            "answer_span": [0, end], "before": "It is so. ", "after": ""}  # fmt: skip


def support() -> dict[str, Any]:
    claims = [{"claim": claim, "support": said, "passage_ids": [], "missing": ""} for claim, said in CLAIMS.items()]
    return {"level": "partially_supported", "claims": claims, "judged_by": "model"}


def response() -> dict[str, Any]:
    first, second = len(SENTENCES[0]) - 1, len(SENTENCES[0] + SENTENCES[1]) - 1
    said = {**response_of("Fact."), "answer": ANSWER, "citations": [cited("34 euros", first), cited("Dogs", second)]}
    said["reflection"]["support"] = support()
    return said


def test_a_sentence_shows_what_its_claim_is_worth_and_lights_its_quote(tab: Tab) -> None:
    with replying(response()) as url:
        opened(tab, url)
        answer = tab.page.locator(".answer")
        expect(answer.locator(".said.partial")).to_have_text("Dogs are welcome on all piers.")
        expect(answer.locator(".said.out")).to_have_text(SENTENCES[2])
        assert "(partly supported)" in tab.run("document.querySelector('.answer').textContent"), "for who sees no dots"
        expect(tab.page.locator(".evidence")).to_contain_text("1 of 3 claims supported")
        answer.locator(".said.partial").hover()
        expect(tab.page.locator("#source mark")).to_have_text("Dogs")
        expect(answer.locator(".said.lit")).to_contain_text(SENTENCES[1].strip())
        assert tab.violations() == []


WRAPPED = [
    ("On January 1st of each year the term of any member\n      who has served more than 42 months is set to expire.",
     "On January 1st of each year the term of any member who has served more than 42 months is set to expire."),
    ("Every berth is given out by the harbour master at noon\n\nThe crane lifts boats.", None),
    ("Every berth is given out by the harbour master at noon.\nThe crane lifts boats of up to 12 tonnes.", None),
    ("The harbour is open in the following months of the year\n- May\n2. June", None),
    ("Guest berth for one night in summer    34 EUR\nGuest berth for one night in winter    20 EUR", None),
    ("    result = compute_the_price_of_a_berth(length, nights)\n    return result", None),
]  # fmt: skip


def test_wrapped_lines_are_joined_but_not_those_of_tables_and_code(tab: Tab) -> None:
    with replying(response()) as url:
        tab.open(url)
        for text, joined in WRAPPED:
            for at in (0, 20, 60):
                parts = tab.page.evaluate("(parts) => unwrapped(parts)", [text[:at], text[at:], ""])
                assert "".join(parts) == (joined or text)
                assert parts[0] == text[:at].replace("\n      ", " ")
        said = response()
        said["citations"][0] |= {"before": "It is so. ", "quote": WRAPPED[0][0], "after": ""}
        quote = tab.page.evaluate("(one) => quoteOf(one).querySelector('mark').textContent", said["citations"][0])
        assert quote == WRAPPED[0][1]


def test_claim_is_labelled_by_keyboard_and_earlier_label_is_shown(tab: Tab) -> None:
    with replying(response()) as url:
        opened(tab, url)
        sent: list[Any] = []

        def keep(route: Route) -> None:
            sent.append(route.request.post_data_json)
            route.fulfill(json={"id": "q0"})

        tab.page.route("**/feedback", keep)
        tab.page.locator(".checked > summary").click()
        of_dogs = tab.page.get_by_label("Do the sources say so? Dogs are welcome on piers")
        assert of_dogs.locator("option").all_text_contents() == [
            "Do the sources say so?", "supported", "✓ partly supported", "not supported", "contradicted",
        ]  # fmt: skip
        before = of_dogs.bounding_box()
        of_dogs.focus()
        tab.page.keyboard.type("s")
        expect(tab.page.locator("#told")).to_have_text("Thank you. Your feedback is saved.")
        assert of_dogs.bounding_box() == before
        tab.page.get_by_label("Do the sources say so? The crane").select_option("unsupported")
        tab.page.get_by_role("button", name="Useful", exact=True).click()
        expect(tab.page.locator(".feedback .good")).to_be_visible()
        labels = [{"claim": 1, "label": "supported"}, {"claim": 2, "label": "unsupported"}]
        assert [said["useful"] for said in sent] == [None, None, True]
        assert [said["claims"] for said in sent] == [labels[:1], labels, labels]
        assert tab.violations() == []


def test_tapped_sentence_opens_its_source_as_a_sheet_on_a_phone(tab: Tab) -> None:
    with replying(response()) as url:
        opened(tab, url, 390)
        source = tab.page.locator("#source")
        expect(source).to_be_hidden()
        tab.page.locator(".said.partial").click()
        expect(source.locator("mark")).to_have_text("Dogs")
        expect(source).to_contain_text("Source 2 of 2")
        tab.press("Escape")
        expect(source).to_be_hidden()


def test_a_source_names_the_documents_that_hold_copies_of_it(tab: Tab) -> None:
    said = response()
    said["citations"][0] |= {"copies": ["memo-2.md", "<i>memo-3.md"], "copy_count": 5}
    with replying(said) as url:
        opened(tab, url)
        tab.page.locator(".cite").first.click()
        expect(tab.page.locator("#source .copies")).to_have_text("Also in 5 copies: memo-2.md, <i>memo-3.md, …")
        tab.page.locator("#source").get_by_role("button", name="Next").click()
        expect(tab.page.locator("#source .copies")).to_have_count(0)


def test_a_draft_is_shown_at_once_and_marked_as_not_checked(tab: Tab) -> None:
    draft = {"answer": ANSWER, "citations": [cited("34 euros", 10)], "support": None}
    trace = [{**STEP, "state": "Generate"}, {**STEP, "state": "GradeSupport", "finished": False}]
    view = {**AT_WORK, "trace": trace, "draft": draft}
    with replying(response(), view) as url:
        tab.open(f"{url}/#q0")
        expect(tab.page.locator(".draft")).to_have_text(ANSWER)
        expect(tab.page.locator(".drafted")).to_contain_text("Not checked yet")
        expect(tab.page.locator(".stages [aria-current]")).to_have_text("Checking claims")
    with replying(response(), {**view, "draft": {**draft, "support": support()}}) as url:
        tab.open(f"{url}/#q0")
        expect(tab.page.locator(".drafted .said.partial")).to_be_visible()
        expect(tab.page.locator(".drafted")).to_contain_text("Checked")


def test_stopped_question_is_no_longer_polled_and_keeps_its_link(tab: Tab) -> None:
    with replying(response(), {**AT_WORK, "trace": []}) as url:
        tab.open(f"{url}/#q0")
        tab.page.get_by_role("button", name="Stop").click()
        expect(tab.page.locator(".turn")).to_contain_text("Stopped here.")
        assert tab.run("document.querySelector('.turn a').getAttribute('href')") == "#q0"
        assert tab.run("turns.length") == 0


def test_the_device_keeps_questions_to_find_and_to_forget_and_no_answer(tab: Tab) -> None:
    with saying_each(["A fact.", "Another one."]) as url:
        for number in (0, 1):
            tab.open(f"{url}/#case-{number}")
            tab.reload()
            tab.until("turns.length")
        [kept] = tab.run("Object.values(localStorage)")
        assert [set(one) for one in json.loads(kept)] == [{"question", "id", "day", "thread"}] * 2
        tab.page.get_by_role("button", name="History").click()
        rows = tab.page.locator("#asked-before li")
        expect(rows).to_have_count(2)
        tab.page.get_by_label("Find a question").fill("another")
        expect(rows).to_have_count(1)
        rows.get_by_role("link").click()
        tab.until("turns[0]?.response.id === 'case-1'")
        tab.page.get_by_role("button", name="History").click()
        tab.page.get_by_role("button", name="Forget all").click()
        tab.page.get_by_role("button", name="Really delete?").click()
        assert tab.run("JSON.parse(Object.values(localStorage)[0])") == []


def test_answer_is_copied_with_sources_and_shared_by_an_opaque_link(tab: Tab) -> None:
    with replying(response()) as url:
        opened(tab, url)
        tab.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }; null")
        tab.page.get_by_role("button", name="Copy").click()
        source = "harbour/rules.md › Berths"
        marked = f"{SENTENCES[0][:-1]} [1] {SENTENCES[1][:-1]} [2] {SENTENCES[2]}"
        assert tab.until("window.copied") == f"{marked}\n\n[1] {source}\n[2] {source}"
        tab.page.get_by_role("button", name="Share").click()
        tab.until(f"window.copied === '{url}/#q0'")


def test_filtered_abstention_can_be_asked_again_without_filter(tab: Tab) -> None:
    sent: list[Any] = []
    tab.page.on("request", lambda request: sent.append(request.post_data_json) if request.method == "POST" else None)
    with replying({**response(), "status": "abstained", "citations": []}) as url:
        tab.open(url)
        tab.page.get_by_text("Search options").click()
        tab.page.get_by_label("Tags").fill("harbour")
        tab.page.get_by_label("Your question").fill("What does a berth cost?")
        tab.press("Enter")
        tab.page.get_by_role("button", name="Search without filters").click()
        expect(tab.page.locator(".turn")).to_have_count(2)
        expect(tab.page.locator(".turn").last.get_by_role("button", name="Useful", exact=True)).to_be_visible()
        expect(tab.page.get_by_role("button", name="Search without filters")).to_have_count(0)
    assert [(one["question"], one["filters"]) for one in sent] == [
        ("What does a berth cost?", {"tags": ["harbour"]}),
        ("What does a berth cost?", {}),
    ]


def test_an_abstention_lets_the_nearest_passages_be_read_in_place(tab: Tab) -> None:
    near = [{"passage_id": name, "document": f"harbour/{name}.md", "heading": "Piers", "text": f"The {name} is long."}
            for name in ("pier", "quay")]  # fmt: skip
    with replying({**response(), "status": "abstained", "citations": [], "nearest": near}) as url:
        opened(tab, url)
        expect(tab.page.get_by_text("The pier is long.")).to_be_visible()
        expect(tab.page.get_by_text("The quay is long.")).to_be_hidden()
        tab.page.get_by_text("quay.md").click()
        expect(tab.page.get_by_text("The quay is long.")).to_be_visible()
        expect(tab.page.get_by_role("button", name="Add a document")).to_be_visible()
        assert tab.violations() == []


DOCUMENTS = [{"id": f"{at:032}", "key": f"c/{at}.md", "collection": "c", "status": "ready", "title": f"T{at}"}
             for at in range(120)]  # fmt: skip


def listing(tab: Tab, **more: Any) -> None:
    """Have the API list 120 documents, page by page, and give a link to each."""

    def reply(route: Route) -> None:
        asked = parse_qs(urlsplit(route.request.url).query)
        if route.request.url.endswith("/original"):
            route.fulfill(json={"url": "/originals/token", "expires_at": "2026-01-01T00:00:00Z"})
        else:
            begin, limit = int(asked.get("cursor", ["0"])[0]), int(asked["limit"][0])
            cursor = str(begin + limit) if begin + limit < len(DOCUMENTS) else None
            page = DOCUMENTS[begin : begin + limit]
            route.fulfill(json={"documents": page, "collections": ["c"], "cursor": cursor, **more})

    tab.page.route("**/v1/documents**", reply)


def test_page_shows_document_count_and_missing_model(tab: Tab) -> None:
    with replying(response()) as url:
        listing(tab, notice="No model is connected.")
        tab.open(url)
        expect(tab.page.locator("#invitation")).to_have_text("Ask your 120 documents")
        expect(tab.page.locator("#notice")).to_contain_text("set ANTHROPIC_API_KEY")
        tab.page.unroute_all()
        listing(tab)
        tab.reload()
        expect(tab.page.locator("#invitation")).to_have_text("Ask your 120 documents")
        expect(tab.page.locator("#notice")).to_be_empty()


def test_the_file_behind_a_source_is_downloaded_by_a_link(tab: Tab) -> None:
    listed = {**cited("34 euros", 10), "document": "119.md", "document_id": DOCUMENTS[119]["id"]}
    cites = [listed, {**cited("Dogs", 60), "document": "https://elsewhere.example/", "document_id": None}]
    with replying({**response(), "citations": cites}) as url:
        listing(tab)
        tab.open(url)
        expect(tab.page.locator("#invitation")).to_contain_text("120")
        tab.page.get_by_label("Your question").fill("What does a berth cost?")
        tab.press("Enter")
        expect(tab.page.locator("#source")).to_contain_text("119.md")
        with tab.page.expect_download() as kept:
            tab.page.get_by_role("button", name="Download the file").click()
        assert kept.value.url == f"{url}/originals/token"
        tab.page.get_by_role("button", name="Next").click()
        expect(tab.page.get_by_role("button", name="Download the file")).to_have_count(0)
        assert tab.said == []


def test_suggested_question_comes_from_the_documents_and_is_clickable(tab: Tab) -> None:
    with replying(response()) as url:
        tab.page.route(
            "**/v1/documents*",
            lambda route: route.fulfill(
                json={
                    "documents": [
                        {"id": "d", "key": "c/b.md", "status": "ready", "suggestion": "What does a berth cost?"},
                        {"id": "e", "key": "c/old.md", "status": "ready", "title": "Old", "suggestion": None},
                    ],
                    "collections": ["c"],
                    "cursor": None,
                }
            ),
        )
        tab.open(url)
        expect(tab.page.locator("#invitation")).to_have_text("Ask your 2 documents")
        expect(tab.page.locator("#examples button")).to_have_text(["What does a berth cost?"])
        tab.page.get_by_role("button", name="What does a berth cost?").click()
        expect(tab.page.locator(".asked")).to_have_text("What does a berth cost?")


def test_answer_without_model_shows_one_notice_and_no_zero_figures(tab: Tab) -> None:
    said = {**response(), "notice": "No model is connected: ..."}
    for name in ("retrieve", "support"):
        said["reflection"][name] = {**said["reflection"][name], "judged_by": "rule"}
    step = {
        "model": "",
        "calls": 0,
        "started": 0.0,
        "seconds": 0.0,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_usd": 0.0,
    }
    said["usage"] = {**said["usage"], "cost_usd": 0.0, "by_step": {"generate": step}}
    with replying(said) as url:
        opened(tab, url)
        tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        text = tab.run("document.querySelector('.turn').innerText")
        assert text.count("No model is connected") == 1
        assert "0.0 sec" not in text
        assert "0.00 sec" not in text
        assert "$0.0000" not in text
