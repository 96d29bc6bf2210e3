"""The intake by its definition on a simulated clock: events come, executions of it run and die, and minutes pass.

Real: the definition with its waits, conditions and leases, and what DynamoDB does with its calls. Made up: how long a
state takes, and the ingestion, which is whatever a test passes in.
"""

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

import jsonata

from selfrag_cli.local.runner.failures import Failure
from selfrag_cli.local.runner.history import History
from selfrag_cli.local.runner.lane import ExecutionContext, Lane
from selfrag_cli.local.runner.states import run_state
from selfrag_cli.local.stack import definition_of
from tests.support.definition import INTAKE
from tests.support.doubles.item_tables import ItemTables

Json = dict[str, Any]
TABLE, BUCKET = "selfrag-intake", "b"
SECONDS_OF_A_STATE = 0.05
# A moment of 2026; leases are compared with it.
BEGIN = 1_790_000_000.0
SYNC, START = "arn:aws:states:::states:startExecution.sync:2", "arn:aws:states:::states:startExecution"
LOST_REPLY = Failure("DynamoDB.InternalServerErrorException", "", "TaskFailed")


@cache
def definition(uploads: int = 2, deletions: int = 1) -> Json:
    """Return the definition with so many places."""
    names = {"intake_table": TABLE, "ingestion_places": str(uploads), "deletion_places": str(deletions)}
    return cast("Json", definition_of(INTAKE, names))


def uploaded(key: str) -> Json:
    """Return the detail of an event of an object that was created."""
    return {"bucket": {"name": BUCKET}, "object": {"key": key}, "reason": "PutObject"}


def deleted(key: str) -> Json:
    """Return the detail of an event of an object that was deleted."""
    return {**uploaded(key), "reason": "DeleteObject", "deletion-type": "Delete Marker Created"}


class Clock:
    """A simulated clock with scheduled events."""

    def __init__(self) -> None:
        self.now = BEGIN
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def after(self, seconds: float, happen: Callable[[], None]) -> None:
        """Have something happen."""
        heapq.heappush(self._due, (self.now + seconds, next(self._numbers), happen))

    def run(self, until: float = float("inf")) -> None:
        """Let everything happen that is due before a moment."""
        while self._due and self._due[0][0] <= until:
            self.now, _, happen = heapq.heappop(self._due)
            happen()


class SimulatedLane(Lane):
    """A lane whose tasks take no time of this machine's."""

    def run_timed(self, work: Callable[[], Any], seconds: float | None) -> Any:
        return work()


@dataclass
class Run:
    """An execution: its state and its outcome."""

    name: str
    payload: Json
    lane: Lane
    began: float
    state: str
    data: Any
    transitions: int = 0
    starts: int = 0
    status: str = "RUNNING"
    error: str = ""
    ingested: Any = None
    history: History = field(default_factory=History)

    @property
    def events(self) -> int:
        """Return the events of its history; one that waits for another execution has one more than the runner notes."""
        return len(self.history.events) + self.starts


# Ingest a document; when it ends, give the output of the execution or the failure of the task.
Ingestion = Callable[[Json, Callable[[Json | Failure], None]], None]


