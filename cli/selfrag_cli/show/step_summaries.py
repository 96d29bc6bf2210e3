"""One-line summaries of steps: results of retrieval, grading and writing."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from selfrag.domain.history import Step
from selfrag_cli.show.by_rule import is_by_rule, support_by_rule
from selfrag_cli.show.places import place_of

DECISIONS = {
    "yes": "a search is needed",
    "no": "no search is needed",
    "continue": "the earlier evidence will do",
    "complete": "the answer is complete",
}
LEVELS = {
    "fully_supported": "fully supported",
    "partially_supported": "partially supported",
    "no_support": "not supported",
}
_Fields = Mapping[str, Any]


def summarize(step: Step, places: Mapping[str, str]) -> str:
    """Summarize a step's result; "" for steps that only fetch or store.

    `places` are those of the passages. Fields missing in other versions are left out.
    """
    summary = _SUMMARIES.get(step.name, _summarize_grade if step.name.startswith("Grade") else None)
    if summary is None or not isinstance(step.result, dict):
        return ""
    task = step.task if isinstance(step.task, dict) else {}
    verdict = step.result.get("verdict") or {}
    words = summary(task, verdict or step.result, places)
    remembered = step.result.get("cached") or verdict.get("cached")
    return " ".join(f"{words}{' (cached)' if remembered else ''}".split())


def _summarize_decision(task: _Fields, verdict: _Fields, places: Mapping[str, str]) -> str:
    decision = str(verdict.get("decision", ""))
    complexity = f", {verdict['complexity']}" if verdict.get("complexity") else ""
    ratio = "" if verdict.get("ratio") is None else f", r {verdict['ratio']:.2f}"
    aggregate = ", an aggregate" if verdict.get("aggregate") else ""
    return _append_reason(DECISIONS.get(decision, decision) + complexity + aggregate + ratio, verdict)


def _search(task: _Fields, result: _Fields, places: Mapping[str, str]) -> str:
    passages = result.get("passages", [])
    sources = _count(
        len({passage.get("document") for passage in passages}), "web page" if "query" in task else "document"
    )
    queries = task.get("queries") or list(filter(None, [task.get("query")]))
    purpose = f" for: {' | '.join(queries)}" if queries and not task.get("passage_ids") else ", fetched again"
    return f"{_count(len(passages), 'passage')} of {sources}{purpose}"


def _relevance(task: _Fields, verdict: _Fields, places: Mapping[str, str]) -> str:
    score = "" if verdict.get("score") is None else f" {verdict['score']:.2f}"
    strips = f", {_count(len(verdict['strips']), 'strip')} kept" if verdict.get("strips") else ""
    passage = task.get("passage") or {}
    place = places.get(str(verdict.get("passage_id"))) or (place_of(passage) if "document" in passage else "")
    label, reason = f"{verdict.get('label', '')}{score}{strips}", verdict.get("reason", "")
    # A rule's score is not a probability; its reason explains it.
    return ": ".join(filter(None, [reason, place] if is_by_rule(verdict) else [label, place, reason]))


def _summarize_answer(task: _Fields, result: _Fields, places: Mapping[str, str]) -> str:
    if result.get("flaw"):
        return f"no answer: {result['flaw']}"
    if not result.get("answered"):
        return "the passages do not hold the answer"
    if task.get("mode") == "direct":
        return f"an answer without documents: {result.get('answer')}"
    cited = len({citation.get("passage_id") for citation in result.get("citations", [])})
    kind = "the answer mended" if task.get("draft") else "an answer"
    return f"{kind} that cites {cited} of {_count(len(task.get('passages', [])), 'passage')}: {result.get('answer')}"


def _summarize_comparison(task: _Fields, result: _Fields, places: Mapping[str, str]) -> str:
    states = Counter(node.get("state") for node in (result.get("scores") or result).get("nodes", []))
    selected = states["chosen"] + states["kept"]
    return f"{selected} of {_count(sum(states.values()), 'text')} kept"


def _summarize_choice(task: _Fields, result: _Fields, places: Mapping[str, str]) -> str:
    winner = result.get("winner") or {}
    compared = _summarize_comparison(task, result, places)
    return f"{compared}, the best: {winner['answer']}" if winner.get("answer") else f"{compared}, none is chosen"


def _support(task: _Fields, verdict: _Fields, places: Mapping[str, str]) -> str:
    level, claims = str(verdict.get("level", "")), verdict.get("claims", [])
    if is_by_rule(verdict):
        return support_by_rule(claim.get("passage_ids", []) for claim in claims)
    kinds = Counter(claim.get("support") for claim in claims)
    each = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    return LEVELS.get(level, level) + _odds(verdict) + (f": of {_count(len(claims), 'claim')} {each}" if claims else "")


def _summarize_grade(task: _Fields, verdict: _Fields, places: Mapping[str, str]) -> str:
    if is_by_rule(verdict):
        return _append_reason("not judged", verdict)
    score = "ungraded" if verdict.get("score") is None else f"{verdict['score']} of 5"
    return _append_reason(score + _odds(verdict), verdict)


def _odds(verdict: _Fields) -> str:
    """Return the decision model's probability, or ""."""
    return "" if verdict.get("probability") is None else f" {verdict['probability']:.2f}"


def _append_reason(words: str, verdict: _Fields) -> str:
    return f"{words}: {verdict['reason']}" if verdict.get("reason") else words


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


_SUMMARIES: dict[str, Callable[[_Fields, _Fields, Mapping[str, str]], str]] = {
    "Plan": lambda task, result, places: str((result.get("plan") or {}).get("why", "")),
    "DecideRetrieval": _summarize_decision,
    "Retrieve": _search,
    "SearchWeb": _search,
    "GradeRelevance": _relevance,
    "Generate": _summarize_answer,
    "GradeSupport": _support,
    "RewriteQuestion": lambda task, result, places: (
        f"next query: {result.get('query')}" if result.get("new") else "no query that was not tried"
    ),
    "RankPaths": _summarize_comparison,
    "PickCandidate": _summarize_choice,
    "ComposeAnswer": lambda task, result, places: str(result.get("status", "")),
}
