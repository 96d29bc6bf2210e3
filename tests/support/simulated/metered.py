"""Uploads, deletions and questions under two quotas: calls of Titan and functions of Lambda, on a simulated clock.

Real: TitanEmbedder, embed_passages, retrieve, and of the definitions the waits, the retries, the places of the intake
and both limits of time. Made up: how long a call and the other steps take, and that Titan's quota is a token bucket.
Left out: cold starts, and what the index does.
"""

import io
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from selfrag.adapters.titan import TitanEmbedder
from selfrag.domain.errors import SelfragError
from selfrag.ingestion.embed_passages import logic as embed_passages
from selfrag.ingestion.split_document.logic import BATCH
from selfrag.question.retrieve.logic import Task, retrieve
from tests.support.definition import INGESTION_MACHINE, INTAKE_MACHINE, states
from tests.support.fakes import FakeIndex, FakeWork, passage
from tests.support.simulated.clock import SimulatedTime
from tests.support.simulated.lambdas import Refused, run_together

SIZES = (5, 5, 10, 10, 10, 20, 40, 80, 200)  # passages of a document: most are short
SECONDS_OF_A_CALL, SECONDS_OF_A_REFUSAL = 0.12, 0.03
DOLLARS_OF_A_TRANSITION = 0.000025
# A week; the longest load, at 60 calls a minute of which none may be saved up, takes two and a half days.
MOST_SECONDS = 7 * 86_400
STATES = {state.name: state.body for machine in (INGESTION_MACHINE, INTAKE_MACHINE) for state in states(machine)}
QUESTION = {state.name: state.body for state in states()}
INFRA = Path(__file__).parents[3] / "infra"


def default_of(variable: str) -> int:
    """Return the default of a whole number among Terraform's variables."""
    body = (INFRA / "variables.tf").read_text(encoding="utf-8").split(f'variable "{variable}" {{')[1]
    (number,) = re.findall(r"^  default\s*= (\d+)$", body.split("\nvariable ")[0], re.M)
    return int(number)


def places(functions: int) -> dict[str, int]:
    """Return how many uploads and deletions are at work at once in an account of so many functions."""
    text = (INFRA / "machines.tf").read_text(encoding="utf-8")
    ((limit, many, few),) = re.findall(r"account_concurrency >= (\d+), false\) \? (\d+) : (\d+)\)", text)
    (deletions,) = re.findall(r"deletion_places += (\d+)", text)
    return {"upload": int(many if functions >= int(limit) else few), "deletion": int(deletions)}


def growing_wait(state: str) -> Callable[[int], float]:
    """Return the seconds of a Wait state by how often it was waited: half of a growing one, and the rest by chance."""
    pattern = (
        r"\(0\.5 \+ 0\.5 \* \$random\(\)\) \* \$min\(\[(\d+), (?:(\d+) \* )?\$power\(([\d.]+), \$min\(\[[^]]+, (\d+)"
    )
    ((longest, first, growth, most),) = re.findall(pattern, STATES[state]["Seconds"])

    def seconds(waited: int) -> float:
        grown = int(first or 1) * float(growth) ** min(waited, int(most))
        return random.uniform(0.5, 1.0) * min(int(longest), grown)

    return seconds


WAIT_FOR_PLACE, WAIT_AS_NEXT = growing_wait("WaitForPlace"), growing_wait("WaitAsNext")
WAIT_FOR_MODEL = growing_wait("WaitForModel")
(ROUNDS,) = map(int, re.findall(r"\$rounds < (\d+)", json.dumps(STATES["RouteEnded"])))
(SECONDS_OF_WORK,) = (
    int(number) / 1000
    for number in re.findall(r"\$millis\(\) \+ (\d+)", INGESTION_MACHINE["States"]["ReadEvent"]["Assign"]["time_is_up"])
)


@dataclass
class Place:
    """A place of the intake: the collection that has it, and the execution that takes it next."""

    held_by: str | None = None
    next: object = None


class MeteredTitan:
    """A client of Bedrock with a quota of calls a minute: a token bucket that holds `burst` seconds' worth."""

    def __init__(self, time: SimulatedTime, a_minute: int, burst: float) -> None:
        self._time, self._rate = time, a_minute / 60
        self._most = self._left = max(1.0, self._rate * burst)
        self._seen = 0.0
        self.given: Counter[str] = Counter()
        self.refused = 0
        self.seconds = 0.0

    def invoke_model(self, *, body: str, **_: Any) -> dict[str, Any]:
        began = self._time.now
        self._left = min(self._most, self._left + (began - self._seen) * self._rate)
        self._seen = began
        refused = self._left < 1
        self._left -= not refused
        self._time.pause(SECONDS_OF_A_REFUSAL if refused else SECONDS_OF_A_CALL)
        self.seconds += self._time.now - began
        if refused:
            self.refused += 1
            response = {"Error": {"Code": "ThrottlingException"}, "ResponseMetadata": {"HTTPStatusCode": 429}}
            raise ClientError(response, "InvokeModel")  # type: ignore[arg-type]
        self.given[json.loads(body)["inputText"]] += 1
        return {"body": io.BytesIO(b'{"embedding": [0.6, 0.8]}')}


