"""A site is ingested like a directory: read and unread pages are reported, and nothing is sent twice."""

import pytest
from werkzeug.wrappers import Response

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag_cli.local.asking import stored_documents
from selfrag_cli.local.sources.collections import move_collection, remove_collection, stored_collection
from selfrag_cli.local.sources.source import SourceMismatch, source_to_read
from tests.support.documents.files import pdf
from tests.support.doubles.web_site import PAGES, Served, WebSite, busy, handbook, moved, page, small
from tests.support.fakes import FakeEmbedder
from tests.support.reading import cached, sync
from tests.unit.cli.local_index.conftest import Write
from tests.unit.cli.local_index.reading import held_by
from tests.unit.cli.sources.site.conftest import Read, Serve


def documents(site: Read) -> list[str]:
    """Return the paths of the documents that the index holds of a site."""
    return sorted({document.removeprefix(site.url) for document, _, _ in held_by("site")})


def dates(site: Read) -> dict[str, str | None]:
    return {one["document"].removeprefix(site.url): one["date"] for one in stored_documents(site.source)}


@pytest.mark.long
def test_site_of_200_pages_is_read_once_with_unread_pages_reported(serve: Serve) -> None:
    site = serve(handbook())
    at, others = site.url, "2 unreadable, 1 of other kinds (.png 1)"
    told = site.ingest()
    assert told.summary() == f"{PAGES} added, 0 changed, 0 removed, 0 unchanged, 0 failed, {others}"
    assert told.site_note == "205 addresses requested: 200 read (0.1 MB), 0 unchanged, 6 redirects"
    rest = [
        f"1 address was not read, because robots.txt forbids it: {at}/private/pay.",
        f"1 address was not read, because it leads to another site: {at}/away.",
        f"1 address was linked and not there: {at}/missing (404).",
        f"{at}/loop leads in a circle: {at}/loop to {at}/loop/again to {at}/loop.",
        f"{at}/huge is larger than 10 MB: no more of it was read, and nothing is kept of it.",
    ]
    delayed = "robots.txt asks for 0.01 s between two requests, and got them."
    assert told.warnings == [delayed, *rest]
    asked = site.served.asked
    assert asked["/private/pay"] == asked["/a.png"] == 0
    assert {path: times for path, times in asked.items() if times > 1} == {"/busy": 2}

    sent, embedded = site.served.sent.copy(), len(site.embedder.embedded)
    # The start of a page that is too large is not cached.
    sent["/huge"] += 1
    again = site.ingest()
    assert again.summary() == f"0 added, 0 changed, 0 removed, {PAGES} unchanged, 0 failed, {others}"
    assert again.site_note == "205 addresses requested: 0 read (0.0 MB), 200 unchanged, 6 redirects"
    assert again.warnings == [delayed, *rest]
    assert (site.served.sent, len(site.embedder.embedded)) == (sent, embedded)


def test_only_changed_pages_are_sent_and_missing_ones_removed(serve: Serve) -> None:
    site = serve(small({"/leave": "Leave is 25 days.", "/pay": "Pay comes on Fridays.", "/tea": "Tea is at four."}))
    assert site.ingest().summary().startswith("4 added")
    site.served.sent.clear()
    site.served.served["/pay"] = page("Pay", "Pay comes on Mondays.", "/new")
    site.served.served["/new"] = page("New", "This is new.")
    del site.served.served["/tea"]
    told = site.ingest()
    assert told.summary() == "1 added, 1 changed, 1 removed, 2 unchanged, 0 failed"
    assert told.warnings == [f"1 address was gone from the site, and removed: {site.url}/tea (404)."]
    assert site.served.sent.keys() == {"/pay", "/new"}
    assert documents(site) == ["/", "/leave", "/new", "/pay"]


def test_temporarily_unreadable_page_and_its_links_stay(serve: Serve) -> None:
    site = serve(small({"/list": page("List", "A list.", "/leave")}))
    site.served.served["/leave"] = page("Leave", "Leave is 25 days.")
    site.ingest()
    site.served.served["/list"] = lambda: Response(status=500)
    told = site.ingest()
    why = f"{site.url}/list was not sent: the reply has status 500; what was read of it before is kept."
    assert (told.summary(), told.warnings) == (
        "0 added, 0 changed, 0 removed, 2 unchanged, 0 failed, 1 kept", [why]
    )  # fmt: skip
    assert documents(site) == ["/", "/leave", "/list"]
    listed = {one["document"].removeprefix(site.url): one for one in stored_documents(site.source)}
    assert (listed["/list"]["status"], listed["/list"]["warnings"]) == ("ready", [why])


