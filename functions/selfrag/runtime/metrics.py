"""CloudWatch metrics, written to the log (EMF, by Powertools).

A metric is billed for each combination of its dimensions, so there are three small sets: the step; the step and the
model; and one word of the verdict, status, strategy or feature that is counted. The namespace is
`POWERTOOLS_METRICS_NAMESPACE`, the deployment's name.
"""

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from selfrag.domain.calls import ModelCall, Prices, cost_usd

if TYPE_CHECKING:
    from selfrag.domain.answers import AnswerResponse

NAMESPACE = "selfrag"
_UNITS = {"Latency": MetricUnit.Milliseconds, "CostUsd": MetricUnit.NoUnit, "QuestionCostUsd": MetricUnit.NoUnit}


def emit(dimensions: Mapping[str, str], values: Mapping[str, float]) -> None:
    """Write values, by metric name, under one set of dimensions."""
    # No service name: it would add a dimension to every metric.
    metrics = EphemeralMetrics(namespace=os.environ.get("POWERTOOLS_METRICS_NAMESPACE", NAMESPACE), service="")
    for dimension, word in dimensions.items():
        metrics.add_dimension(dimension, word)
    for name, value in values.items():
        metrics.add_metric(name=name, unit=_UNITS.get(name, MetricUnit.Count), value=value)
    metrics.flush_metrics()


def count_step(step: str, milliseconds: float, *, failed: bool) -> None:
    """Count one run of a step."""
    emit({"step": step}, {"Latency": milliseconds, "Errors": float(failed)})


def count_event(step: str, metric: str) -> None:
    """Count one event of a step under the name of its metric."""
    emit({"step": step}, {metric: 1})


def count_calls(calls: Iterable[ModelCall], prices: Mapping[str, Prices]) -> None:
    """Count each call to the model with its tokens, and its cost where a price is known."""
    for call in calls:
        cost = cost_usd(call, prices)
        values: dict[str, float] = {
            "ModelCalls": 1,
            "InputTokens": call.input_tokens,
            "OutputTokens": call.output_tokens,
            "CacheReadInputTokens": call.cache_read_input_tokens,
        }
        emit({"step": call.step, "model": call.model}, values if cost is None else {**values, "CostUsd": cost})


def count_answer(response: "AnswerResponse", strategy: str) -> None:
    """Count a question's status, strategy and verdicts."""
    reflection, usage = response.reflection, response.usage
    emit({"status": response.status}, {"Questions": 1})
    emit({"strategy": strategy}, {"Strategies": 1})
    if reflection.retrieve:
        emit({"decision": reflection.retrieve.decision}, {"RetrievalDecisions": 1})
    if reflection.support and reflection.support.level:
        emit({"level": reflection.support.level}, {"SupportLevels": 1})
    values: dict[str, float] = {
        "RelevantPassages": sum(verdict.relevant for verdict in reflection.relevance),
        "RetrievedQuestions": float("Retrieve" in response.path),
        "CachedVerdicts": usage.cached_verdicts,
        "RepairedCitations": usage.repaired_citations,
        "Rounds": usage.rounds,
    }
    if reflection.utility and reflection.utility.score:
        values["Utility"] = reflection.utility.score
    if usage.cost_usd is not None:
        values["QuestionCostUsd"] = usage.cost_usd
    emit({"step": "compose_answer"}, values)
