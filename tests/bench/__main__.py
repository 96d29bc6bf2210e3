"""`make bench`: run the parts that are named, or all; print their tables and write their figures into build/."""

import argparse
import json
import logging
import os
import sys

from tests.bench import parts
from tests.bench.page import BUILT, published, table
from tests.bench.rows import read, write

PARTS = ("rows", "workflow", "serve")


def main() -> None:
    """Measure, print, write; or put what was measured into docs/."""
    arguments = argparse.ArgumentParser(prog="make bench", description=__doc__)
    arguments.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}")
    arguments.add_argument("--docs", action="store_true", help="put the figures of the last run into docs/")
    given = arguments.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        arguments.error(f"no such part: {', '.join(sorted(unknown))}")
    if given.docs:
        return published()
    _measure(given.parts or PARTS)
    return None


def _measure(wanted: tuple[str, ...]) -> None:
    # As in the tests nothing of the user's configuration counts, and no log line comes between the figures.
    for name in [name for name in os.environ if name.startswith(("SELFRAG_", "ANTHROPIC_", "TAVILY_"))]:
        del os.environ[name]
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    logging.disable(logging.CRITICAL)
    BUILT[0].parent.mkdir(exist_ok=True)
    rows = read(BUILT[0]) if BUILT[0].exists() else []
    if "rows" in wanted:
        write(rows := parts.rows(_told), BUILT[0])
        print(table([vars(row) for row in rows]))
    more = json.loads(BUILT[1].read_text(encoding="utf-8")) if BUILT[1].exists() else {}
    found = parts.workflow(_told, rows) if "workflow" in wanted else {}
    found |= parts.serve(_told) if "serve" in wanted else {}
    for tables in found.values():
        print(table(tables))
    BUILT[1].write_text(json.dumps({**more, **found}, indent=1) + "\n", encoding="utf-8")
    print(f"Written to {BUILT[0]} and {BUILT[1].name}; `make bench-docs` puts them into docs/.")


def _told(what: str) -> None:
    print(what, file=sys.stderr)


if __name__ == "__main__":
    main()
