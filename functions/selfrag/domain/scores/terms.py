"""The formulas of a critique (arXiv 2310.11511, appendix A.3): pure, on probabilities of reflection tokens."""

from collections.abc import Mapping, Sequence

from selfrag.domain.scores.tokens import RELEVANCE, RETRIEVE, SUPPORT, UTILITY

# Probabilities by token; a token that is not there has none. They need not add up to one: each group is normalised
# over its own tokens only.
Distribution = Mapping[str, float]
# What IsUse's five tokens are worth, 1 first.
USES = (-1.0, -0.5, 0.0, 0.5, 1.0)


def retrieval_ratio(probabilities: Distribution) -> float | None:
    """Return r = p(Retrieval) / (p(Retrieval) + p(No Retrieval)), 0 to 1; None where neither is there."""
    no, yes, _ = RETRIEVE
    return _ratio(probabilities, [yes], [no, yes])


def needs_search(ratio: float, threshold: float) -> bool:
    """Return whether r calls for a search: strictly above the threshold (A.3)."""
    return ratio > threshold


def relevance_score(probabilities: Distribution) -> float | None:
    """s(Rel), 0 to 1; None where the group is not there."""
    return _ratio(probabilities, RELEVANCE[1:], RELEVANCE)


def support_score(probabilities: Distribution) -> float | None:
    """s(Sup), 0 to 1, in which partial support counts half; None where the group is not there."""
    _, partial, full = SUPPORT
    total = mass(probabilities, SUPPORT)
    return (probabilities.get(full, 0.0) + 0.5 * probabilities.get(partial, 0.0)) / total if total > 0 else None


def utility_score(probabilities: Distribution) -> float | None:
    """s(Use), -1 to 1, the mean of what the five are worth; None where the group is not there."""
    total = mass(probabilities, UTILITY)
    if total <= 0:
        return None
    return sum(use * probabilities.get(token, 0.0) for use, token in zip(USES, UTILITY, strict=True)) / total


def most_probable(probabilities: Distribution, group: Sequence[str]) -> str | None:
    """Return the most probable token of a group, worst first: a tie goes to the less favourable; None without any."""
    present = [token for token in group if probabilities.get(token, 0.0) > 0]
    return max(present, key=lambda token: probabilities[token], default=None)


def mass(probabilities: Distribution, group: Sequence[str]) -> float:
    """Return the total probability of a group."""
    return sum(probabilities.get(token, 0.0) for token in group)


def _ratio(probabilities: Distribution, part: Sequence[str], whole: Sequence[str]) -> float | None:
    total = mass(probabilities, whole)
    return mass(probabilities, part) / total if total > 0 else None
