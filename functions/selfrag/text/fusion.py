"""The fusion of several searches into one ranking.

On third-party questions the sum of z-scores beat reciprocal rank fusion and each search alone.
"""

from collections.abc import Mapping
from statistics import fmean, pstdev


def fuse(*searches: Mapping[str, float]) -> dict[str, float]:
    """Return the sum of z-scores of each id over the searches' scores, best first.

    An id that one search did not find gets that search's lowest score.
    """
    total = dict.fromkeys((found for search in searches for found in search), 0.0)
    for search in searches:
        standing = _z_scores(search)
        lowest = min(standing.values(), default=0.0)
        for found in total:
            total[found] += standing.get(found, lowest)
    # Ties are broken by id, so that the same question finds the same order.
    return dict(sorted(total.items(), key=lambda ranked: (-ranked[1], ranked[0])))


def _z_scores(scores: Mapping[str, float]) -> dict[str, float]:
    if not scores:
        return {}
    mean, spread = fmean(scores.values()), pstdev(scores.values())
    return {key: (score - mean) / spread if spread else 0.0 for key, score in scores.items()}