def test_a_site_that_is_down_changes_nothing(serve: Serve) -> None:
    pages = {f"/{number}": f"Rule {number}." for number in range(9)}
    site = serve(small(pages))
    site.ingest()
    site.served.served["/"] = lambda: Response(status=503)
    with pytest.raises(TemporarilyUnavailable, match=r"status 503; nothing was changed; try again later"):
        site.ingest()
    site.served.served |= small(pages).served | {f"/{number}": lambda: Response(status=502) for number in range(9)}
    with pytest.raises(TemporarilyUnavailable, match=r"status 502, and 4 addresses before it; nothing was changed"):
        site.ingest()
    site.served.served["/"] = lambda: Response(status=404)
    with pytest.raises(InvalidInput, match="the reply has status 404"):
        site.ingest()
    assert len(documents(site)) == 10


def test_documents_of_other_kinds_keep_kind_and_date(serve: Serve) -> None:
    rules = pdf("Cranes rest at night.")
    dated = page("Own", "It has a date.", head='<meta name="date" content="2024-05-06">')
    # As late as the request, or later by a clock that is wrong.
    now = {"Last-Modified": "Fri, 01 Jan 2100 00:00:00 GMT"}
    made = page("Now", "It is made for each request.")
    site = serve(
        small(
            {
                "/rules.pdf": lambda: Response(rules + b"\n", mimetype="application/pdf"),
                "/get?id=7": lambda: Response(rules, mimetype="application/pdf; x=y"),
                "/notes.md": lambda: Response("# Notes\n\nTea is at four.", mimetype="text/plain"),
                "/shown.md": page("Shown", "A page about a file."),
                "/guide/": "The guide.",
                "/dated/": dated,
                "/made/": lambda: Response(made, mimetype="text/html", headers=now),
                "/picture": lambda: Response(b"\x89PNG", mimetype="image/png"),
                "/film.mp4": lambda: Response(status=500),
                "/old.doc": lambda: Response(status=500),
            }
        )
    )
    told = site.ingest()
    others = ["/get?id=7#.pdf", "/guide/", "/made/", "/notes.md", "/rules.pdf", "/shown.md#.html"]
    assert documents(site) == ["/", "/dated/", *others]
    own = {"/dated/": "2024-05-06", "/made/": None}
    assert dates(site) == {document: own.get(document, "2026-01-31") for document in documents(site)}
    assert told.others == {".png": 1, ".mp4": 1, ".doc": 1}
    assert told.warnings == ["1 file ending in .doc is not read: a Word document of the old kind; save it as .docx."]


def test_one_content_at_two_addresses_is_one_document(serve: Serve) -> None:
    site = serve(small({"/leave": "Leave is 25 days."}))
    site.served.served["/"] = page("Home", "All of it.", "/leave", "/leave?from=home", "/leave#part", "HTTP:/leave")
    site.served.served["/leave?from=home"] = site.served.served["/leave"]
    told = site.ingest()
    assert documents(site) == ["/", "/leave"]
    assert told.warnings == [
        "1 address was read once, because another address has the same content: "
        f"{site.url}/leave?from=home ({site.url}/leave)."
    ]
    del site.served.served["/leave"]
    assert site.ingest().summary() == "1 added, 0 changed, 1 removed, 1 unchanged, 0 failed"
    assert documents(site) == ["/", "/leave?from=home"]


def test_a_walk_ends_at_its_limits_and_says_what_was_left(serve: Serve) -> None:
    chain = {"/": page("0", "Page 0.", "/1"), **{f"/{n}": page(f"{n}", f"Page {n}.", f"/{n + 1}") for n in range(1, 9)}}
    site = serve(WebSite(chain))
    told = site.ingest(depth=2)
    assert documents(site) == ["/", "/1", "/2"]
    assert told.warnings == [
        f"1 address was not requested: more than --depth 2 links away from the first page: {site.url}/3."
    ]
    site.served.served["/1"] = page("1", "Page 1.", "/2", head=f"<!-- {'x' * 1_000_000} -->")
    told = site.ingest(megabytes=1, pages=9)
    assert documents(site) == ["/", "/1"]
    assert told.warnings == [f"1 address was not requested: --pages 9 and --megabytes 1 are the limits: {site.url}/2."]


