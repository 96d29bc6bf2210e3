"""The worked example of candidates: three passages, as the paper's model critiques them and as our graders do."""

import math
from collections.abc import Sequence

from selfrag.domain.scores import terms
from selfrag.domain.scores.critiqued import CritiquedAnswer, Terms
from selfrag.domain.scores.tokens import RELEVANCE, SUPPORT, UTILITY
from selfrag.domain.verdicts import RelevanceVerdict, SupportLevel, SupportVerdict, UtilityVerdict

LEVEL: dict[str, SupportLevel] = {
    SUPPORT[0]: "no_support",
    SUPPORT[1]: "partially_supported",
    SUPPORT[2]: "fully_supported",
}
# p(rel), p(irr); p(full), p(part), p(no); p(1..5); the sum of log-probabilities and the tokens.
ROWS = {
    "d1": ((0.90, 0.05), (0.10, 0.60, 0.30), (0.02, 0.03, 0.10, 0.25, 0.60), -2.4, 12),
    "d2": ((0.72, 0.18), (0.63, 0.18, 0.09), (0.05, 0.05, 0.20, 0.40, 0.30), -4.2, 12),
    "d3": ((0.30, 0.60), (0.90, 0.05, 0.05), (0.01, 0.01, 0.03, 0.15, 0.80), -0.8, 8),
}
CLAUDE: dict[str, tuple[float, SupportLevel, int]] = {
    "d1": (0.9, "partially_supported", 5),
    "d2": (0.8, "fully_supported", 4),
    "d3": (0.3, "fully_supported", 5),
}


def distribution(relevance: Sequence[float], support: Sequence[float], use: Sequence[float] = ()) -> dict[str, float]:
    found = dict(zip(reversed(RELEVANCE), relevance, strict=True)) | dict(zip(reversed(SUPPORT), support, strict=True))
    return found | dict(zip(UTILITY, use, strict=False))


def critiqued(name: str, seq: float = 1.0) -> CritiquedAnswer:
    """Return an answer of the example with its probabilities; its sequence term times `seq`."""
    relevance, support, use, logs, tokens = ROWS[name]
    found = distribution(relevance, support, use)
    told = Terms(
        rel=terms.relevance_score(found),
        sup=terms.support_score(found) or 0.0,
        use=terms.utility_score(found) or 0.0,
        seq=seq * math.exp(logs / tokens),
    )
    label = terms.most_probable(found, SUPPORT) or ""
    relevant = relevance[0] > relevance[1]
    verdict = RelevanceVerdict(
        passage_id=name, relevant=relevant, score=told.rel, label="relevant" if relevant else "irrelevant"
    )
    utility = UtilityVerdict.model_validate({"score": int((terms.most_probable(found, UTILITY) or "[Utility:1]")[9])})
    level = SupportVerdict(level=LEVEL[label])
    return CritiquedAnswer(passage_id=name, answer="A.", relevance=verdict, support=level, utility=utility, terms=told)


def labelled(name: str) -> CritiquedAnswer:
    """Return the same answer as our graders judge it."""
    rel, level, use = CLAUDE[name]
    label = "relevant" if rel >= 0.5 else "irrelevant"
    return CritiquedAnswer(
        passage_id=name,
        answer="A.",
        relevance=RelevanceVerdict.model_validate(
            {"passage_id": name, "relevant": rel >= 0.5, "score": rel, "label": label}
        ),
        support=SupportVerdict(level=level),
        utility=UtilityVerdict.model_validate({"score": use}),
    )
