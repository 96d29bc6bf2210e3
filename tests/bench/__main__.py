"""`make bench`: run the parts that are named, or all; print their tables and write their figures into build/."""

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Sequence

from tests.bench import parts
from tests.bench.page import BUILT, published, rows_table, table
from tests.bench.rows import read, write

PARTS = ("rows", "strategies", "workflow", "serve", "index", "page")


def main() -> None:
    """Measure, print, write; or put what was measured into docs/."""
    arguments = argparse.ArgumentParser(prog="make bench", description=__doc__)
    arguments.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}")
    arguments.add_argument("--questions", type=int, default=300, help="so many for the memory of selfrag serve")
    arguments.add_argument("--docs", action="store_true", help="put the figures of the last run into docs/")
    given = arguments.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        arguments.error(f"no such part: {', '.join(sorted(unknown))}")
    if given.docs:
        published()
    else:
        _measure(given.parts or PARTS, given.questions)


def _measure(wanted: Sequence[str], questions: int) -> None:
    _with_nothing_of_the_user()
    BUILT[0].parent.mkdir(exist_ok=True)
    rows = read(BUILT[0]) if BUILT[0].exists() and "rows" not in wanted else []
    if "rows" in wanted:
        write(rows := parts.rows(_told), BUILT[0])
        print(rows_table(rows))
    runs: dict[str, Callable[[], parts.Tables]] = {
        "strategies": lambda: parts.strategies(_told),
        "workflow": lambda: parts.workflow(_told, rows),
        "serve": lambda: parts.serve(_told, questions),
        "index": lambda: parts.index(_told),
    }
    for name in wanted:
        if name in runs:
            _keep(runs[name]())
    if "page" in wanted:
        print(table(parts.page(_told)))
    if set(wanted) != {"page"}:
        print(f"Written to {BUILT[0]} and {BUILT[1].name}; `make bench-docs` puts them into docs/.")


def _with_nothing_of_the_user() -> None:
    """As in the tests: no setting or key of the user counts, and no log line comes between the figures."""
    for name in [name for name in os.environ if name.startswith(("SELFRAG_", "ANTHROPIC_", "TAVILY_"))]:
        del os.environ[name]
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    logging.disable(logging.CRITICAL)


def _keep(found: parts.Tables) -> None:
    """Print tables, and put them in the place of those of an earlier run."""
    for rows in found.values():
        print(table(rows))
    before = json.loads(BUILT[1].read_text(encoding="utf-8")) if BUILT[1].exists() else {}
    BUILT[1].write_text(json.dumps({**before, **found}, indent=1) + "\n", encoding="utf-8")


def _told(what: str) -> None:
    print(what, file=sys.stderr)


if __name__ == "__main__":
    main()