class Functions:
    """The functions that an account may run at once; `peak` is the most that documents ran."""

    def __init__(self, time: SimulatedTime, limit: int) -> None:
        self._time = time
        self.free = limit
        self.documents = self.peak = self.throttled = 0

    def run(self, work: Callable[[], Any], retrier: dict[str, Any], *, document: bool) -> Any:
        """Run a function as a Task does, with the retries of its definition."""
        wait = retrier["IntervalSeconds"]
        for _ in range(retrier["MaxAttempts"] + 1):
            if self.free:
                return self._run(work, document)
            self.throttled += 1
            self._time.pause(random.uniform(0, min(wait, retrier["MaxDelaySeconds"])))
            wait *= retrier["BackoffRate"]
        raise Refused

    def _run(self, work: Callable[[], Any], document: bool) -> Any:
        self.free -= 1
        self.documents += document
        self.peak = max(self.peak, self.documents)
        try:
            return work()
        finally:
            self.free += 1
            self.documents -= document


class Load:
    """Uploads and deletions that come within five seconds, questions meanwhile, and what became of all.

    By the intake's places, or `reindexed`: so many at a time, without the intake. `later` uploads are of another
    collection, and come at `later_at` seconds.
    """

    def __init__(
        self, uploads: int, a_minute: int, functions: int, *, deletions: int = 0, burst: float = 10,
        reindexed: int = 0, between_questions: float = 2.0, later: int = 0, later_at: float = 0.0,
    ) -> None:  # fmt: skip
        random.seed(uploads + a_minute)
        self.time = SimulatedTime()
        self.titan = MeteredTitan(self.time, a_minute, burst)
        self.functions = Functions(self.time, functions)
        self.documents = {f"d{n}": random.choice(SIZES) for n in range(uploads)}
        self.deletions = {f"x{n}" for n in range(deletions)}
        self.later = {f"later{n}": 10 for n in range(later)}
        self._later_at = later_at
        # When each document was ready, in seconds.
        self.ready_at: dict[str, float] = {}
        self.ready: list[str] = []
        self.removed: set[str] = set()
        self.last_removal = 0.0
        # State transitions of the intake that were spent on waiting, and the waits.
        self.lost = self.polls = self.transitions = 0
        # Of functions that embed, and of Titan's calls for passages and for questions.
        self.seconds_of_embedding = self.seconds_of_questions = 0.0
        self.questions: Counter[str] = Counter()
        self._between, self._reindexed = between_questions, reindexed
        self._places = {kind: [Place() for _ in range(number)] for kind, number in places(functions).items()}
        self._embedder = TitanEmbedder(self.titan, 2, self.time.clock)
        self._work, self._index = FakeWork(), FakeIndex(passage())
        self.time.start(self._load)
        if self.later:
            self.time.start(self._load_later)
        self.time.start(self._ask)
        self.time.run()

    @property
    def dollars_of_polling(self) -> float:
        """Return the price of the state transitions that were spent on waiting."""
        return self.transitions * DOLLARS_OF_A_TRANSITION

    def _load(self) -> None:
        if self._reindexed:
            self.time.together([partial(self._reindex, one) for one in self.documents], self._reindexed)
            return
        events = [partial(self._taken, "upload", partial(self._upload, one)) for one in self.documents]
        events += [partial(self._taken, "deletion", partial(self._delete, one)) for one in sorted(self.deletions)]
        random.shuffle(events)
        for event in events:
            self.time.start(event)
            self.time.pause(5.0 / len(events))

    def _reindex(self, document: str) -> None:
        """Ingest a document as the reindexing does: again, where its time was up before the model had done it."""
        while not self._upload(document):
            pass

    def _load_later(self) -> None:
        self.time.pause(self._later_at)
        self.documents |= self.later
        for document in self.later:
            self.time.start(partial(self._taken, "upload", partial(self._upload, document), "another"))
            self.time.pause(0.5)

    def _taken(self, kind: str, work: Callable[[], bool], collection: str = "c") -> None:
        """Wait for a place as the intake does, and work in it until it is done, or for over an hour in vain."""
        places, waited, rounds, me = self._places[kind], 0, 0, object()
        at = random.randrange(len(places))
        while True:
            while (place := places[at]).next not in (None, me) or place.held_by == collection:
                self._wait(WAIT_FOR_PLACE(waited), 2)
                waited, at = waited + 1, (at + 1) % len(places)
            place.next, polls = me, 0
            while place.held_by is not None:
                self._wait(WAIT_AS_NEXT(polls), 3)
                polls += 1
            place.held_by, place.next = collection, None
            try:
                done = work()
            except Refused:
                done, rounds = rounds == ROUNDS, rounds + 1
                self.lost += done
            place.held_by = None
            if done:
                return
            waited = 12 if rounds else 0
            self._wait(WAIT_FOR_PLACE(waited), 2)

    def _wait(self, seconds: float, transitions: int) -> None:
        self.polls += 1
        self.transitions += transitions
        self.time.pause(seconds)

    def _delete(self, document: str) -> bool:
        self._step("ClaimDocument", 0.3)
        self._step("RemovePassages", 1.0)
        self._step("RecordDocument", 0.2)
        self.removed.add(document)
        self.last_removal = self.time.now
        return True

    def _upload(self, document: str) -> bool:
        until = self.time.now + SECONDS_OF_WORK
        size, finished = self.documents[document], list[int]()
        self._step("ClaimDocument", 0.3)
        self._step("ParseDocument", random.uniform(1, 3))
        self._step("SplitDocument", 0.5)
        batches = [range(size)[first : first + BATCH] for first in range(0, size, BATCH)]
        jobs = [partial(self._batch, document, number, batch, until, finished) for number, batch in enumerate(batches)]
        run_together(self.time, jobs, STATES["WriteBatches"]["MaxConcurrency"])
        self._step("RemovePassages", 0.5)
        self._step("RecordDocument", 0.2)
        if len(finished) == len(batches):
            self.ready.append(document)
            self.ready_at[document] = self.time.now
        assert self.time.now < until + 600, "an execution has an hour"
        return len(finished) == len(batches)

    def _batch(self, document: str, number: int, of: range, until: float, finished: list[int]) -> None:
        key = f"{document}/g/passages-{number:05}.json"
        texts = [passage(f"{document}-{place}", f"{document} {place}") for place in of]
        self._work.put_json(key, [each.model_dump(mode="json") for each in texts])
        refusals = 0
        while True:
            result = self._function("EmbedPassages", partial(self._embed, key))
            if result.done:
                self._step("IndexPassages", 1.0)
                finished.append(number)
                return
            if self.time.now > until:
                return
            refusals = refusals + 1 if result.busy else 0
            self.time.pause(WAIT_FOR_MODEL(refusals))

    def _embed(self, key: str) -> embed_passages.Result:
        began = self.time.now
        result = embed_passages.embed(embed_passages.Task(passages_key=key), self._work, self._embedder)
        self.seconds_of_embedding += self.time.now - began
        assert self.time.now - began < STATES["EmbedPassages"]["TimeoutSeconds"]
        return result

    def _step(self, name: str, seconds: float) -> None:
        self._function(name, partial(self.time.pause, seconds))

    def _function(self, name: str, work: Callable[[], Any]) -> Any:
        (retrier,) = STATES[name]["Retry"]
        return self.functions.run(work, retrier, document=True)

    def _ask(self) -> None:
        ended = len({**self.documents, **self.later}) + len(self.deletions)
        while len(self.ready) + len(self.removed) + self.lost < ended:
            assert self.time.now < MOST_SECONDS, f"a load does not end; {len(self.ready)} documents are ready"
            self.time.start(self._question)
            # By chance, as questions come: at even intervals they would always meet the waits at the same place.
            self.time.pause(random.uniform(0.5, 1.5) * self._between)

    def _question(self) -> None:
        self.questions["asked"] += 1
        if not self.functions.free:
            self.questions["refused"] += 1
            return
        self.functions.free -= 1
        try:
            self._asked("Plan", 0.1)
            self._asked("Retrieve", None)
            side_by_side = [("DecideRetrieval", 2.0), ("Generate", 3.0), *[("GradeRelevance", 2.0)] * 4]
            self._together(side_by_side)
            self._together([("GradeSupport", 2.0), ("GradeUtility", 1.5)])
            self._asked("ComposeAnswer", 0.1)
        except Refused:
            self.questions["lost"] += 1
        else:
            self.questions["answered"] += 1
        finally:
            self.functions.free += 1

    def _together(self, steps: list[tuple[str, float]]) -> None:
        run_together(self.time, [partial(self._asked, *step) for step in steps], len(steps))

    def _asked(self, name: str, seconds: float | None) -> None:
        (retrier,) = QUESTION[name]["Retry"]
        work = self._search if seconds is None else partial(self.time.pause, seconds)
        self.functions.run(work, retrier, document=False)

    def _search(self) -> None:
        began = self.time.now
        asked = f"question {self.questions['asked']}"
        try:
            found = retrieve(Task(queries=[asked], collections=["c"], top_k=4), self._index, self._embedder)
        except SelfragError:
            self.questions["failed"] += 1
        else:
            self.questions["by full text alone"] += bool(found.warnings)
        self.seconds_of_questions += self.time.now - began
