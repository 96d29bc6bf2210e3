"""The options of `selfrag eval` alone."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from selfrag.domain.errors import InvalidInput


class Tool(StrEnum):
    """A tool that answers can be exported for."""

    RAGAS = "ragas"
    DEEPEVAL = "deepeval"
    LANGFUSE = "langfuse"


def above_zero(dollars: float | None) -> float | None:
    """Return the dollars of an option; raises InvalidInput for none or less."""
    if dollars is not None and dollars <= 0:
        raise InvalidInput("--max-cost is a number of dollars above 0.")
    return dollars


QuestionSet = Annotated[
    Path | None,
    typer.Argument(
        metavar="[QUESTIONS]",
        help="JSON Lines, a data set of SQuAD (1.1, 2.0), Ragas or DeepEval, or the name of a public set.",
    ),
]
Sets = Annotated[Path, typer.Option("--sets", metavar="DIRECTORY", help="Where the files of public sets are.")]
FromFeedback = Annotated[
    bool, typer.Option("--from-feedback", help="In the place of a file: questions of which people wrote what is right.")
]
Policies = Annotated[
    list[str] | None,
    typer.Option("--policy", metavar="NAME={...}", help="A variant: a name and policy fields as JSON; more than once."),
]
Strategies = Annotated[
    list[str] | None, typer.Option("--strategy", metavar="NAME", help="A variant with this strategy; more than once.")
]
Grids = Annotated[
    list[str] | None,
    typer.Option(
        "--grid",
        metavar='{"FIELD": [...], ...}',
        help="A variant for each combination of these values of the policy; more than once.",
    ),
]
Profiles = Annotated[
    list[str] | None,
    typer.Option("--profile", metavar="NAME", help="A variant with the models of this profile; more than once."),
]
Prompts = Annotated[
    list[str] | None,
    typer.Option("--prompt", metavar="STEP=FILE", help="A variant with this prompt of a step; more than once."),
]
ResultsFile = Annotated[
    Path | None,
    typer.Option(
        "--results", help="Where answers are kept, and gone on with; QUESTIONS.results.jsonl here if left out."
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="USD", callback=above_zero, help="The most dollars to spend in all."),
]
Parallel = Annotated[int, typer.Option("--parallel", metavar="N", min=1, max=64, help="Questions asked at a time.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Ask the first N questions.")]
Repeat = Annotated[int, typer.Option("--repeat", metavar="N", min=1, max=20, help="Ask each question N times.")]
MachineArn = Annotated[
    str,
    typer.Option(
        "--machine",
        metavar="ARN",
        help="Have a deployment ask by itself, so many at a time as it is set to: the output evaluation_machine_arn.",
    ),
]
Redrive = Annotated[bool, typer.Option("--redrive", help="With --machine: ask once more what has failed.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write a line for each answer, with its measures.")]
ReportFile = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE.html", help="Write a page with figures; JSON and CSV beside it."),
]
Export = Annotated[
    list[Tool] | None,
    typer.Option("--export", help="Write the answers for this tool, too, beside the file of results; more than once."),
]
JudgeModel = Annotated[
    str,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Have this model judge each answer against what its writer saw; as-set for the check of support itself.",
    ),
]
JudgeErrors = Annotated[
    list[Path] | None,
    typer.Option(
        "--judge-errors",
        metavar="FILE",
        help="How often the judge errs: what `eval graders --json` printed of it, of support or of correctness.",
    ),
]
FailIf = Annotated[
    list[str] | None,
    typer.Option("--fail-if", metavar="'supported < 0.9'", help="End with exit code 3 if it is so; more than once."),
]
Summary = Annotated[
    Path | None, typer.Option("--summary", metavar="FILE.md", help="Append the checks of --fail-if as Markdown.")
]
Baseline = Annotated[
    Path | None, typer.Option("--baseline", metavar="FILE.csv", help="Answers of before, as --csv wrote them.")
]
NoWorseThan = Annotated[
    float, typer.Option("--no-worse-than", min=0, help="With --baseline: end with exit code 3 if worse by more.")
]
