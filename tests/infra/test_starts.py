"""Settings of the functions that avoid waiting for cold starts."""

from infra.packages.package import FUNCTIONS
from infra.packages.zips import steps_of
from tests.support.infra.planned import Plan, Planner

STEPS = steps_of(FUNCTIONS)
QUESTION = {step for step, folder in STEPS.items() if folder.parent.name == "question"}
ONE_PROCESSOR = 1769


def functions(plan: Plan) -> dict[str, tuple[int, bool, list[str]]]:
    """Return each function's memory in MB, whether it is published, and its package."""
    return {
        values["function_name"].removeprefix("selfrag-"): (
            values["memory_size"],
            values["publish"],
            [each["apply_on"] for each in values["snap_start"]],
        )
        for address, values in plan.resources.items()
        if address.startswith("aws_lambda_function.")
    }


def test_large_libraries_and_plan_get_a_whole_processor(planned: Planner) -> None:
    large = {step for step in QUESTION if (STEPS[step] / "prompt.md").exists()} | {"retrieve"}
    whole = {step for step, (memory, _, _) in functions(planned()).items() if memory == ONE_PROCESSOR}
    assert whole == large | {"plan"}


def test_only_question_functions_start_from_published_snapshots(planned: Planner) -> None:
    started = functions(planned(snap_start=True))
    assert {step for step, (_, _, start) in started.items() if start == ["PublishedVersions"]} - {"ask"} == QUESTION
    assert {published for _, published, start in started.values() if start} == {True}


def test_without_being_told_no_function_starts_from_a_snapshot(planned: Planner) -> None:
    assert not any(start for _, _, start in functions(planned()).values())
