"""Filters of a search, as SQL over the index's tables."""

import json
import sqlite3
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfrag.domain.passages import Bounds
from selfrag_cli.local.index.store import Numbers, columns

# A document is called as it is cited or by its whole key. One without a date is of no time.
_WITHIN = """collection IN (SELECT value FROM json_each(:collections))
AND (:documents IS NULL OR document IN (SELECT value FROM json_each(:documents))
    OR collection || '/' || document IN (SELECT value FROM json_each(:documents)))
AND (:since IS NULL OR date >= :since) AND (:until IS NULL OR date <= :until)
AND (:tags IS NULL OR tags IN (
    SELECT lists.tags FROM (SELECT DISTINCT tags FROM passages) AS lists, json_each(lists.tags) AS tag
    WHERE tag.value IN (SELECT value FROM json_each(:tags))))
"""
_NUMBERS = f"""
SELECT json_group_array(number) FROM passages
WHERE passage_id NOT IN (SELECT value FROM json_each(:without)) AND {_WITHIN}
"""  # noqa: S608 (no input in it)
_FETCH = f"""
SELECT passage_id, passage FROM passages JOIN texts ON texts.rowid = number
WHERE passage_id IN (SELECT value FROM json_each(:passage_ids)) AND {_WITHIN}
"""  # noqa: S608 (no input in it)


def allowed(connection: sqlite3.Connection, numbers: Numbers, bounds: Bounds) -> NDArray[np.bool_]:
    """Return, for each of these passages of the bounds' collections, whether it passes the other filters."""
    if bounds == Bounds(bounds.collections):
        return np.ones(len(numbers), np.bool_)
    (found,) = columns(connection, _NUMBERS, {**_values(bounds), "without": json.dumps(list(bounds.without))})
    return np.isin(numbers, found, assume_unique=True)


def fetch_allowed(connection: sqlite3.Connection, passage_ids: Sequence[str], bounds: Bounds) -> dict[str, str]:
    """Return the passages (JSON) that are within the bounds, by their passage ids."""
    wanted = {"passage_ids": json.dumps(list(passage_ids)), **_values(bounds)}
    return dict(connection.execute(_FETCH, wanted).fetchall())


def _values(bounds: Bounds) -> dict[str, str | None]:
    lists = {name: getattr(bounds, name) for name in ("collections", "documents", "tags")}
    return {
        **{name: None if wanted is None else json.dumps(list(wanted)) for name, wanted in lists.items()},
        "since": bounds.since,
        "until": bounds.until,
    }
