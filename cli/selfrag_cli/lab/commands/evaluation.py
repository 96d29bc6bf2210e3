"""The command about one's own questions: eval."""

from pathlib import Path
from typing import Annotated

import typer

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.commands.options import FailIf, Limit, Parallel, end_incomplete, end_with
from selfrag_cli.local.sources.source import source_to_ask
from selfrag_cli.options import AsJson, Collection, Docs, Endpoint
from selfrag_cli.sample import QUESTIONS
from selfrag_cli.terminal import out, print_json, warn

QuestionSet = Annotated[
    Path | None,
    typer.Argument(
        metavar="[QUESTIONS]",
        help="A file of questions in JSON Lines; the sample's, about the sample handbook, if left out.",
    ),
]
Variants = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        metavar="VARIANT",
        help="A strategy, a profile, a policy as NAME={...} or a prompt as STEP=FILE; more than once.",
    ),
]
ResultsFile = Annotated[
    Path | None,
    typer.Option("--results", help="Where answers are stored, and continued; QUESTIONS.results.jsonl by default."),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="USD", min=0, help="The most dollars to spend in all; 0 asks nothing."),
]
JudgeModel = Annotated[
    str,
    typer.Option(
        "--judge",
        metavar="MODEL",
        help="Have this model judge each answer against what its writer saw; as-set for the check of support itself.",
    ),
]
Outputs = Annotated[
    list[Path] | None,
    typer.Option("--output", metavar="FILE", help="Write a line for each answer to a .csv file; more than once."),
]


def evaluate(
    questions: QuestionSet = None,
    docs: Docs = None,
    collection: Collection = "",
    endpoint: Endpoint = "",
    variant: Variants = None,
    results: ResultsFile = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 4,
    limit: Limit = None,
    judge: JudgeModel = "",
    output: Outputs = None,
    fail_if: FailIf = None,
    as_json: AsJson = False,
) -> None:
    """Ask questions whose answers are known, in one way or several, and compare: how good, how sure, at what price.

    `selfrag eval graders ROWS` compares the graders themselves with people's labels.

    Every answer is stored as it comes: the same command continues where it ended. Exit code 1 means that questions
    have no answer, 3 that a condition of --fail-if holds. A deployment's key is SELFRAG_API_KEY.
    """
    from selfrag_cli.lab.evaluation import EvaluationPlan, judge_findings
    from selfrag_cli.lab.evaluation import evaluate as ask_all
    from selfrag_cli.lab.gate import check_findings, read_conditions
    from selfrag_cli.lab.question_sets import read_questions
    from selfrag_cli.lab.report import check_outputs, show_report, write_outputs
    from selfrag_cli.lab.runs.variants import read_variants

    if endpoint and (docs or collection or judge):
        raise InvalidInput(
            "A deployment answers from its own documents, and does not show what its writer saw: leave out --docs, "
            "--collection and --judge."
        )
    if not questions and (endpoint or docs or collection):
        raise InvalidInput("The sample's questions are about the sample handbook: name a file of your own questions.")
    conditions = read_conditions(fail_if or [])
    check_outputs(output or [])
    variants = read_variants(variant or [])
    stored = results or Path(f"{questions.stem if questions else 'sample'}.results.jsonl")
    place = None if endpoint else source_to_ask(docs, collection)
    rows = read_questions(questions or QUESTIONS, limit)
    plan = EvaluationPlan(rows, variants, stored, parallel, max_cost, place, endpoint, judge)
    findings, left = ask_all(plan)
    unjudged = judge_findings(plan, findings) if judge and not plan.only_estimates else 0
    write_outputs(findings, output or [])
    if as_json:
        print_json(findings.report().model_dump(mode="json"))
    else:
        show_report(out, findings.report())
    if plan.only_estimates:
        return
    if left:
        warn([f"{left} answers are missing; the same command goes on with them"])
    end_incomplete(unjudged)
    if left:
        raise typer.Exit(1)
    end_with(check_findings(findings, conditions))
