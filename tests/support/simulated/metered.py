"""A first load under a quota: the embedding's own code and the definitions' own numbers on a simulated clock.

Real: TitanEmbedder and its waits, embed_passages, retrieve, and of the definitions how many documents and batches are
at work, the retries of EmbedPassages and both limits of time. Made up: how long a call and the other steps take, and
that the quota is a token bucket. Left out: cold starts, Lambda's own limits, and what the index does.
"""

import io
import json
import random
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from ingestion.embed_passages import logic as embed_passages
from ingestion.split_document.logic import BATCH
from question.retrieve.logic import Task, retrieve
from selfrag.adapters.titan import TitanEmbedder
from selfrag.domain.errors import SelfragError
from tests.support.definition import INGESTION_MACHINE, states
from tests.support.fakes import FakeIndex, FakeWork, passage
from tests.support.simulated.clock import SimulatedTime

SIZES = (5, 5, 10, 10, 10, 20, 40, 80, 200)  # passages of a document: most are short
SECONDS_OF_A_CALL, SECONDS_OF_A_REFUSAL, SECONDS_BETWEEN_QUESTIONS = 0.12, 0.03, 2.0
STATES = {state.name: state.body for state in states(INGESTION_MACHINE)}
VARIABLES = (Path(__file__).parents[3] / "infra" / "variables.tf").read_text(encoding="utf-8")


def default_of(variable: str) -> int:
    """Return the default of a whole number among Terraform's variables."""
    body = VARIABLES.split(f'variable "{variable}" {{')[1].split("\nvariable ")[0]
    (number,) = re.findall(r"^  default\s*= (\d+)$", body, re.M)
    return int(number)


class MeteredTitan:
    """A client of Bedrock with a quota of calls a minute: a token bucket that holds `burst` seconds' worth."""

    def __init__(self, time: SimulatedTime, a_minute: int, burst: float) -> None:
        self._time, self._rate = time, a_minute / 60
        self._most = self._left = max(1.0, self._rate * burst)
        self._seen = 0.0
        self.given: Counter[str] = Counter()
        self.refused = 0

    def invoke_model(self, *, body: str, **_: Any) -> dict[str, Any]:
        self._left = min(self._most, self._left + (self._time.now - self._seen) * self._rate)
        self._seen = self._time.now
        if self._left < 1:
            self.refused += 1
            self._time.pause(SECONDS_OF_A_REFUSAL)
            response = {"Error": {"Code": "ThrottlingException"}, "ResponseMetadata": {"HTTPStatusCode": 429}}
            raise ClientError(response, "InvokeModel")  # type: ignore[arg-type]
        self._left -= 1
        self._time.pause(SECONDS_OF_A_CALL)
        self.given[json.loads(body)["inputText"]] += 1
        return {"body": io.BytesIO(b'{"embedding": [0.6, 0.8]}')}


class FirstLoad:
    """Documents that are ingested and questions that are asked meanwhile, and what became of both.

    As the reindexing machine does it, or so many documents `at_once`.
    """

    def __init__(self, documents: int, a_minute: int, burst: float, at_once: int | None = None) -> None:
        self._at_once = at_once or default_of("reindex_concurrency")
        random.seed(documents + a_minute)
        self.time = SimulatedTime()
        self.titan = MeteredTitan(self.time, a_minute, burst)
        self.documents = {f"d{n}": random.choice(SIZES) for n in range(documents)}
        self.ready: list[str] = []
        self.failed: dict[str, str] = {}
        self.questions: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self._embedder = TitanEmbedder(self.titan, 2, self.time.clock, self.time.pause, random.uniform)
        self._work = FakeWork()
        self._index = FakeIndex(passage())
        self.time.start(self._load)
        self.time.start(self._ask)
        self.time.run()

    def _load(self) -> None:
        self.time.together([partial(self._ingest, one) for one in self.documents], self._at_once)

    def _ask(self) -> None:
        while len(self.ready) + len(self.failed) < len(self.documents):
            self.time.start(self._question)
            # By chance, as questions come: at even intervals they would always meet the waits at the same place.
            self.time.pause(random.expovariate(1 / SECONDS_BETWEEN_QUESTIONS))

    def _question(self) -> None:
        asked = f"question {self.questions.total()}"
        try:
            found = retrieve(Task(queries=[asked], collections=["c"], top_k=4), self._index, self._embedder)
        except SelfragError:
            self.questions["failed"] += 1
        else:
            self.questions["answered" if found.passages else "nothing found"] += 1
            self.warnings.update(found.warnings)

    def _ingest(self, document: str) -> None:
        began = self.time.now
        self.time.pause(random.uniform(2, 4))
        size = self.documents[document]
        batches = [range(size)[first : first + BATCH] for first in range(0, size, BATCH)]
        jobs = [partial(self._batch, document, number, batch) for number, batch in enumerate(batches)]
        self.time.together(jobs, STATES["WriteBatches"]["MaxConcurrency"])
        if self.time.now - began > INGESTION_MACHINE["TimeoutSeconds"]:
            self.failed[document] = "the execution took too long"
        self.time.pause(random.uniform(1, 3))
        if document not in self.failed:
            self.ready.append(document)

    def _batch(self, document: str, number: int, places: range) -> None:
        if document in self.failed:
            return
        key = f"{document}/g/passages-{number:05}.json"
        texts = [passage(f"{document}-{place}", f"{document} {place}") for place in places]
        self._work.put_json(key, [each.model_dump(mode="json") for each in texts])
        (retrier,) = STATES["EmbedPassages"]["Retry"]
        wait = retrier["IntervalSeconds"]
        for attempt in range(retrier["MaxAttempts"] + 1):
            error = self._embed(key)
            if error is None:
                return self.time.pause(1.0)  # IndexPassages
            if error not in retrier["ErrorEquals"] or attempt == retrier["MaxAttempts"]:
                self.failed[document] = error
                return None
            self.time.pause(random.uniform(0, min(wait, retrier["MaxDelaySeconds"])))
            wait *= retrier["BackoffRate"]
        return None

    def _embed(self, key: str) -> str | None:
        """Run the step; the name of its error, if it has one."""
        began = self.time.now
        try:
            embed_passages.embed(embed_passages.Task(passages_key=key), self._work, self._embedder)
        except SelfragError as error:
            return type(error).__name__
        return "States.Timeout" if self.time.now - began > STATES["EmbedPassages"]["TimeoutSeconds"] else None
