"""The outcome of a gathering: the evidence, the current answer, and the wasted work."""

from collections.abc import Sequence
from dataclasses import dataclass

from selfrag.domain.answers import Draft
from selfrag.domain.policy import Policy
from selfrag.domain.verdicts import RelevanceVerdict
from selfrag.plan.loop.gathering import Traits
from selfrag.plan.loop.situation import Gathering, Loop
from selfrag.plan.reports import Report, entry_of, of_step, relevance_of, retrieval_of


@dataclass(frozen=True)
class Taken:
    """The outcome of a gathering: the numbers of new, useful and ungraded passages, and the current answer.

    `verdicts` are those that count, `answer` is the report of the text that is the answer now.
    """

    new: int
    found: int
    ungraded: int
    verdicts: list[RelevanceVerdict]
    answer: Report | None


def take_in(known: Loop, policy: Policy, traits: Traits, reports: Sequence[Report]) -> tuple[Loop, Taken]:
    """Return the state with the outcome of a gathering.

    Speculative work is kept only if the sequential path would have produced it: the search if one is needed, and the
    draft if all that it cites is evidence. The rest is waste.
    """
    gathering = known.gathering
    decided = next((retrieval_of(report) for report in of_step(reports, "DecideRetrieval")), None)
    if decided:
        simple = traits.complexity and decided.complexity == "simple"
        known = known.but(
            retrieval=decided,
            recall=decided.decision == "continue" and bool(known.previous_relevance),
            direct=decided.decision == "no" or known.direct,
            reflects=known.reflects and not simple,
        )
    else:
        known = known.but(recall=False)
    counts = not (known.recall or known.direct)
    grades = known.reflects or traits.strips
    graded = of_step(reports, "GradeRelevance")
    verdicts = [relevance_of(one, one.id, known.documents.get(one.id, "")) for one in graded] if grades else []
    passages = _evidence(gathering, verdicts, grades=grades)
    answer = _answer(known, policy, reports, passages, counts=counts)
    known = _entered(known, reports, passages, answer, counts=counts, grades=grades)
    if counts:
        known = _searched(known, passages, verdicts)
        if traits.strips:
            strips = {verdict.passage_id: verdict.strips for verdict in verdicts if verdict.passage_id in passages}
            known = known.but(strips={**known.strips, **strips})
    if answer:
        text = {name: answer.get(name) for name in ("answer", "citations", "not_said", "missing") if answer.get(name)}
        known = known.but(draft=Draft.model_validate({**text, "direct": known.direct, "cut": answer.flaw == "cut"}))
    ungraded = sum(verdict.label == "ungraded" for verdict in verdicts)
    new, found = (len(gathering.fresh), len(passages)) if counts else (0, 0)
    return known, Taken(new, found, ungraded, verdicts if counts else [], answer)


def _evidence(gathering: Gathering, verdicts: Sequence[RelevanceVerdict], *, grades: bool) -> list[str]:
    """Return the passages that are evidence: the relevant ones, else the ambiguous, or all if nothing is graded."""
    if gathering.passage_ids:
        return gathering.brought
    if not grades:
        return gathering.fresh
    kind = "relevant" if any(verdict.label == "relevant" for verdict in verdicts) else "ambiguous"
    return [verdict.passage_id for verdict in verdicts if verdict.label == kind]


def _answer(
    known: Loop, policy: Policy, reports: Sequence[Report], passages: Sequence[str], *, counts: bool
) -> Report | None:
    """Return the text that is the answer: one that the sequential path would have produced, too."""
    mode = "direct" if known.direct else "grounded"
    text = next((report for report in of_step(reports, "Generate") if report.id == mode), None)
    if text is None or known.direct:
        return text
    gathering = known.gathering
    may_repair = bool(known.failed_claims) and known.repairs() < policy.max_regenerations
    wanted = not gathering.searches or passages or may_repair
    return text if counts and wanted and _is_sound(known, text, passages) else None


def _is_sound(known: Loop, text: Report, passages: Sequence[str]) -> bool:
    """Return whether a draft from all passages is the answer that the evidence alone would have given."""
    if not known.gathering.searches or len(passages) == len(known.gathering.fresh):
        return True
    sources = {*known.evidence, *passages}
    cited = [citation["passage_id"] for citation in text.get("citations", [])]
    # The writer saw the rejected passages: a word that only they hold may be theirs.
    words_hold = all(sources.intersection(holders) for holders in text.get("word_sources", []))
    return bool(text.get("found") and text.flaw is None and cited) and sources.issuperset(cited) and words_hold


def _entered(
    known: Loop,
    reports: Sequence[Report],
    passages: Sequence[str],
    answer: Report | None,
    *,
    counts: bool,
    grades: bool,
) -> Loop:
    """Return the state with the gathering in its ledger, waste marked."""
    gathering = known.gathering
    searches = known.ledger[gathering.since :]
    found = {"found": len(passages)} if gathering.searches else {}
    entries = [entry.model_copy(update=found if counts else {"waste": True}) for entry in searches]
    repair = gathering.repair or (gathering.searches and bool(known.failed_claims) and not passages)
    for report in reports:
        used = {"DecideRetrieval": True, "GradeRelevance": counts and grades, "Generate": report is answer}[report.step]
        is_repair = repair and report is answer
        entries.append(entry_of(report, known.turn, waste=not used, repair=is_repair))
    return known.with_entries_of_gathering(entries)


def _searched(known: Loop, passages: Sequence[str], verdicts: Sequence[RelevanceVerdict]) -> Loop:
    """Return the state with the passages of a needed search, and its queries."""
    gathering = known.gathering
    known = known.but(evidence=[*known.evidence, *passages], bytes=known.bytes + gathering.bytes)
    if gathering.passage_ids:
        fetched = [one for one in known.previous_relevance if one.passage_id in gathering.brought]
        return known.but(relevance=fetched, seen=[*known.seen, *gathering.brought])
    known = known.but(relevance=[*known.relevance, *verdicts])
    if not gathering.searches:
        return known
    asked = [one for one in gathering.queries or [gathering.web] if one not in known.queries]
    return known.but(
        seen=[*known.seen, *gathering.brought, *gathering.folded],
        query=gathering.queries[-1] if gathering.queries else known.query,
        queries=[*known.queries, *dict.fromkeys(asked)],
        stalled=not gathering.fresh,
    )
