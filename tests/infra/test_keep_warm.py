"""A schedule that keeps a copy of each function of a question, and of nothing else."""

import json

from tests.support.infra.planned import Planner

SCHEDULE = "aws_scheduler_schedule.keep_warm"


def test_without_keep_warm_there_is_no_schedule(planned: Planner) -> None:
    made = [address for address in planned().resources if not address.startswith("data.")]
    assert not [address for address in made if "keep_warm" in address]


def test_keep_warm_invokes_live_version_of_question_functions_only(planned: Planner) -> None:
    plan = planned(keep_warm=True, keep_warm_schedule={"expression": "cron(0/4 7-18 ? * MON-FRI *)"})
    schedules = {
        address.removeprefix(SCHEDULE)[2:-2]: values
        for address, values in plan.resources.items()
        if address.startswith(SCHEDULE)
    }
    assert schedules.keys() == {
        "ask", "plan", "decide_retrieval", "retrieve", "grade_relevance", "generate", "grade_support",
        "grade_utility", "rewrite_question", "pick_candidate", "rank_paths", "compose_answer",
    }  # fmt: skip
    for values in schedules.values():
        assert values["schedule_expression"] == "cron(0/4 7-18 ? * MON-FRI *)"
        [target] = values["target"]
        assert json.loads(target["input"]) == {"keep_warm": True}
    assert f'{SCHEDULE}["search_web"]' in planned(keep_warm=True, web_search=True).resources


def test_the_schedule_may_invoke_these_functions_alone(planned: Planner) -> None:
    [statement] = planned(keep_warm=True).allowed["keep_warm"]
    assert statement["actions"] == ["lambda:InvokeFunction"]
    assert len(statement["resources"]) == 12
