"""The command about one's own questions: eval."""

from pathlib import Path
from typing import Annotated

import typer

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.commands import options
from selfrag_cli.lab.commands.answers import export_answers, found_answers, have_judged, questions_of
from selfrag_cli.lab.commands.gating import end_with
from selfrag_cli.local.sources.place import place_to_ask
from selfrag_cli.options import ApiKey, AsJson, Collection, Docs, Endpoint, FeedbackOf, Region
from selfrag_cli.terminal import out, print_json, warn


def evaluate(
    questions: options.QuestionSet = None,
    from_feedback: options.FromFeedback = False,
    name: FeedbackOf = "",
    region: Region = None,
    docs: Docs = None,
    collection: Collection = "",
    policy: options.Policies = None,
    strategy: options.Strategies = None,
    profile: options.Profiles = None,
    grid: options.Grids = None,
    prompt: options.Prompts = None,
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
    machine: options.MachineArn = "",
    redrive: options.Redrive = False,
    results: options.ResultsFile = None,
    max_cost: options.MaxCost = None,
    parallel: options.Parallel = 4,
    limit: options.Limit = None,
    repeat: options.Repeat = 1,
    sets: options.Sets = Path("sets"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Ask nothing: the estimate, and what is known.")] = False,
    csv: options.Csv = None,
    report: options.ReportFile = None,
    export: options.Export = None,
    judge: options.JudgeModel = "",
    judge_errors: options.JudgeErrors = None,
    fail_if: options.FailIf = None,
    baseline: options.Baseline = None,
    no_worse_than: options.NoWorseThan = 0.0,
    summary: options.Summary = None,
    as_json: AsJson = False,
) -> None:
    """Ask questions whose answers are known, in one way or several, and compare: how good, how sure, at what price.

    `selfrag eval graders ROWS` holds the graders themselves against people's labels.

    Every answer is kept as it comes: the same command goes on where it was ended. Exit code 1 says that questions are
    left without an answer, 3 that a condition of --fail-if or --no-worse-than does not hold.
    """
    from selfrag_cli.lab.evaluation import Plan
    from selfrag_cli.lab.gate import check_findings, checked_conditions, read_baseline
    from selfrag_cli.lab.gold.public_sets import is_question_set, unpacked
    from selfrag_cli.lab.gold.question_sets import repeated
    from selfrag_cli.lab.judge import read_errors
    from selfrag_cli.lab.page.files import check_report, write_report
    from selfrag_cli.lab.report import primary_measure
    from selfrag_cli.lab.runs.variants import read_variants
    from selfrag_cli.lab.tables import show_report

    refusals = {
        "A deployment answers from its own documents: leave out --docs and --collection.": endpoint
        and (docs or collection),
        "--machine asks a deployment by itself: leave out --docs and --endpoint.": machine and (docs or endpoint),
        "The account keeps to no --max-cost: give each question a max_cost_usd in its --policy.": machine
        and max_cost is not None,
        "--redrive is for --machine; otherwise the same command goes on by itself.": redrive and not machine,
        "Questions come from a file or --from-feedback; --name and --region say whose feedback.": (
            (questions is None) != from_feedback or (not from_feedback and (name or region))
        ),
        "A deployment does not show what its writer saw: --judge is for answers of this machine.": judge
        and (endpoint or machine),
        "--judge-errors says how often --judge errs.": judge_errors and not judge,
    }
    for sentence, refused in refusals.items():
        if refused:
            raise InvalidInput(sentence)
    before = read_baseline(baseline, primary_measure(bool(judge))) if baseline else None
    conditions, errors = checked_conditions(fail_if or []), read_errors(judge_errors or [], judge)
    if report:
        check_report(report)
    variants = read_variants(policy or [], strategy or [], profile or [], prompt or [], grid or [])
    kept = results or Path(f"{(questions or Path('feedback')).stem}.results.jsonl")
    if questions and is_question_set(str(questions)) and not questions.is_file():
        questions, documents = unpacked(str(questions), sets)
        docs = docs or (None if collection else str(documents))
    place = None if endpoint or machine else place_to_ask(docs, collection)
    asked = repeated(questions_of(questions, name, region, place, limit), repeat)
    plan = Plan(asked, variants, kept, parallel, max_cost, place, machine or endpoint, api_key)
    findings, left = found_answers(plan, collection, dry_run, machine, redrive)
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
    if dry_run:
        return
    if left:
        goes_on = "with --redrive goes on" if machine else "goes on"
        warn([f"{left} answers are missing; the same command {goes_on} with them"])
    if left or unjudged:
        raise typer.Exit(1)
    end_with(check_findings(findings, conditions, before, no_worse_than), summary)
