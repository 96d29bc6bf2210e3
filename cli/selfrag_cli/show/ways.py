"""Which way a strategy took, read off the verdicts of an execution's steps."""

from collections.abc import Sequence
from typing import Any

from selfrag.domain.history import Step
from selfrag_cli.show.by_rule import is_by_rule

CORRECT = "correct: a passage of the documents is relevant, so the documents are used alone"
AMBIGUOUS = "ambiguous: the passages of the documents are in doubt"
INCORRECT = "incorrect: no passage of the documents helps"
BESIDE, ALONE = ", so the web is used beside them", ", so the web is used alone"
UNTRIED = ", and the web is not searched"
NO_SEARCH = "no search: the answer is written directly"
BY_RULE = "by words in common, which no model judged"
SIMPLE = "simple: one search and one answer, which no step judges"
COMPLEX = "full loop: searched, judged and repaired as by self_rag"


def strategy_and_way(strategy: str, steps: Sequence[Step]) -> str:
    """Return the strategy, and which of its ways it took, as far as the steps came: one of three, or none to tell."""
    ways = {"corrective": _by_documents, "adaptive": _by_complexity}
    way = ways[strategy](steps) if strategy in ways else ""
    return f"{strategy}, {way}" if way else strategy


def _by_documents(steps: Sequence[Step]) -> str:
    """CRAG's action (arXiv 2401.15884, section 4.3), by the grades of what the documents brought."""
    web = [step.turn for step in steps if step.name == "SearchWeb"]
    searched = any(step.name == "Retrieve" and step.result is not None for step in steps)
    grades = [step for step in steps if step.name == "GradeRelevance" and step.turn not in web]
    verdicts = [_verdict(step) for step in grades]
    labels = {verdict.get("label", "ungraded") for verdict in verdicts}
    if any(map(is_by_rule, verdicts)):
        return BY_RULE
    if not searched or labels == {"ungraded"}:
        return ""
    if "relevant" in labels:
        return CORRECT
    if "ambiguous" in labels:
        return AMBIGUOUS + (BESIDE if web else UNTRIED)
    return INCORRECT + (ALONE if web else UNTRIED)


def _by_complexity(steps: Sequence[Step]) -> str:
    """One of Adaptive-RAG's three ways (arXiv 2403.14403, section 3.2), by the verdict on the question."""
    asked = next((step for step in steps if step.name == "DecideRetrieval"), None)
    if asked is None:
        return ""
    verdict = _verdict(asked)
    if verdict.get("decision") == "no":
        return NO_SEARCH
    return SIMPLE if verdict.get("complexity") == "simple" else COMPLEX


def _verdict(step: Step) -> dict[str, Any]:
    """Return what the step judged; empty where it failed."""
    verdict = step.result.get("verdict") if isinstance(step.result, dict) else None
    return verdict if isinstance(verdict, dict) else {}
