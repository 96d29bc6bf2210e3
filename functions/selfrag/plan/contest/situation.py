"""The state of `candidates`: the answers in progress, one from each passage, and the finished ones."""

from collections.abc import Sequence
from typing import Literal, Self

from selfrag.domain.base import Model
from selfrag.domain.ledger import in_order
from selfrag.domain.policy import Policy
from selfrag.domain.scores.critiqued import Constraints, Critiqued
from selfrag.domain.scores.shown import Stopped
from selfrag.domain.verdicts import RelevanceVerdict
from selfrag.plan.limits import calls, spent_usd
from selfrag.plan.reports import Report, entry_of, of_step, relevance_of, support_of, utility_of
from selfrag.plan.situation import Situation

Source = Literal["", "documents", "previous", "web", "direct"]


class Candidate(Critiqued):
    """An answer in progress, from one passage or without one.

    It is set `aside` if its passage may not be used, `written` once a text was requested, and `found` if the text is an
    answer. `spent_usd` is the cost of its calls.
    """

    aside: bool = False
    written: bool = False
    found: bool = False
    spent_usd: float = 0.0

    def graded(self, verdict: RelevanceVerdict, constraints: Constraints) -> Self:
        """Return it with IsRel of its passage; without a verdict, or under `hard` a good one, it is set aside."""
        aside = verdict.label == "ungraded" or (constraints == "hard" and not verdict.relevant)
        return self.model_copy(update={"relevance": verdict, "aside": aside})

    def texted(self, report: Report) -> Self:
        """Return it with the text of a report."""
        text = {name: report.get(name) for name in ("answer", "citations", "found", "not_said") if report.get(name)}
        return self.model_validate({**self.model_dump(), **text, "written": True, "cut": report.flaw == "cut"})

    def paid(self, report: Report) -> Self:
        """Return it with the cost of one of its steps."""
        cost = sum(call.get("cost_usd") or 0.0 for call in report.get("calls", []))
        return self.model_copy(update={"spent_usd": self.spent_usd + cost})

    @property
    def waits(self) -> bool:
        """Return whether its text is still to be written."""
        return not self.aside and not self.written

    @property
    def judged(self) -> bool:
        """Return whether its text is an answer to judge."""
        return self.found and not self.aside

    @property
    def outcome(self) -> Critiqued:
        """Return the part of it that is compared."""
        if not self.judged:
            return Critiqued(passage_id=self.passage_id, relevance=self.relevance)
        return Critiqued.model_validate(self.model_dump(include=set(Critiqued.model_fields)))


class Compared(Model):
    """The finished answers, as PickCandidate gets them."""

    candidates: list[Critiqued] = []


class Contest(Situation):
    """The state between two passes of `candidates`.

    `source` is the source of the answers in progress, and `decides` says that the decision runs in parallel with them.
    `fresh` are its new passages, `items` the answers in progress, and `since` is the index of their first entry in the
    ledger. `second` is the number of second opinions on support that are left; `ungraded` says that no passage of the
    source had a verdict.
    """

    stage: Literal["search", "read", "write", "reflect", "pick"] = "search"
    source: Source = ""
    decides: bool = False
    query: str = ""
    brought: list[str] = []
    fresh: list[str] = []
    new_bytes: int = 0
    items: list[Candidate] = []
    compared: Compared = Compared()
    share_usd: float | None = None
    second: int = 0
    ungraded: bool = False
    stopped: Stopped = ""
    since: int = 0


def weighed(known: Contest, policy: Policy, now_ms: float, each: int) -> Contest:
    """Return the state with each answer's share of the budget, and the limit that leaves no room for them.

    An answer takes `each` calls to Claude at most; the fine-tuned model takes one request for all. The rest of the
    calls is for second opinions on support.
    """
    number, made = len(known.items), calls(known) + known.decides
    by_selfrag, limit = policy.generator == "selfrag", policy.max_cost_usd
    bound = 1 if by_selfrag else each * number
    money = None if limit is None else (0.9 if known.decides else 1.0) * (limit - spent_usd(known))
    sequences = sum(entry.sequences for entry in known.ledger) + known.decides + number
    reasons: dict[Stopped, bool] = {
        "deadline": now_ms >= known.brief.deadline_ms,
        "calls": made + bound > policy.max_model_calls,
        "sequences": by_selfrag and sequences > policy.max_sequences,
        "cost": money is not None and money <= 0,
    }
    stopped = next((reason for reason, holds in reasons.items() if number and holds), "")
    share = money / number if money is not None and number else None
    return known.but(stopped=stopped, share_usd=share, second=policy.max_model_calls - made - bound)


def with_readings(known: Contest, policy: Policy, reports: Sequence[Report]) -> Contest:
    """Return the state with the grades and texts of the items, which are identified by their places."""
    items = [_read(known, str(place), item, policy, reports) for place, item in enumerate(known.items)]
    return known.but(items=items)


def _read(known: Contest, place: str, item: Candidate, policy: Policy, reports: Sequence[Report]) -> Candidate:
    for report in reports:
        if report.id == place and report.step == "GradeRelevance":
            passage_id = item.passage_id or ""
            verdict = relevance_of(report, passage_id, known.documents.get(passage_id, ""))
            item = item.graded(verdict, policy.constraints).paid(report)
        elif report.id == place and report.step == "Generate":
            item = item.texted(report).paid(report)
    return item


def with_entries(known: Contest, reports: Sequence[Report], *, taken: bool) -> Contest:
    """Return the state with a pass in its ledger; unused work, or text from a passage set aside, is waste."""
    aside = {str(place) for place, item in enumerate(known.items) if item.aside}
    before = [one if taken else one.model_copy(update={"waste": True}) for one in known.ledger[known.since :]]
    for report in reports:
        unused = not taken or (report.step == "Generate" and report.id in aside)
        waste = unused and report.step != "DecideRetrieval"
        before.append(entry_of(report, known.turn, waste=waste))
    return known.but(ledger=[*known.ledger[: known.since], *in_order(before)])


def with_critiques(known: Contest, reports: Sequence[Report]) -> Contest:
    """Return the state with IsSup and IsUse of the items."""
    supports = {report.id: support_of(report) for report in of_step(reports, "GradeSupport")}
    uses = {report.id: utility_of(report) for report in of_step(reports, "GradeUtility")}
    items = [
        item.model_copy(
            update={
                "support": supports.get(str(place), item.support),
                "utility": uses.get(str(place), item.utility),
            }
        )
        for place, item in enumerate(known.items)
    ]
    entries = in_order(entry_of(report, known.turn) for report in reports)
    return known.noted(entries).but(items=items)
