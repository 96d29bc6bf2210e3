"""The `selfrag` command: questions to documents, on this laptop or to a deployment, and what looks after both."""

import atexit
import gc
import os
import sys

# A command makes half a million objects that stay, and little garbage: to look for that again and again while they are
# made, and once more at the end, takes seconds.
gc.set_threshold(50_000, 20, 20)
atexit.register(gc.freeze)

# Log lines belong to CloudWatch, not between an answer and its reader; set before the handlers are imported.
os.environ.setdefault("POWERTOOLS_LOG_LEVEL", "CRITICAL")
os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")

import typer

from cli.commands.collections import collections
from cli.commands.deployment import doctor
from cli.commands.documents import bench, documents, ingest, search, serve
from cli.commands.evaluation import evaluate
from cli.commands.feedback import feedback
from cli.commands.question_sets import questions
from cli.commands.questions import ask, smoke, trace
from cli.commands.releases import rollback
from cli.commands.replay import replay
from cli.local.home import is_damage, told
from cli.terminal import fail
from selfrag.domain.errors import SelfragError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
for command in (
    ask,
    ingest,
    documents,
    search,
    trace,
    feedback,
    serve,
    questions,
    replay,
    bench,
    doctor,
    smoke,
    rollback,
):
    app.command()(command)
app.command("eval")(evaluate)
app.add_typer(collections, name="collections")


def main() -> None:
    """Run the command; an error is one sentence on stderr and a non-zero exit."""
    try:
        app()
    except SelfragError as error:
        fail(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if is_damage(error):
            fail(told(error))
        if os.environ.get("SELFRAG_DEBUG"):
            raise
        fail(f"Unexpected {type(error).__name__}: {error} (set SELFRAG_DEBUG=1 to see where).")


if __name__ == "__main__":
    main()
