"""A guardrail in the Terraform: the functions at both ends of a question have it, and none shows unchecked texts."""

from tests.support.infra.planned import Planner

ID, VERSION = "SELFRAG_GUARDRAIL_ID", "SELFRAG_GUARDRAIL_VERSION"
ARN = "arn:aws:bedrock:eu-central-1:210987654321:guardrail/abcdefgh1234"


def test_first_and_last_question_functions_apply_guardrail(planned: Planner) -> None:
    plan = planned(guardrail={"id": "abcdefgh1234", "version": "3"}, stream_events=True)
    assert {step for step, settings in plan.told.items() if ID in settings} == {"plan", "compose_answer"}
    assert plan.told["plan"] == {ID: "abcdefgh1234", VERSION: "3"}
    # `ask` shows streamed text.
    assert {step for step, settings in plan.told.items() if settings.get("SELFRAG_GUARDED") == "true"} == {"ask"}
    allowed = {
        who: statement["resources"]
        for who, statements in plan.allowed.items()
        for statement in statements
        if "bedrock:ApplyGuardrail" in statement["actions"]
    }
    assert allowed.keys() == {'step["plan"]', 'step["compose_answer"]'}
    assert all(len(arns) == 1 and arns[0].endswith(":guardrail/abcdefgh1234") for arns in allowed.values())


def test_a_guardrail_of_another_account_is_named_by_its_arn(planned: Planner) -> None:
    plan = planned(guardrail={"id": ARN, "version": "DRAFT"})
    statements = [each for each in plan.allowed['step["plan"]'] if each["sid"] == "CheckTexts"]
    assert [each["resources"] for each in statements] == [[ARN]]


def test_without_one_nothing_is_told_of_it(planned: Planner) -> None:
    assert not any(planned().told.values())
