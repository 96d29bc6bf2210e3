"""Run the benchmark, print its table and write build/bench.json."""

import logging
import os
import sys

from tests.bench.api.server import usual_pace
from tests.bench.page import table
from tests.bench.rows import OUT, written
from tests.bench.scenarios import measured


def main() -> None:
    """Measure, print, write."""
    # As in the tests nothing of the user's configuration counts, and no log line comes between the figures.
    for name in [name for name in os.environ if name.startswith(("SELFRAG_", "ANTHROPIC_", "TAVILY_"))]:
        del os.environ[name]
    os.environ["POWERTOOLS_METRICS_DISABLED"] = "true"
    logging.disable(logging.CRITICAL)
    rows = measured(usual_pace, lambda row: print(f"{row.scenario}, {row.speculate}", file=sys.stderr))
    written(rows)
    print(table(rows), f"Written to {OUT}.", sep="\n")


if __name__ == "__main__":
    main()
