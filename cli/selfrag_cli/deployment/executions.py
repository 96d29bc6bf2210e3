"""Executions of a deployment, read with an operator's credentials."""

import json

import boto3
from botocore.exceptions import ClientError

from selfrag.adapters.faults import aws_faults, code_of
from selfrag.domain.errors import InvalidInput
from selfrag_cli.local.stores.histories import ExecutionHistory

_GONE = {"ExecutionDoesNotExist", "InvalidArn"}


def execution_of(arn: str) -> ExecutionHistory:
    """Return the execution history that a response refers to by ARN.

    Raises InvalidInput for an Express execution, whose history Step Functions does not keep, for a missing one, and
    selfrag's other errors.
    """
    fields = arn.split(":")
    if len(fields) < 7 or fields[5] != "execution":
        raise InvalidInput(
            "Step Functions keeps the history of Standard executions alone: of questions to POST /v1/questions, whose "
            "ARN has `:execution:` in it."
        )
    with aws_faults("Step Functions"):
        client = boto3.client("stepfunctions", region_name=fields[3])
        pages = client.get_paginator("get_execution_history").paginate(executionArn=arn)
        try:
            events = [event for page in pages for event in page["events"]]
        except ClientError as error:
            if code_of(error) not in _GONE:
                raise
            raise InvalidInput(f"There is no execution {arn}; AWS keeps its history for 90 days.") from None
    # Times are text, like on the laptop.
    return ExecutionHistory(fields[-1], json.loads(json.dumps(events, default=lambda moment: moment.isoformat())))
