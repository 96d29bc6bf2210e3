"""The command: run the parts that are named, or all; print their tables and write their figures into build/."""

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable

from bench.workflow import parts
from bench.workflow.page import BUILT, publish, rows_table, table
from bench.workflow.rows import read, write

PARTS = ("rows", "strategies", "graders", "workflow")


def run() -> None:
    """Measure, print, write; or copy the figures of the last run to bench/figures."""
    arguments = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    choices = (*PARTS, "publish")
    arguments.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(choices)}")
    names = arguments.parse_args().parts
    if unknown := sorted(set(names) - set(choices)):
        arguments.error(f"no such part: {', '.join(unknown)}")
    if set(names) != {"publish"}:
        _measure([name for name in names if name != "publish"] or list(PARTS))
    if "publish" in names:
        publish()


def _measure(names: list[str]) -> None:
    _without_user_settings()
    BUILT[0].parent.mkdir(exist_ok=True)
    rows = read(BUILT[0]) if BUILT[0].exists() and "rows" not in names else []
    if "rows" in names:
        write(rows := parts.rows(_progress), BUILT[0])
        print(rows_table(rows))
    runs: dict[str, Callable[[], parts.Tables]] = {
        "strategies": lambda: parts.strategies(_progress),
        "graders": lambda: parts.graders(_progress),
        "workflow": lambda: parts.workflow(_progress, rows),
    }
    for name in names:
        if name in runs:
            _store(runs[name]())
    print(f"Written to {BUILT[0]} and {BUILT[1].name}; `python -m bench publish` copies them to bench/figures.")


def _without_user_settings() -> None:
    """As in the tests: no setting or key of the user counts, and no log line comes between the figures."""
    for name in [name for name in os.environ if name.startswith(("SELFRAG_", "ANTHROPIC_", "TAVILY_"))]:
        del os.environ[name]
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    logging.disable(logging.CRITICAL)


def _store(tables: parts.Tables) -> None:
    """Print tables, and put them in the place of those of an earlier run."""
    for rows in tables.values():
        print(table(rows))
    before = json.loads(BUILT[1].read_text(encoding="utf-8")) if BUILT[1].exists() else {}
    BUILT[1].write_text(json.dumps({**before, **tables}, indent=1) + "\n", encoding="utf-8")


def _progress(what: str) -> None:
    print(what, file=sys.stderr)
