"""The worked example of candidates: three passages, as a decision model and as Claude's graders judge them."""

from selfrag.domain.scores.critiqued import CritiquedAnswer
from selfrag.domain.verdicts import Claim, RelevanceVerdict, SupportLevel, SupportVerdict, UtilityVerdict

# p(rel), p(irr); p(full), p(part), p(no); p(1..5).
ROWS = {
    "d1": ((0.90, 0.05), (0.10, 0.60, 0.30), (0.02, 0.03, 0.10, 0.25, 0.60)),
    "d2": ((0.72, 0.18), (0.63, 0.18, 0.09), (0.05, 0.05, 0.20, 0.40, 0.30)),
    "d3": ((0.30, 0.60), (0.90, 0.05, 0.05), (0.01, 0.01, 0.03, 0.15, 0.80)),
}
CLAUDE: dict[str, tuple[float, SupportLevel, int]] = {
    "d1": (0.9, "partially_supported", 5),
    "d2": (0.8, "fully_supported", 4),
    "d3": (0.3, "fully_supported", 5),
}


def decided(name: str) -> CritiquedAnswer:
    """Return the answer as a decision model judges it, with some probability for "unsure"."""
    (relevant, irrelevant), (full, partial, none), use = ROWS[name]
    rel = relevant / (relevant + irrelevant)
    support = {"full": full * 0.9, "partial": partial * 0.9, "none": none * 0.9, "contradicted": 0.0}
    return CritiquedAnswer(
        passage_id=name,
        answer="A.",
        relevance=RelevanceVerdict(
            passage_id=name,
            relevant=rel > 0.5,
            score=rel,
            probability=rel,
            probabilities={"yes": relevant, "no": irrelevant},
            label="relevant" if rel > 0.5 else "irrelevant",
        ),
        support=SupportVerdict(
            level="partially_supported",
            claims=[
                Claim(claim="A.", support="partial", probability=full, probabilities={**support, "cannot_tell": 0.1})
            ],
        ),
        utility=UtilityVerdict(score=5, probabilities={str(level): p for level, p in enumerate(use, start=1)}),
    )


def labelled(name: str) -> CritiquedAnswer:
    """Return the same answer as Claude's graders judge it."""
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