class Intake:
    """Executions of the intake: `ingestion` brings documents in, `dies` says of a state whether it is the last one."""

    def __init__(
        self,
        ingestion: Ingestion,
        places: Mapping[str, int] | None = None,
        machine: Json | None = None,
        dies: Callable[[Run], bool] = lambda run: False,
        loses: Callable[[], bool] = lambda: False,
        chance: random.Random | None = None,
        tables: ItemTables | None = None,
    ) -> None:
        self.clock, self.tables = Clock(), tables or ItemTables()
        self.machine = machine or definition(**(places or {}))
        self.ended: list[Run] = []
        # CloudWatch's data: time, metric name with dimensions, and value.
        self.metrics: list[tuple[float, str, Json, float]] = []
        self.running: dict[str, Run] = {}
        self.transitions: Counter[str] = Counter()
        self.on_end: Callable[[Run], None] = self.ended.append
        self._ingestion, self._dies, self._loses = ingestion, dies, loses
        self._chance, self._numbers = chance or random.Random(1), itertools.count(1)
        self._spent, self._now_in_run = 0.0, None
        services = {"updateItem": self.tables.update, "deleteItem": self.tables.delete}
        self._services: dict[str, Any] = {
            **{f"arn:aws:states:::dynamodb:{name}": self._table(call) for name, call in services.items()},
            "arn:aws:states:::aws-sdk:dynamodb:query": self.tables.query,
            START: self._start_next,
            "arn:aws:states:::aws-sdk:cloudwatch:putMetricData": self._put_metric,
        }
        library = jsonata.Jsonata.JLambda
        self._library = {
            "millis": library(lambda: int(self.clock.now * 1000)),
            "random": library(self._chance.random),
        }

    def send(self, payload: Json, after: float = 0) -> None:
        """Have EventBridge start an execution."""
        self.clock.after(after, lambda: self.start(payload))

    def tick(self, every: float, until: float) -> None:
        """Have the schedule start an execution for each queue, until a moment."""
        for look in ({"queue": "upload", "report": True}, {"queue": "deletion"}):
            self.start(look)
        if self.clock.now + every < until:
            self.clock.after(every, lambda: self.tick(every, until))

    def start(self, payload: Json) -> Run:
        """Start an execution."""
        name = f"execution-{next(self._numbers)}"
        history = History()
        services = dict(self._services)
        context = ExecutionContext({"Execution": {"Name": name, "Input": payload}}, history, services, self._pause)
        lane = SimulatedLane(context, dict(self._library))
        run = Run(name, payload, lane, self.clock.now, self.machine["StartAt"], payload, history=history)
        services[SYNC] = lambda arguments: self._result(run)
        self.running[name] = run
        self.clock.after(SECONDS_OF_A_STATE, lambda: self._step(run))
        return run

    def entries(self, queue: str = "upload") -> list[str]:
        """Return the keys that are in a queue, in their order."""
        items = self.tables.items[TABLE, queue]
        return sorted(items, key=lambda key: items[key]["turn"]["S"])

    def held(self, queue: str = "upload") -> set[str]:
        """Return the places that are held."""
        items = self.tables.items[TABLE, f"places/{queue}"].items()
        return {key for key, item in items if int(item.get("lease_until", {"N": "0"})["N"]) >= self.clock.now}

    def _step(self, run: Run) -> None:
        if run.status != "RUNNING":
            return
        body = self.machine["States"][run.state]
        if self._dies(run):
            self._end(run, "ABORTED")
        elif body.get("Resource") == SYNC and run.ingested is None:
            document = run.lane.value(body["Arguments"]["Input"], {"input": run.data})

            def come_back(result: Json | Failure) -> None:
                run.ingested = result
                self._step(run)

            self._ingestion(document, come_back)
        else:
            self._run_state(run, body)

    def _run_state(self, run: Run, body: Json) -> None:
        self._spent, run.transitions = 0.0, run.transitions + 1
        self.transitions[run.state] += 1
        try:
            run.data, following = run_state(run.state, body, run.data, run.lane)
        except Failure as failure:
            run.error = f"{failure.error}: {failure.cause}"
            self._end(run, "FAILED")
            return
        if run.events > 24_990:
            run.error = "25,000 events"
            self._end(run, "FAILED")
        elif following is None:
            self._end(run, "SUCCEEDED")
        elif self.clock.now - run.began > self.machine["TimeoutSeconds"]:
            self._end(run, "TIMED_OUT")
        else:
            run.state = following
            self.clock.after(self._spent + SECONDS_OF_A_STATE, lambda: self._step(run))

    def _end(self, run: Run, status: str) -> None:
        run.status = status
        del self.running[run.name]
        self.on_end(run)

    def _result(self, run: Run) -> Any:
        result, run.ingested, run.starts = run.ingested, None, run.starts + 1
        if isinstance(result, Failure):
            raise result
        return {"Output": result}

    def _start_next(self, arguments: Json) -> Any:
        self.start(arguments["Input"])
        return {"ExecutionArn": "arn"}

    def _put_metric(self, arguments: Json) -> Any:
        assert arguments.keys() == {"Namespace", "MetricData"}
        for data in arguments["MetricData"]:
            assert data.keys() == {"MetricName", "Dimensions", "Unit", "Value"}
            assert data["Unit"] == "Seconds"
            dimensions = {dimension["Name"]: dimension["Value"] for dimension in data["Dimensions"]}
            self.metrics.append((self.clock.now, data["MetricName"], dimensions, float(data["Value"])))
        return {}

    def _table(self, call: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def called(arguments: Any) -> Any:
            result = call(arguments)
            if self._loses():
                raise LOST_REPLY
            return result

        return called

    def _pause(self, seconds: float) -> None:
        self._spent += seconds
