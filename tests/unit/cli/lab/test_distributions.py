"""The distribution of the graders' verdicts."""

from typing import Any

from selfrag_cli.lab.metrics.distributions import distributions
from selfrag_cli.lab.metrics.measures import Reply
from tests.unit.cli.lab.conftest import reflection, response


def judged(*relevance: tuple[str, float | None], **more: Any) -> Any:
    return {**response(), "reflection": reflection(*relevance, **more)}


def test_verdicts_are_counted_with_those_that_could_not_be_had() -> None:
    said = [judged(("a", 0.05), ("b", 1.0), ("c", None)), judged(level="no_support", utility=None)]
    direct = {**response(), "reflection": {"relevance": [], "support": None, "utility": None}}
    found = distributions([Reply.model_validate(one) for one in (*said, direct)])
    counted = {grader: {label: n for label, n in counts.items() if n} for grader, counts in found.items()}
    assert counted == {
        "relevance": {"0.0 to 0.1": 1, "0.9 to 1.0": 1, "ungraded": 1},
        "support": {"no_support": 1, "fully_supported": 1},
        "utility": {"5": 1, "ungraded": 1},
    }
    assert len(found["relevance"]) == 11, "a tenth that was never said is there, too"
