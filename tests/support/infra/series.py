"""Metrics of questions: what CloudWatch gets while models or the search are slow, by the passes of the workflow.

A question searches, then reads (three steps at once), then checks (two at once); every tenth one writes and checks
again. A model takes two seconds and a search half a second, as docs/costs.md assumes, each question's own share more or
less. At its deadline a question is cut off, within a tenth of a second, and is partial.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

from tests.support.infra.cloudwatch import Samples

DEADLINE = 25.0
NAME = "selfrag"
MACHINE = "arn:aws:states:us-east-1:000000000000:stateMachine:selfrag-express"
READ, CHECK = ("decide_retrieval", "grade_relevance", "generate"), ("grade_support", "grade_utility")
_PASSES = ([("retrieve",), READ, CHECK], [("retrieve",), READ, CHECK, ("generate",), CHECK])
_SPREAD, _OVERHEAD = 0.3, 0.2
# A refused search is tried six times more, after 1, 2 and four times 4 seconds; then the question has failed.
TRIES = (0.0, 1.0, 3.0, 7.0, 11.0, 15.0, 19.0)


@dataclass(frozen=True)
class Service:
    """How long a call of the model and a search take in seconds; a search that is refused ends at once."""

    model: float = 2.0
    search: float = 0.5
    refused: bool = False


def steady(a_minute: float, minutes: float, service: Service, hanging: int = 0) -> Samples:
    """Return the metrics of questions that come evenly; every `hanging`th one meets a model that does not answer."""
    samples = Samples()
    for number in range(round(a_minute * minutes)):
        hangs = hanging and number % hanging == hanging - 1
        ask(samples, number * 60 / a_minute, Service(model=math.inf) if hangs else service, number)
    return samples


def at_minutes(minutes: Iterable[int], service: Service) -> Samples:
    """Return the metrics of single questions."""
    samples = Samples()
    for number, minute in enumerate(minutes):
        ask(samples, 60 * minute, service, number)
    return samples


def ask(samples: Samples, begin: float, service: Service, number: int) -> None:
    """Add the metrics of a question; its number decides how fast its calls are, and whether it is repaired."""
    share = math.exp(_SPREAD * NormalDist().inv_cdf((0.5 + number * 0.6180339887) % 1))
    clock, status = 0.0, "answered"
    for steps in _PASSES[number % 10 == 9]:
        if steps == ("retrieve",) and service.refused:
            for second in TRIES:
                _step(samples, begin + second, "retrieve", 0.1, failed=True)
            clock, status = TRIES[-1] + 0.1, "failed"
            break
        takes = service.search if steps == ("retrieve",) else service.model * share
        left = max(DEADLINE - clock, 0.0)
        for step in steps:
            _step(samples, begin + clock + min(takes, left), step, min(takes, left), failed=takes > left)
        clock += min(takes, left) + _OVERHEAD
        if takes > left:
            clock, status = DEADLINE + 0.1, "partial"
            break
    end = begin + clock
    samples.add(end, "AWS/States", "ExecutionTime", {"StateMachineArn": MACHINE}, 1000 * clock)
    samples.add(end, NAME, "Questions", {"status": status})
    samples.add(end, NAME, "RetrievedQuestions", {"step": "compose_answer"})


def _step(samples: Samples, end: float, step: str, seconds: float, *, failed: bool) -> None:
    samples.add(end, NAME, "Latency", {"step": step}, 1000 * seconds)
    samples.add(end, NAME, "Errors", {"step": step}, float(failed))
    if failed and step == "retrieve":
        samples.add(end, "AWS/Lambda", "Errors", {"FunctionName": f"{NAME}-{step}"})
