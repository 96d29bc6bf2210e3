"""How far the graders of two variants agree, where both judged the same: a passage, or an answer word by word."""

from collections.abc import Iterable, Mapping
from typing import Any

from cli.lab.metrics.agreement import Compared
from selfrag.domain.verdicts import RelevanceVerdict, SupportVerdict, UtilityVerdict

Response = Mapping[str, Any]


def opinions(responses: Iterable[tuple[Response, Response]]) -> dict[str, dict[str, Any]]:
    """The agreement on each kind of verdict, as JSON values, over two variants' responses to the same questions.

    IsRel is compared on passages that both have graded, IsSup, its claims and IsUse on answers that are the same text.
    """
    compared = Compared()
    for one, other in responses:
        for passage_id, verdict in _relevance(one).items():
            if same := _relevance(other).get(passage_id):
                compared.relevance(verdict, same)
        if one["answer"] != other["answer"]:
            continue
        if (support := _said(one, "support")) and (again := _said(other, "support")):
            compared.support(*(SupportVerdict.model_validate(said, extra="ignore") for said in (support, again)))
        if (utility := _said(one, "utility")) and (again := _said(other, "utility")):
            compared.utility(*(UtilityVerdict.model_validate(said, extra="ignore") for said in (utility, again)))
    return compared.agreements()


def _relevance(response: Response) -> dict[str, RelevanceVerdict]:
    verdicts = [RelevanceVerdict.model_validate(said, extra="ignore") for said in _said(response, "relevance") or []]
    return {verdict.passage_id: verdict for verdict in verdicts}


def _said(response: Response, kind: str) -> Any:
    return response.get("reflection", {}).get(kind)
