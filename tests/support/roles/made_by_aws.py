"""The calls that AWS makes itself with these roles, as its documentation lists them; no run of ours can record them."""

from collections.abc import Iterator

from tests.support.infra.rules import ROLES, function_roles
from tests.support.roles.calls import ACCOUNT, HERE, bucket_arn
from tests.support.roles.recorded import Call, Calls

EXECUTION = f"arn:aws:states:{HERE}:execution:selfrag"
# AWS Step Functions, "Logging using CloudWatch Logs" and "X-Ray permissions"; neither knows a resource.
_DELIVERY = ("CreateLogDelivery", "DeleteLogDelivery", "GetLogDelivery", "ListLogDeliveries", "UpdateLogDelivery")
_LOGS = (*_DELIVERY, "DescribeLogGroups", "DescribeResourcePolicies", "PutResourcePolicy")
_SEGMENTS = ("PutTelemetryRecords", "PutTraceSegments")
_SAMPLING = ("GetSamplingRules", "GetSamplingTargets")
# "IAM policies for Distributed Map": how it finds, starts, follows and redrives its items, and writes their results.
_WRITING = ("AbortMultipartUpload", "GetObject", "ListMultipartUploadParts", "PutObject")
_RULE = f"arn:aws:events:{HERE}:rule/StepFunctionsGetEventsForStepFunctionsExecutionRule"


def made_by_aws() -> Calls:
    """Return the calls of all roles: (who, action, resource)."""
    names = (*ROLES, "ingestion", "intake", "reindex")
    machines = ((machine, *each) for machine in names for each in _of_a_machine())
    functions = {call for name in function_roles() for call in _of_a_function(name)}
    return {*machines, *functions, *_of_intake(), *_of_reindex(), *_of_events()}


def _of_a_function(name: str) -> Iterator[Call]:
    stream = f"arn:aws:logs:{HERE}:log-group:/aws/lambda/selfrag-{name}:log-stream:2026/11/21/[$LATEST]1"
    yield from ((name, f"logs:{action}", stream) for action in ("CreateLogStream", "PutLogEvents"))
    yield from ((name, f"xray:{action}", "*") for action in _SEGMENTS)
    if name == "ask":
        # By those who were given a form or a link.
        for action in ("PutObject", "GetObject"):
            yield name, f"s3:{action}", f"{bucket_arn('selfrag-documents')}/c/new.md"


def _of_a_machine() -> Iterator[tuple[str, str]]:
    yield from ((f"logs:{action}", "*") for action in _LOGS)
    yield from ((f"xray:{action}", "*") for action in (*_SEGMENTS, *_SAMPLING))


def _of_intake() -> Iterator[Call]:
    for machine in ("ingestion", "intake"):
        yield "intake", "states:StartExecution", f"arn:aws:states:{HERE}:stateMachine:selfrag-{machine}"
    for action in ("DescribeExecution", "StopExecution"):
        yield "intake", f"states:{action}", f"{EXECUTION}-ingestion:1"
    yield from (("intake", f"events:{each}", _RULE) for each in ("DescribeRule", "PutRule", "PutTargets"))
    tables = f"arn:aws:dynamodb:{HERE}:table/selfrag"
    yield from (("intake", f"dynamodb:{each}Item", f"{tables}-intake") for each in ("Delete", "Update"))
    yield from (("intake", "dynamodb:Query", f"{tables}-intake{each}") for each in ("", "/index/by_turn"))
    yield "intake", "cloudwatch:PutMetricData", "*"
    # Executions that the release before began.
    yield "intake", "dynamodb:UpdateItem", f"{tables}-documents"


def _of_reindex() -> Iterator[Call]:
    yield "reindex", "s3:ListBucket", bucket_arn("selfrag-documents")
    yield from (("reindex", f"s3:{each}", f"{bucket_arn('selfrag-work')}/reindex/1/manifest.json") for each in _WRITING)
    yield "reindex", "states:DescribeMapRun", f"arn:aws:states:us-east-1:{ACCOUNT}:mapRun:selfrag-reindex/Documents:1"
    yield from _of_items("reindex", ("ingestion",))


def _of_items(machine: str, started: tuple[str, ...]) -> Iterator[Call]:
    """Yield the actions of a Distributed Map whose items each start an execution of another machine and wait for it."""
    item = f"{EXECUTION}-{machine}/Items:1"
    for each in (machine, *started):
        yield machine, "states:StartExecution", f"arn:aws:states:{HERE}:stateMachine:selfrag-{each}"
    for action in ("DescribeExecution", "StopExecution"):
        executions = (item, *(f"{EXECUTION}-{each}:1" for each in (machine, *started)))
        yield from ((machine, f"states:{action}", arn) for arn in executions)
    yield machine, "states:RedriveExecution", item
    yield from ((machine, f"events:{each}", _RULE) for each in ("DescribeRule", "PutRule", "PutTargets"))


def _of_events() -> Iterator[Call]:
    yield "events", "states:StartExecution", f"arn:aws:states:{HERE}:stateMachine:selfrag-intake"
