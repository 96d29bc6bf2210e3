"""The words of a plan's reason: the numbers of passages, texts and verdicts."""

from selfrag.domain.answers import Draft
from selfrag.domain.verdicts import SupportLevel
from selfrag.plan.loop.outcome import Taken
from selfrag.plan.loop.situation import Loop
from selfrag.plan.passes import count

SUPPORT: dict[SupportLevel, str] = {
    "fully_supported": "fully supported",
    "partially_supported": "partly supported",
    "no_support": "not supported",
    "ungraded": "support not graded",
}
BY_RULE: dict[SupportLevel, str] = {
    "fully_supported": "found word for word",
    "partially_supported": "partly found word for word",
    "no_support": "not found word for word",
    "ungraded": "support not graded",
}


def relevant(taken: Taken) -> str:
    """Return the number of new passages that are evidence, in words."""
    labels = [verdict.label for verdict in taken.verdicts]
    if not labels:
        return count(taken.found, "passage") if taken.found else "Nothing new was found"
    kind = "ambiguous" if taken.found and "relevant" not in labels else "relevant"
    if any(verdict.judged_by == "rule" for verdict in taken.verdicts):
        kind = "with enough words in common" if kind == "relevant" else "with some words in common"
    ungraded = f", {taken.ungraded} not graded" if taken.ungraded else ""
    return f"{taken.found} of {count(len(labels), 'passage')} {kind}{ungraded}"


def drafted(known: Loop, taken: Taken) -> str:
    """Return the basis of an answer in words."""
    if known.direct:
        return "An answer without documents"
    if known.gathering.repair:
        return "The answer was repaired"
    draft = "the draft cites only these" if known.gathering.searches else "the answer is written from these"
    return (
        f"{relevant(taken)}; {draft}" if taken.verdicts else f"An answer from {count(len(known.evidence), 'passage')}"
    )


def judged(known: Loop, draft: Draft) -> str:
    """Return the judges' verdicts on an answer in words."""
    score = draft.utility.score
    if draft.utility.judged_by == "rule" and score is not None:
        use = "use not judged"
    else:
        use = "use not graded" if score is None else f"of use {score} of 5 ({known.min_utility} asked for)"
    if draft.direct:
        return f"Without documents, {use}"
    claims = draft.support.claims
    full = sum(claim.support == "full" for claim in claims)
    of_claims = f" ({full} of {count(len(claims), 'claim')})" if claims else ""
    support = (BY_RULE if draft.support.judged_by == "rule" else SUPPORT)[draft.support.level]
    gaps = f", {count(len(draft.not_said), 'part')} not said" if draft.not_said else ""
    return f"{support[0].upper()}{support[1:]}{of_claims}, {use}{gaps}"
