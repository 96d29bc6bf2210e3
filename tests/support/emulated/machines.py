"""The calls of a state machine itself: decided by its role, where it happens, and refused as a failed state."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ministack.core.iam_actions import identity_denial_message
from ministack.services import stepfunctions

from tests.support.emulated.account import Account
from tests.support.emulated.requests import compared
from tests.support.enforced.callers import ACCOUNT, role_of, session_arn

HERE = f"us-east-1:{ACCOUNT}"
# How Step Functions hears that an execution of another machine has ended.
_RULE = f"arn:aws:events:{HERE}:rule/StepFunctionsGetEventsForStepFunctionsExecutionRule"
_RULE_ACTIONS = ("events:PutTargets", "events:PutRule", "events:DescribeRule")
_LOG_ACTIONS = ("CreateLogDelivery", "DeleteLogDelivery", "DescribeLogGroups", "DescribeResourcePolicies")
_LOG_ACTIONS += ("GetLogDelivery", "ListLogDeliveries", "PutResourcePolicy", "UpdateLogDelivery")

_role: ContextVar[str] = ContextVar("role")


class Machines:
    """Stands before what ministack does for a state."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def install(self) -> None:
        """Put the decisions in their places."""
        for name in ("_execute_task", "_run_distributed_map"):
            setattr(stepfunctions, name, self._with_role(getattr(stepfunctions, name)))
        before = {
            "_call_lambda": self._function,
            "_invoke_dynamodb": self._item,
            "_invoke_nested_start_execution_sync": self._execution,
            "_invoke_aws_sdk_integration": self._sdk,
            "_read_map_items": self._items,
        }
        for name, decide in before.items():
            setattr(stepfunctions, name, _after(decide, getattr(stepfunctions, name)))
        for name in ("_create_state_machine", "_update_state_machine"):
            setattr(stepfunctions, name, self._made(getattr(stepfunctions, name)))

    def need(self, error: str, action: str, resource: str, **context: str) -> None:
        """Fail the state unless its machine's role allows the action."""
        role = _role.get()
        if not self._account.allows(role, action, resource, **context):
            cause = identity_denial_message(action, session_arn(role, "execution"), resource, False)
            raise stepfunctions._ExecutionError(error, cause)

    def _function(self, function: str, *_: Any) -> None:
        # Lambda compares the ARN as it is invoked, with its version or alias.
        self.need("Lambda.AWSLambdaException", "lambda:InvokeFunction", function)

    def _item(self, operation: str, given: dict[str, Any]) -> None:
        table = f"arn:aws:dynamodb:{HERE}:table/{given['TableName']}"
        self.need("DynamoDB.AmazonDynamoDBException", f"dynamodb:{operation[0].upper()}{operation[1:]}", table)

    def _execution(self, _: str, given: dict[str, Any]) -> None:
        machine = compared(given["StateMachineArn"])
        error = "StepFunctions.AWSStepFunctionsException"
        self.need(error, "states:StartExecution", machine)
        # It is followed until it has ended.
        self.need(error, "states:DescribeExecution", f"{machine.replace(':stateMachine:', ':execution:')}:1")

    def _sdk(self, resource: str, given: dict[str, Any]) -> None:
        match resource.rpartition("aws-sdk:")[2]:
            case "sfn:describeMapRun":
                self.need("Sfn.SfnException", "states:DescribeMapRun", given["MapRunArn"])
            case "s3:putObject":
                self.need("S3.S3Exception", "s3:PutObject", f"arn:aws:s3:::{given['Bucket']}/{given['Key']}")

    def _items(self, reader: dict[str, Any], effective: Any, context: Any) -> None:
        where = stepfunctions._resolve_params_obj(reader["Arguments"], effective, context)
        bucket = f"arn:aws:s3:::{where['Bucket']}"
        self.need("States.ItemReaderFailed", "s3:ListBucket", bucket, **{"s3:prefix": where.get("Prefix", "")})
        # Each item is an execution of the machine itself.
        own = f"arn:aws:states:{HERE}:stateMachine:{context['StateMachine']['Name']}"
        self.need("States.Permissions", "states:StartExecution", own)

    def _with_role(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def ran(*arguments: Any) -> Any:
            execution = arguments[-2]
            # The execution of an item names its machine and the map's label, behind a slash.
            machine = compared(execution["stateMachineArn"]).split("/")[0]
            token = _role.set(role_of(stepfunctions._state_machines[machine]["roleArn"]) or "")
            try:
                return run(*arguments)
            finally:
                _role.reset(token)

        return ran

    def _made(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def made(data: dict[str, Any]) -> Any:
            role = role_of(data.get("roleArn", ""))
            if role is None:
                return make(data)
            name = data.get("name") or compared(data["stateMachineArn"]).rpartition(":")[2]
            source = {"aws:SourceArn": f"arn:aws:states:{HERE}:stateMachine:{name}"}
            if not self._account.can_be_assumed(role, "states.amazonaws.com", **source):
                return _refused("the service principal states.amazonaws.com is not authorized to assume the role")
            needed = [(f"logs:{action}", "*") for action in _LOG_ACTIONS if "loggingConfiguration" in data]
            if ".sync" in data.get("definition", ""):
                needed += [(action, _RULE) for action in _RULE_ACTIONS]
            missing = [action for action, resource in needed if not self._account.allows(role, action, resource)]
            return _refused(f"the role is not authorized: {', '.join(missing)}") if missing else make(data)

        return made


def _after(decide: Callable[..., None], act: Callable[..., Any]) -> Callable[..., Any]:
    def decided(*arguments: Any) -> Any:
        decide(*arguments)
        return act(*arguments)

    return decided


def _refused(why: str) -> Any:
    return stepfunctions.error_response_json("AccessDeniedException", why, 400)
