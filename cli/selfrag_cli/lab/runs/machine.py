"""A run in the account: its file of questions, the executions of its machine, and the answers in the bucket."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.runs.results import Result
from selfrag_cli.lab.runs.tasks import Task, result_of

# What the machine counts at its end has to fit into 256 KiB.
MOST_ANSWERS = 5_000
# Answers that are read at once.
_READING = 16
_ARN = re.compile(
    r"arn:[\w-]+:states:(?P<region>[\w-]+):(?P<account>\d+):stateMachine:(?P<name>[\w-]+)-evaluation(:\w+)?"
)


class Machine:
    """The machine of a deployment that asks questions, by its ARN; raises selfrag's typed errors."""

    def __init__(self, arn: str) -> None:
        """Raises InvalidInput for what is not the ARN of such a machine."""
        found = _ARN.fullmatch(arn)
        if not found:
            raise InvalidInput(
                f"{arn} is no evaluation: --machine is what `terraform output evaluation_machine_arn` says."
            )
        self._arn, region = arn, found["region"]
        # As infra/storage.tf names it.
        self._bucket = f"{found['name']}-work-{found['account']}-{region}"
        self._executions = arn.removesuffix(":live").replace(":stateMachine:", ":execution:")
        with aws_faults("AWS"):
            self._states, self._s3 = (boto3.client(name, region_name=region) for name in ("stepfunctions", "s3"))

    def start(self, run: str, attempt: int, tasks: Sequence[Task], collections: Sequence[str]) -> None:
        """Have all tasks asked, under a name that the run's attempt has alone; what was answered is not asked again."""
        given = {"run": run, **({"collections": list(collections)} if collections else {})}
        lines = "".join(json.dumps(item_of(task), ensure_ascii=False) + "\n" for task in tasks)
        with aws_faults("The work bucket"):
            self._s3.put_object(Bucket=self._bucket, Key=_key(run, "questions.jsonl"), Body=lines.encode())
        with aws_faults("Step Functions"):
            self._states.start_execution(stateMachineArn=self._arn, name=f"{run}-{attempt}", input=json.dumps(given))

    def status(self, run: str, attempt: int) -> str | None:
        """Return the status of an attempt, in the words of Step Functions; None if it was never started."""
        with aws_faults("Step Functions"):
            try:
                return str(self._states.describe_execution(executionArn=self._execution(run, attempt))["status"])
            except self._states.exceptions.ExecutionDoesNotExist:
                return None

    def done(self, run: str, attempt: int) -> int:
        """Return how many questions an attempt is through with."""
        with aws_faults("Step Functions"):
            runs = self._states.list_map_runs(executionArn=self._execution(run, attempt))["mapRuns"]
            counts = [self._states.describe_map_run(mapRunArn=each["mapRunArn"])["itemCounts"] for each in runs]
        return sum(each["succeeded"] + each["failed"] + each["timedOut"] + each["aborted"] for each in counts)

    def answers(self, run: str, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the answers that the bucket has to these tasks."""
        known = self._known(run)
        there = [task for task in tasks if _result_key(run, task) in known]
        with ThreadPoolExecutor(_READING) as threads:
            for task, kept in zip(
                there, threads.map(lambda task: self._read(_result_key(run, task)), there), strict=True
            ):
                yield result_of(task, kept["response"], float(kept["seconds"] or 0.0), kept.get("release"))

    def _known(self, run: str) -> set[str]:
        with aws_faults("The work bucket"):
            pages = self._s3.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=_key(run, "results/")
            )
            return {each["Key"] for page in pages for each in page.get("Contents", [])}

    def _read(self, key: str) -> dict[str, Any]:
        with aws_faults("The work bucket"):
            kept: dict[str, Any] = json.loads(self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read())
        return kept

    def _execution(self, run: str, attempt: int) -> str:
        return f"{self._executions}:{run}-{attempt}"


def item_of(task: Task) -> dict[str, Any]:
    """Return a line of the file of questions; its id says what is asked and how, so another policy has another id."""
    variant, question = task.variant, task.question
    policy = variant.policy.model_dump(mode="json")
    asked = {"variant": variant.name, "question_id": question.id, "question": question.question, "policy": policy}
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    return {"id": digest[:32], **asked}


def _result_key(run: str, task: Task) -> str:
    return _key(run, f"results/{item_of(task)['id']}.json")


def _key(run: str, name: str) -> str:
    return f"evaluations/{run}/{name}"
