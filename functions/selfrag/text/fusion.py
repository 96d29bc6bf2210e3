"""The fusion of full text and vectors into one ranking.

On third-party questions the sum of z-scores beat reciprocal rank fusion and each search alone (docs/measurements.md).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from statistics import fmean, pstdev


def fuse(
    by_text: Mapping[str, float],
    by_vector: Mapping[str, float],
    *,
    text_full: bool = False,
    spread_floor: float = 0.0,
    unembedded: Collection[str] = (),
) -> dict[str, float]:
    """Sum the z-scores of both searches by id, best first.

    Ids without a full-text match score 0, or the minimum if that list may be incomplete (`text_full`). Ids missing from
    the vector list get its minimum. `spread_floor` reduces the weight of vector scores that differ less. The
    `unembedded` have no vector yet and keep their full-text rank.
    """
    lowest = min(by_text.values(), default=0.0) if text_full else 0.0
    text = {key: by_text.get(key, lowest) for key in (*by_text, *by_vector)}
    text_z = _z_scores(text.values(), 0.0)
    vector_z = _z_scores(by_vector.values(), spread_floor)
    last = min(by_vector.values(), default=0.0)
    total = {key: round(text_z(text[key]) + vector_z(by_vector.get(key, last)), 9) for key in text}
    waiting = set(unembedded) if by_vector else set()
    # Ties go to the better text match, then to the lower id, which keeps the order stable.
    ranking = sorted(total.keys() - waiting, key=lambda key: (-total[key], -text[key], key))
    for place, key in enumerate(sorted(by_text, key=lambda key: (-by_text[key], key))):
        if key in waiting:
            total[key] = total[ranking[place]] if place < len(ranking) else min(total[other] for other in ranking)
            ranking.insert(place, key)
    return {key: total[key] for key in ranking}


def _z_scores(scores: Iterable[float], floor: float) -> Callable[[float], float]:
    values = list(scores)
    if not values:
        return lambda score: 0.0
    mean, spread = fmean(values), max(pstdev(values), floor)
    return lambda score: (score - mean) / spread if spread else 0.0