def test_page_with_excessive_retry_after_is_reported_and_skipped(serve: Serve) -> None:
    site = serve(small({"/leave": "Leave is 25 days.", "/tea": "Tea."}))
    site.served.first = {"/leave": [busy("3600")], "/tea": [busy("0", 503), busy("0")]}
    told = site.ingest()
    assert told.warnings == [f"{site.url}/leave was not sent: the reply has status 429."]
    assert (site.served.asked["/leave"], site.served.asked["/tea"], told.added) == (1, 3, 2)


def test_robots_txt_is_kept_and_asked_by_the_name_of_the_program(serve: Serve) -> None:
    site = serve(small({"/a": "A.", "/a/b": "B.", "/c.pdf": "C.", "/d?print=1": "D."}))
    site.served.robots = (
        "User-agent: other\nDisallow: /\n\nUser-agent: Selfrag\n\nDisallow: /a\nAllow: /a/b\nDisallow: /*?print="
    )
    told = site.ingest()
    assert documents(site) == ["/", "/a/b", "/c.pdf#.html"]
    assert told.warnings == [
        f"2 addresses were not read, because robots.txt forbids it: {site.url}/a, {site.url}/d?print=1."
    ]
    assert [agent.partition("/")[0] for agent in site.served.agents] == ["selfrag"]


@pytest.mark.parametrize(
    ("robots", "kind", "words"),
    [
        ("User-agent: *\nDisallow: /", InvalidInput, "is not for programs: the robots.txt of its site forbids it"),
        ("User-agent: *\nCrawl-delay: 86400", InvalidInput, "asks for 86400 s between two requests: too long"),
        (lambda: Response(status=503), TemporarilyUnavailable, "which says what programs may read"),
        (lambda: Response(status=403), None, ""),
    ],
)  # fmt: skip
def test_a_site_is_read_only_if_its_robots_txt_allows_it(
    serve: Serve, robots: Served, kind: type[Exception] | None, words: str
) -> None:
    site = serve(small({"/a": "A."}))
    site.served.robots = robots
    if kind is None:
        assert site.ingest().added == 2
        return
    with pytest.raises(kind, match=words):
        site.ingest()
    assert (site.served.asked["/"], documents(site)) == (0, [])


def test_the_first_page_may_say_that_the_site_is_elsewhere(serve: Serve) -> None:
    site, old = serve(small({"/a": "A."})), WebSite({})
    old.served["/"] = moved(f"{site.url}/")
    first = serve(old)
    told = first.ingest()
    assert told.warnings == [f"{first.url}/ leads to {site.url}/, whose site was read."]
    assert sorted({document for document, _, _ in held_by("site")}) == [f"{site.url}/", f"{site.url}/a"]
    # The rules of either host were asked for before its pages.
    assert (old.asked["/robots.txt"], site.served.asked["/robots.txt"]) == (1, 1)


def test_a_first_page_that_leads_on_without_an_end_is_an_error(serve: Serve) -> None:
    site = serve(WebSite({"/": moved("/1"), **{f"/{n}": moved(f"/{n + 1}") for n in range(1, 9)}}))
    with pytest.raises(InvalidInput, match=r"leads on more than 5 times, at last to .*/5"):
        site.ingest()
    site.served.served = {"/": lambda: Response(b"\x89PNG", mimetype="image/png")}
    with pytest.raises(InvalidInput, match=r"is of no kind that is read \(\.png\)"):
        site.ingest()


def test_site_and_directory_replace_each_other_only_on_request(serve: Serve, write: Write) -> None:
    site, directory = serve(small({"/a": "A."})), write({"a.md": "Pay."})
    site.ingest()
    with pytest.raises(SourceMismatch, match=rf"was read from {site.url}/, and what .*documents does not hold"):
        sync(source_to_read(directory, "site"), embedder=FakeEmbedder())
    known = stored_collection("site")
    assert known.root == f"{site.url}/"
    with pytest.raises(InvalidInput, match="is a site, which cannot be moved to a directory"):
        move_collection(known, directory)
    remove_collection(known, cached(FakeEmbedder()))
    assert held_by("site") == []
