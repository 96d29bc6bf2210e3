"""The command about one's own questions: eval."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.local.place import place_to_ask
from cli.options import ApiKey, AsJson, Collection, Docs, Endpoint
from cli.terminal import asking_progress, out, print_json, reading_progress, warn
from selfrag.domain.errors import InvalidInput

if TYPE_CHECKING:
    from cli.evaluation.evaluating import Estimate

QuestionSet = Annotated[
    Path,
    typer.Argument(metavar="QUESTIONS", help="JSON Lines, or a data set of SQuAD (1.1, 2.0), Ragas or DeepEval."),
]
Policies = Annotated[
    list[str] | None,
    typer.Option("--policy", metavar="NAME={...}", help="A variant: a name and policy fields as JSON; more than once."),
]
Strategies = Annotated[
    list[str] | None, typer.Option("--strategy", metavar="NAME", help="A variant with this strategy; more than once.")
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
MaxCost = Annotated[float | None, typer.Option("--max-cost", metavar="USD", help="The most dollars to spend in all.")]
Parallel = Annotated[int, typer.Option("--parallel", metavar="N", min=1, max=64, help="Questions asked at a time.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Ask the first N questions.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write a line for each answer, with its measures.")]


def evaluate(
    questions: QuestionSet,
    docs: Docs = None,
    collection: Collection = "",
    policy: Policies = None,
    strategy: Strategies = None,
    profile: Profiles = None,
    prompt: Prompts = None,
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
    results: ResultsFile = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 4,
    limit: Limit = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ask nothing: the estimate, and what is known.")] = False,
    csv: Csv = None,
    as_json: AsJson = False,
) -> None:
    """Ask questions whose answers are known, in one way or several, and compare: how good, how sure, at what price.

    Every answer is kept as it comes: the same command goes on where it was ended. Exit code 1 says that questions are
    left without an answer.
    """
    from cli.evaluation.evaluating import Plan, Told, evaluate
    from cli.evaluation.gold.questions import read_questions
    from cli.evaluation.runs.variants import read_variants
    from cli.evaluation.showing import show_report

    if endpoint and (docs or collection):
        raise InvalidInput("A deployment answers from its own documents: leave out --docs and --collection.")
    if max_cost is not None and max_cost <= 0:
        raise InvalidInput("--max-cost is a number of dollars above 0.")
    asked = read_questions(questions, limit)
    variants = read_variants(policy or [], strategy or [], profile or [], prompt or [])
    place = None if endpoint else place_to_ask(docs, collection)
    kept = results or Path(f"{questions.stem}.results.jsonl")
    plan = Plan(asked, variants, kept, parallel, max_cost, place, endpoint, api_key)
    findings, left = evaluate(plan, Told(warn, _tell_estimate, reading_progress, asking_progress), dry_run)
    if csv:
        findings.write_csv(csv)
    if as_json:
        print_json(findings.report())
    else:
        show_report(out, findings.report())
    if left and not dry_run:
        warn([f"{left} answers are missing; the same command goes on with them"])
        raise typer.Exit(1)


def _tell_estimate(estimate: "Estimate") -> None:
    dollars = "an unknown number of dollars" if estimate.usd is None else f"about {estimate.usd:.2f} dollars"
    spent = f"; {estimate.spent:.2f} dollars are spent" if estimate.spent else ""
    typer.echo(f"selfrag: {estimate.left} of {estimate.total} answers to get, for {dollars}{spent}", err=True)
