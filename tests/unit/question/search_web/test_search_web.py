"""Web search: domains filtered before and again after, results as passages."""

from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.adapters.tavily import Tavily
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.steps import SearchWebTask
from selfrag.ports.web import Domains
from selfrag.question.search_web.logic import MAX_RESULT_CHARACTERS, search

TASK = SearchWebTask(query="sea state 6", top_k=3)


def hit(url: str, content: str = "Waves of 4 to 6 metres.") -> dict[str, Any]:
    return {"url": url, "title": "Sea", "content": content, "score": 0.8}


def web(*hits: Any) -> Any:
    return lambda query, max_results, domains: {"results": list(hits)}


def test_results_become_passages_that_name_their_url() -> None:
    (found,) = search(TASK, web(hit("https://sea.example.org/a")), Domains()).passages
    assert (found.document, found.title, found.collection) == ("https://sea.example.org/a", "Sea", "web")
    assert found.text == "Waves of 4 to 6 metres."
    assert found.passage_id.startswith("web-")


def test_the_service_is_told_the_domains() -> None:
    told: list[Any] = []
    domains = Domains(included=("example.org",), excluded=("spam.example.org",))
    search(TASK, lambda *asked: told.append(asked) or {"results": []}, domains)
    assert told == [("sea state 6", 3, domains)]


@pytest.mark.parametrize(
    "url",
    [
        "https://spam.example.net/x",
        "https://deep.spam.example.net/x",
        "https://SPAM.example.NET./x",
        "https://user@spam.example.net:8080/x",
        "ftp://sea.example.org/x",
        "javascript:alert(1)",
        "not a url",
        "http://[broken",
        "",
    ],
)
def test_results_are_filtered_again_after_the_service(url: str) -> None:
    leaking = web(hit(url), hit("https://sea.example.org/a"))
    found = search(TASK, leaking, Domains(excluded=("spam.example.net",))).passages
    assert [p.document for p in found] == ["https://sea.example.org/a"]


def test_a_name_that_only_ends_like_a_domain_is_not_in_it() -> None:
    domains = Domains(included=("example.org",))
    assert domains.allow("https://example.org/a")
    assert domains.allow("https://www.example.org/a")
    assert not domains.allow("https://notexample.org/a")
    assert not domains.allow("https://example.org.evil.test/a")


def test_excluded_wins_over_included() -> None:
    assert not Domains(included=("example.org",), excluded=("a.example.org",)).allow("https://a.example.org/")


@pytest.mark.parametrize("reply", [None, [], {}, {"results": None}, {"results": [{"url": 1}]}, "text"])
def test_a_reply_that_is_not_results_is_retried(reply: Any) -> None:
    with pytest.raises(TemporarilyUnavailable):
        search(TASK, lambda *asked: reply, Domains())


def test_invalid_base_url_names_its_setting_and_is_not_retried() -> None:
    with pytest.raises(Misconfigured, match="SELFRAG_WEB_BASE_URL is not a URL"):
        search(TASK, Tavily(httpx2.Client(), "notaurl", "key", 8.0), Domains())


def test_no_more_results_than_asked_and_none_twice_or_empty() -> None:
    many = [hit("https://a.example.org/")] * 2 + [hit(f"https://{n}.example.org/", f"Page {n}.") for n in range(9)]
    found = search(TASK, web(hit("https://e.example.org/", "  "), *many), Domains()).passages
    assert len(found) == 3
    assert len({p.passage_id for p in found}) == 3


def test_results_that_were_seen_are_left_out() -> None:
    hits = web(hit("https://a.example.org/"), hit("https://b.example.org/", "Swell of 5 metres."))
    seen = [p.passage_id for p in search(TASK, hits, Domains()).passages]
    later = search(TASK.model_copy(update={"seen": seen[:1]}), hits, Domains()).passages
    assert [p.document for p in later] == ["https://b.example.org/"]
    assert search(TASK.model_copy(update={"seen": seen}), hits, Domains()).passages == []


def test_copies_of_a_page_are_one_result_that_names_the_other_addresses() -> None:
    hits = [hit("https://a.example.org/"), hit("https://b.example.org/", "waves of 4 to 6 metres")]
    found = search(TASK, web(*hits, hit("https://c.example.org/", "Waves of 4 to 7 metres.")), Domains())
    assert [p.document for p in found.passages] == ["https://a.example.org/", "https://c.example.org/"]
    assert [copy.document for copy in found.passages[0].copies] == ["https://b.example.org/"]


def test_a_long_page_is_cut() -> None:
    (found,) = search(TASK, web(hit("https://a.example.org/", "x" * 100_000)), Domains()).passages
    assert len(found.text) == MAX_RESULT_CHARACTERS


@given(st.text(max_size=60), st.lists(st.sampled_from(["example.org", "spam.example.net"]), max_size=2))
def test_any_url_is_either_allowed_or_not(url: str, excluded: list[str]) -> None:
    assert Domains(excluded=tuple(excluded)).allow(url) in (True, False)
