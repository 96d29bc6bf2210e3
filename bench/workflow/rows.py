"""The rows of build/bench.json: duration and cost of a question by scenario, `speculate` and profile of models."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from bench.workflow.api.billing import critical_seconds
from bench.workflow.running import Asked


@dataclass(frozen=True)
class Row:
    """The figures of a question; of several questions, the mean.

    `floor_rounds` are the fewest rounds that it could take, `seconds` the whole time, `model_seconds` those of the
    longest chain of requests that did not overlap, as the service saw them, and of waits that a refusal asked for;
    `waited_seconds` are the waits' part of these (all null where the model took no time).
    `input_tokens` are all that were sent, however they were billed. `waste_usd` is a part of `usd`.
    """

    scenario: str
    speculate: str
    profile: str
    status: str
    calls: float
    rounds: float
    floor_rounds: float
    seconds: float | None
    model_seconds: float | None
    waited_seconds: float | None
    input_tokens: float
    output_tokens: float
    usd: float
    waste_usd: float


def row_of(scenario: str, speculate: str, profile: str, floor: float, asked: Sequence[Asked], timed: bool) -> Row:
    """Return the row of one question, or of several."""
    usages = [one.response["usage"] for one in asked]
    requests = [billed for one in asked for billed in one.requests]
    alone = [critical_seconds(billed.span for billed in one.requests) for one in asked]
    model = [one.model_seconds for one in asked]
    cached = [billed.cached for billed in requests]
    sent = sum(billed.input_tokens for billed in requests)
    sent += sum(one.read + one.written_5m + one.written_1h for one in cached)
    return Row(
        scenario=scenario,
        speculate=speculate,
        profile=profile,
        status=", ".join(sorted({one.response["status"] for one in asked})),
        calls=_mean([usage["model_calls"] for usage in usages]),
        rounds=_mean([usage["rounds"] for usage in usages]),
        floor_rounds=floor,
        seconds=round(fmean(one.seconds for one in asked), 2) if timed else None,
        model_seconds=round(fmean(model), 2) if timed else None,
        waited_seconds=round(fmean(model) - fmean(alone), 2) if timed else None,
        input_tokens=round(sent / len(asked)),
        output_tokens=round(sum(billed.output_tokens for billed in requests) / len(asked)),
        usd=_mean([usage["cost_usd"] for usage in usages], 6),
        waste_usd=_mean([(usage.get("waste") or {}).get("cost_usd") or 0 for usage in usages], 6),
    )


def _mean(values: Sequence[float], digits: int = 2) -> float:
    mean = round(fmean(values), digits)
    return int(mean) if mean.is_integer() else mean


def write(rows: Sequence[Row], path: Path) -> None:
    """Write rows as JSON, one a line."""
    lines = ",\n".join(json.dumps(asdict(row)) for row in rows)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def read(path: Path) -> list[Row]:
    """Return the rows of a file."""
    return [Row(**fields) for fields in json.loads(path.read_text(encoding="utf-8"))]
