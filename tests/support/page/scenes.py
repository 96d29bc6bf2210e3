"""The states of the page: for each an API that leads to it, and the clicks and keys that show it."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from werkzeug.wrappers import Request, Response

from selfrag.api.page import bundle
from selfrag.domain.answers import BY_RULE
from tests.support.loopback import Loopback
from tests.support.page.browsing import Tab

QUESTION = "How much is paid for a hotel in London, and who signs for more?"
FOLLOWED = "And in Kobe?"
HOTELS, EXPENSES = "travel/hotels-and-allowances.md", "travel/expenses.md"
SENTENCES = (
    "A hotel in London is paid up to 190 GBP per night, including taxes and without breakfast.",
    "A more expensive room needs form TV-3, signed by the department head before booking.",
    "The claim is made with form EX-1 within 30 days of the end of the trip.",
)
QUOTES = (
    (HOTELS, "Hotel limits", "The hotel limit in London is 190 GBP per night."),
    (HOTELS, "Hotel limits", "A more expensive room needs form TV-3, signed by the department head before booking."),
    (
        EXPENSES,
        "Deadline and form",
        "An expense claim must be submitted within 30 calendar days of the end of the trip.",
    ),
)
BEFORE = (
    "All limits are per room and night, including taxes and without breakfast. "
    "The hotel limit in Kobe is 18,000 JPY per night. "
)
AFTER = " In all other European cities the limit is 140 EUR per night."
MODELS = {"Plan": "", "DecideRetrieval": "claude-haiku", "Retrieve": "", "GradeRelevance": "claude-haiku",
          "Generate": "claude-sonnet", "GradeSupport": "claude-sonnet", "GradeUtility": "claude-haiku"}  # fmt: skip


def citations(sentences: tuple[str, ...] = SENTENCES) -> list[dict[str, Any]]:
    """Return a citation at the end of each sentence."""
    told, end = [], 0
    for at, (sentence, (document, heading, quote)) in enumerate(zip(sentences, QUOTES, strict=True)):
        end += len(sentence)
        place = {"document": document, "heading": heading, "page": None, "locator": ""}
        around = {"quote": quote, "before": BEFORE, "after": AFTER}
        told.append({"passage_id": f"p{at}", **place, **around, "answer_span": [end - len(sentence), end]})
        end += 1
    return told


def passages() -> list[dict[str, Any]]:
    """Return four passages that a search found."""
    places = (*QUOTES, ("archive/travel-2023.md", "Hotels in 2023", ""))
    return [
        {"passage_id": f"p{at}", "document": document, "heading": heading, "page": None, "locator": "", "score": 0.5}
        for at, (document, heading, _) in enumerate(places)
    ]


def relevance() -> list[dict[str, Any]]:
    """Return the verdicts on them: the last one is out of date."""
    scores = (0.95, 0.9, 0.72, 0.2)
    return [
        {"passage_id": one["passage_id"], "document": one["document"], "relevant": score > 0.5, "score": score,
         "label": "relevant" if score > 0.5 else "irrelevant", "cached": False, "strips": [],
         "reason": "It states a part of the answer." if score > 0.5 else "It is out of date."}
        for one, score in zip(passages(), scores, strict=True)
    ]  # fmt: skip


def support(*labels: str) -> dict[str, Any]:
    """Return IsSup with a label for each sentence."""
    level = "fully_supported" if set(labels) == {"full"} else "partially_supported"
    claims = [{"claim": one, "support": said, "passage_ids": []} for one, said in zip(SENTENCES, labels, strict=True)]
    return {"level": level, "claims": claims, "judged_by": "model"}


def response(question_id: str, *labels: str, **more: Any) -> dict[str, Any]:
    """Return an answer of three sentences."""
    used, began = {}, 0.0
    for state, model in MODELS.items():
        name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in state).lstrip("_")
        took = 0.1 if not model else 0.5
        used[name] = {"model": model, "calls": int(bool(model)), "started": round(began, 1), "seconds": took,
                      "input_tokens": 900, "output_tokens": 60, "cost_usd": 0.001 if model else 0.0}  # fmt: skip
        began += took
    counts = ("rounds", "cached_verdicts", "input_tokens", "output_tokens", "cache_read_input_tokens")
    return {
        "id": question_id, "status": "answered", "question": QUESTION, "notice": None, "answer": " ".join(SENTENCES),
        "citations": citations(),
        "reflection": {
            "retrieve": {"decision": "yes", "reason": "The answer is in the company's documents."},
            "relevance": relevance(), "support": support(*(labels or ("full",) * 3)),
            "utility": {"score": 5, "reason": "It answers both parts of the question."},
        },
        "path": ["DecideRetrieval", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility"],
        "passes": [
            {"why": "A question is searched unless a decision says that it needs no search.",
             "steps": ["DecideRetrieval", "Retrieve"]},
            {"why": "4 passages were found: judge each, and write from them meanwhile.",
             "steps": ["GradeRelevance", "Generate"]},
            {"why": "3 passages help: check the answer.", "steps": ["GradeSupport", "GradeUtility"]},
            {"why": "Every claim is supported, and the answer is of use.", "steps": []},
        ],
        "queries": ["hotel limit London per night approval"],
        "usage": {**dict.fromkeys(counts, 4), "model_calls": 8, "cost_usd": 0.0061, "by_step": used, "warnings": []},
        "execution": {"arn": "a", "console_url": None}, "scores": None, **more,
    }  # fmt: skip


def partly() -> dict[str, Any]:
    """Return an answer of which a claim is supported in part, and one not."""
    said = response("partial", "full", "partial", "none", status="partial")
    said["usage"]["warnings"] = ["Not all claims are supported."]
    return said


def repaired() -> dict[str, Any]:
    """Return an answer that was written again without a claim that failed, after a search with another query."""
    said = response("repaired")
    again = ["RewriteQuestion", "Retrieve", "GradeRelevance", "Generate", "GradeSupport", "GradeUtility"]
    said["passes"][3:] = [
        {"why": "A claim has no support: search for what is missing.", "steps": ["RewriteQuestion", "Retrieve"]},
        {"why": "2 more passages help: write the answer again without the claim that failed.", "steps": ["Generate"]},
        {"why": "Every claim is supported, and the answer is of use.", "steps": []},
    ]
    return {**said, "path": [*said["path"], *again], "queries": [*said["queries"], "form TV-3 signature"]}


def abstained() -> dict[str, Any]:
    """Return an abstention with its nearest passages."""
    said = response("abstained", status="abstained", citations=[])
    question = "How high is the harbour crane?"
    found = [
        ("product/tern-4-buoy.md", "Mooring", "The Tern-4 is moored in depths of 15 to 200 metres. The mooring line is "
         "checked every six months. A buoy that drifts by more than 300 metres sends an alarm every ten minutes."),
        ("office/hours-and-visitors.html", "Visitors", "Visitors are met at the gate of the harbour, and wear a badge. "
         "The gate is open from 8:00 to 18:00."),
        ("it/on-call.html", "Handover", "The engineer on call hands over on Monday at 10:00."),
    ]  # fmt: skip
    said["reflection"]["support"] = said["reflection"]["utility"] = None
    said["reflection"]["relevance"] = [
        {"passage_id": document, "document": document, "relevant": False, "score": 0.3 - at / 10,
         "label": "irrelevant", "cached": False, "strips": []}
        for at, (document, _, _) in enumerate(found)
    ]  # fmt: skip
    said["nearest"] = [
        {"passage_id": document, "document": document, "heading": heading, "page": None, "locator": "", "text": text}
        for document, heading, text in found
    ]
    answer = 'Not found in the documents. Searched for: "harbour crane height"; "height of the crane".'
    return {**said, "question": question, "answer": answer, "queries": ["harbour crane height", "height of the crane"],
            "path": ["DecideRetrieval", "Retrieve", "GradeRelevance", "RewriteQuestion", "Retrieve", "GradeRelevance"],
            "passes": said["passes"][:2]}  # fmt: skip


def by_rule() -> dict[str, Any]:
    """Return an answer of the stand-in."""
    said = response("rule", notice=BY_RULE)
    for name in ("retrieve", "support"):
        said["reflection"][name]["judged_by"] = "rule"
    support = said["reflection"]["support"]
    claims = [{**claim, "support": None} for claim in support["claims"] if claim["passage_ids"]]
    judged = [{**one, "score": None, "judged_by": "rule"} for one in relevance()]
    support = {**support, "level": None, "claims": claims}
    said["reflection"] = {**said["reflection"], "utility": None, "support": support, "relevance": judged}
    said["answer"] = SENTENCES[0]
    return {**said, "citations": citations()[:1], "usage": {**said["usage"], "cost_usd": 0.0}}


def at_work(done: int, **more: Any) -> dict[str, Any]:
    """Return the view of a question in its so-manieth step."""
    trace = [
        {"state": state, "started": 0.1, "seconds": 0.4, "attempts": 1, "finished": at < done, "error": ""}
        for at, state in enumerate(list(MODELS)[: done + 1])
    ]
    unknown = {"retrieve": None, "relevance": [], "support": None, "utility": None}
    return {"id": f"work{done}", "status": "running", "question": QUESTION, "path": [], "passes": [], "trace": trace,
            "reflection": unknown, "draft": None, "passages": [], **more}  # fmt: skip


def _views() -> dict[str, dict[str, Any]]:
    judged = {"reflection": {"retrieve": None, "relevance": relevance(), "support": None, "utility": None}}
    draft = {"answer": " ".join(SENTENCES), "citations": citations(), "support": None}
    half = {**judged["reflection"], "relevance": relevance()[:2]}
    told = (
        response("answered"), partly(), repaired(), abstained(), by_rule(), response("followed", question=FOLLOWED),
        at_work(2), at_work(3, passages=passages(), reflection=half),
        at_work(5, passages=passages(), draft=draft, **judged),
    )  # fmt: skip
    return {one["id"]: one for one in told}


NAMES = (
    "archive/remote-work-2022.md",
    "archive/travel-2023.md",
    "it/laptops.md",
    "it/on-call.html",
    "it/passwords-and-vpn.md",
    "office/bicycle-benefit.md",
    "office/floor-plan.pdf",
    "people/leave.md",
    "people/parental-leave.md",
    "people/sick-leave.md",
    "product/tern-4-buoy.md",
    "travel/expenses.md",
    "travel/hotels-and-allowances.md",
)


def documents() -> list[dict[str, Any]]:
    """Return a list of documents, one of which cannot be read."""
    told = []
    for at, name in enumerate(NAMES):
        failed = name.endswith(".pdf")
        title = "" if failed else name.split("/")[1].split(".")[0].replace("-", " ").capitalize()
        told.append({"id": f"{at:032x}", "key": f"handbook/{name}", "collection": "handbook", "title": title,
                     "suggestion": None if failed else f"What is the limit of {title}?",
                     "status": "failed" if failed else "ready", "passages": 0 if failed else 3 + at % 5, "pages": 0,
                     "warnings": [], "tags": [], "date": "2026-01-01", "updated_at": "2026-01-02T00:00:00Z",
                     "reason": "The PDF is encrypted: its password is not known." if failed else ""})  # fmt: skip
    return told


@contextmanager
def telling(offline: bool = False) -> Iterator[str]:
    """Yield the URL of an API that has each state under a separate id; a question about cranes is refused."""
    views = _views()

    def reply(request: Request) -> Response:
        if request.path == "/":
            policy = {"Content-Security-Policy": bundle.policy()}
            return Response(bundle.html(), 200, policy, content_type="text/html; charset=utf-8")
        if request.path == "/v1/documents":
            listed: dict[str, Any] = {"documents": documents(), "collections": ["handbook"], "cursor": None}
            return _json({**listed, "writable": True, "total": 25, "notice": BY_RULE if offline else None})
        if request.method == "POST":
            if "crane" in json.loads(request.get_data()).get("question", ""):
                told = "The service answers many questions at this moment."
                return _json({"status": 403, "title": "Forbidden", "detail": told, "hint": "Ask again later."}, 403)
            return _json({"id": "followed", "status": "running"}, 202)
        return _json(views[request.path.split("/")[3]])

    with Loopback(reply) as server:
        yield server.url


def _json(said: Mapping[str, Any], status: int = 200) -> Response:
    return Response(json.dumps(said), status, content_type="application/json")


def _opens(address: str) -> Callable[[Tab, str, int], None]:
    def scene(tab: Tab, url: str, width: int) -> None:
        tab.open(f"{url}/#{address}", width)
        tab.until("document.querySelector('.feedback, .stages, [data-state], .progress')")

    return scene


def _empty(tab: Tab, url: str, width: int) -> None:
    tab.open(url, width)
    tab.until("document.querySelectorAll('#examples button').length")


def _pointed(tab: Tab, url: str, width: int) -> None:
    _opens("answered")(tab, url, width)
    if width < 1120:
        tab.page.locator(".said").nth(1).click()
    else:
        tab.page.locator(".said").nth(1).hover()
    tab.until("document.querySelector('#source blockquote')")


def _repaired(tab: Tab, url: str, width: int) -> None:
    _opens("repaired")(tab, url, width)
    tab.page.locator(".checked > summary").click()
    tab.page.locator(".checked").scroll_into_view_if_needed()


def _followed(tab: Tab, url: str, width: int) -> None:
    _opens("answered")(tab, url, width)
    tab.page.locator("#question").fill(FOLLOWED)
    tab.press("Enter")
    tab.until("document.querySelectorAll('.feedback').length > 1")


def _history(tab: Tab, url: str, width: int) -> None:
    for address in ("abstained", "partial", "answered"):
        tab.open("about:blank", width)
        _opens(address)(tab, url, width)
    tab.click("#show-history")


def _listed(tab: Tab, url: str, width: int) -> None:
    tab.open(url, width)
    tab.click("#show-documents")
    tab.until("document.querySelector('[data-id]')")


def _refused(tab: Tab, url: str, width: int) -> None:
    tab.open(url, width)
    tab.page.locator("#question").fill("How high is the harbour crane?")
    tab.press("Enter")
    tab.until("document.querySelector('.turn .bad')")


# Page states by a person's actions; names for the API without a model have a separate prefix.
SCENES: dict[str, Callable[[Tab, str, int], None]] = {
    "empty": _empty,
    "no-model": _empty,
    "searching": _opens("work2"),
    "judging": _opens("work3"),
    "draft": _opens("work5"),
    "answered": _opens("answered"),
    "pointed-at": _pointed,
    "partly-supported": _opens("partial"),
    "repaired": _repaired,
    "abstained": _opens("abstained"),
    "by-rule": _opens("rule"),
    "follow-up": _followed,
    "history": _history,
    "documents": _listed,
    "error": _refused,
}
WITHOUT_MODEL = ("no-model", "by-rule")
