"""Web search as the last resort; domains are filtered before and after."""

import hashlib
from collections.abc import Sequence

from pydantic import BaseModel, ValidationError

from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.passages import WEB, Passage
from selfrag.domain.steps import RetrievedPassages, SearchWebTask
from selfrag.ports.web import Domains, WebSearch
from selfrag.retrieval.duplicates import fold
from selfrag.text.state_budget import cut_to_budget

MAX_RESULT_CHARACTERS = 4000


class _Hit(BaseModel):
    url: str
    content: str
    title: str = ""
    score: float | None = None


class _Reply(BaseModel):
    results: list[_Hit]


def search(task: SearchWebTask, web: WebSearch, domains: Domains) -> RetrievedPassages:
    """Search the web and filter the results again, because the service's domain filter leaks.

    Raises TemporarilyUnavailable for a reply that is not a list of results.
    """
    try:
        reply = _Reply.model_validate(web(task.query, task.top_k, domains))
    except ValidationError as error:
        raise TemporarilyUnavailable("the web search sent a reply that cannot be read") from error
    hits = [hit for hit in reply.results if hit.content.strip() and domains.allow(hit.url)]
    new = [passage for passage in _passages(hits) if passage.passage_id not in task.seen]
    return RetrievedPassages.create(*cut_to_budget(fold(new)[: task.top_k], task.bytes_used, shared=task.shared))


def _passages(hits: Sequence[_Hit]) -> list[Passage]:
    passages: dict[str, Passage] = {}
    for hit in hits:
        text = hit.content[:MAX_RESULT_CHARACTERS]
        passage_id = "web-" + hashlib.sha256(f"{hit.url}\n{text}".encode()).hexdigest()[:24]
        whence = {"document": hit.url, "title": hit.title, "collection": WEB, "score": hit.score}
        passages.setdefault(passage_id, Passage.model_validate({"passage_id": passage_id, "text": text, **whence}))
    return list(passages.values())
