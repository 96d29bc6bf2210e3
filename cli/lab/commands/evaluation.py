"""The command about one's own questions: eval."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.lab.commands.afterwards import export_answers, have_judged
from cli.lab.commands.forecasts import tell_estimate, tell_power
from cli.lab.commands.gating import end_with
from cli.lab.commands.options import (
    Baseline,
    Csv,
    Export,
    FailIf,
    FromFeedback,
    Grids,
    JudgeErrors,
    JudgeModel,
    Limit,
    MachineArn,
    MaxCost,
    NoWorseThan,
    Parallel,
    Policies,
    Profiles,
    Prompts,
    QuestionSet,
    Redrive,
    Repeat,
    ReportFile,
    ResultsFile,
    Sets,
    Strategies,
    Summary,
)
from cli.local.sources.place import Place, place_to_ask
from cli.options import ApiKey, AsJson, Collection, Docs, Endpoint, FeedbackOf, Region
from cli.terminal import asking_progress, out, print_json, reading_progress, warn
from selfrag.domain.errors import InvalidInput

if TYPE_CHECKING:
    from cli.lab.evaluation import Plan
    from cli.lab.gold.question_sets import GoldQuestion
    from cli.lab.report import Findings


def evaluate(
    questions: QuestionSet = None,
    from_feedback: FromFeedback = False,
    name: FeedbackOf = "",
    region: Region = None,
    docs: Docs = None,
    collection: Collection = "",
    policy: Policies = None,
    strategy: Strategies = None,
    profile: Profiles = None,
    grid: Grids = None,
    prompt: Prompts = None,
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
    machine: MachineArn = "",
    redrive: Redrive = False,
    results: ResultsFile = None,
    max_cost: MaxCost = None,
    parallel: Parallel = 4,
    limit: Limit = None,
    repeat: Repeat = 1,
    sets: Sets = Path("sets"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ask nothing: the estimate, and what is known.")] = False,
    csv: Csv = None,
    report: ReportFile = None,
    export: Export = None,
    judge: JudgeModel = "",
    judge_errors: JudgeErrors = None,
    fail_if: FailIf = None,
    baseline: Baseline = None,
    no_worse_than: NoWorseThan = 0.0,
    summary: Summary = None,
    as_json: AsJson = False,
) -> None:
    """Ask questions whose answers are known, in one way or several, and compare: how good, how sure, at what price.

    `selfrag eval graders ROWS` holds the graders themselves against people's labels.

    Every answer is kept as it comes: the same command goes on where it was ended. Exit code 1 says that questions are
    left without an answer, 3 that a condition of --fail-if or --no-worse-than does not hold.
    """
    from cli.lab.evaluation import Plan
    from cli.lab.gate import check_findings, checked_conditions
    from cli.lab.gold.public_sets import is_question_set, unpacked
    from cli.lab.gold.question_sets import repeated
    from cli.lab.judge import read_errors
    from cli.lab.page.files import check_report, write_report
    from cli.lab.runs.variants import read_variants
    from cli.lab.tables import show_report

    if endpoint and (docs or collection):
        raise InvalidInput("A deployment answers from its own documents: leave out --docs and --collection.")
    _refuse_for_machine(machine, redrive, bool(docs or endpoint), max_cost)
    if max_cost is not None and max_cost <= 0:
        raise InvalidInput("--max-cost is a number of dollars above 0.")
    if (questions is None) != from_feedback or (not from_feedback and (name or region)):
        raise InvalidInput("Questions come from a file or --from-feedback; --name and --region say whose feedback.")
    if judge and (endpoint or machine):
        raise InvalidInput("A deployment does not show what its writer saw: --judge is for answers of this machine.")
    if judge_errors and not judge:
        raise InvalidInput("--judge-errors says how often --judge errs.")
    conditions = checked_conditions(fail_if or [])
    errors = read_errors(judge_errors or [], judge)
    if report:
        check_report(report)
    variants = read_variants(policy or [], strategy or [], profile or [], prompt or [], grid or [])
    kept = results or Path(f"{(questions or Path('feedback')).stem}.results.jsonl")
    if questions and is_question_set(str(questions)) and not questions.exists():
        questions, documents = unpacked(str(questions), sets)
        docs = docs or (None if collection else str(documents))
    place = None if endpoint or machine else place_to_ask(docs, collection)
    asked = _from_file(questions, limit) if questions else _from_feedback(name, region, place, limit)
    plan = Plan(repeated(asked, repeat), variants, kept, parallel, max_cost, place, machine or endpoint, api_key)
    if dry_run and len(variants) > 1:
        tell_power(len(asked))
    findings, left = _found(plan, collection, dry_run, machine, redrive)
    unjudged = have_judged(findings, plan, judge, errors) if judge and not dry_run else 0
    if csv:
        findings.write_csv(csv)
    if report:
        write_report(findings, report)
    if export:
        export_answers(findings, export, kept)
    if as_json:
        print_json(findings.report())
    else:
        show_report(out, findings.report())
    if left and not dry_run:
        goes_on = "with --redrive goes on" if machine else "goes on"
        warn([f"{left} answers are missing; the same command {goes_on} with them"])
    if (left or unjudged) and not dry_run:
        raise typer.Exit(1)
    if not dry_run:
        end_with(check_findings(findings, conditions, baseline, no_worse_than), summary)


def _found(plan: "Plan", collection: str, dry: bool, machine: str, redrive: bool) -> "tuple[Findings, int]":
    """Ask from here, or by the machine of a deployment; return the findings and how many answers are missing."""
    from cli.lab.evaluation import Told, evaluate

    told = Told(warn, tell_estimate, reading_progress, asking_progress)
    if machine and not dry:
        from cli.lab.runs.account import evaluate_in_account
        from cli.lab.runs.machine import Machine

        return evaluate_in_account(plan, told, Machine(machine), [collection] if collection else [], again=redrive)
    return evaluate(plan, told, dry)


def _from_file(path: Path, limit: int | None) -> "list[GoldQuestion]":
    from cli.lab.gold.question_sets import read_questions

    return read_questions(path, limit)


def _from_feedback(name: str, region: str | None, place: Place | None, limit: int | None) -> "list[GoldQuestion]":
    from cli.feedback.reading import read_feedback
    from cli.lab.gold.question_sets import corrected_questions

    # What was asked here of other documents is not asked of these; a deployment's collections have names of their own.
    collection = place.collection if place and not name else ""
    return corrected_questions(read_feedback(name, region, collection), limit)


def _refuse_for_machine(machine: str, redrive: bool, others: bool, max_cost: float | None) -> None:
    """Raise InvalidInput for what does not go with --machine, or goes with it alone."""
    if machine and others:
        raise InvalidInput("--machine asks a deployment by itself: leave out --docs and --endpoint.")
    if machine and max_cost is not None:
        raise InvalidInput("The account keeps to no --max-cost: give each question a max_cost_usd in its --policy.")
    if redrive and not machine:
        raise InvalidInput("--redrive is for --machine; otherwise the same command goes on by itself.")
