"""What a server of the model does wrong: at one request, or in one choice of each."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from selfrag.domain.scores.generated import NEVER
from selfrag.domain.scores.tokens import SUPPORT
from selfrag.domain.scores.vocabulary import IDS

Choice = dict[str, Any]
_SUPPORT = [f"token_id:{IDS[token]}" for token in SUPPORT]


@dataclass(frozen=True)
class Fault:
    """A status with what is said, and headers; or `silence`, `cut`, `broken`; or a code of SageMaker with its model's.

    A status of 0 is a model that did not reply in 60 s.
    """

    status: int = 0
    says: str = "no"
    kind: str = ""
    code: str = ""
    retry_after: str = ""


SILENCE, CUT, BROKEN = Fault(kind="silence"), Fault(kind="cut"), Fault(kind="broken")
NO_CAPACITY = Fault(
    400,
    "Inference Component has no capacity to process this request. ApplicationAutoScaling may be in-progress (if "
    "configured) or try to increase the capacity by invoking UpdateInferenceComponentRuntimeConfig API.",
    code="ValidationError",
)


def model_error(original: int, says: str = "no") -> Fault:
    """What SageMaker says when the model's own server refused with this status."""
    return Fault(original, says, code="ModelError")


def _support_at(choice: Choice) -> int:
    return next(place for place, token in enumerate(choice["logprobs"]["tokens"]) if token in _SUPPORT)


def _unlisted_support(choice: Choice) -> None:
    """The ids are missing at one critique position."""
    place = _support_at(choice)
    choice["logprobs"]["top_logprobs"][place] = {choice["logprobs"]["tokens"][place]: -0.1}


def _without_support(choice: Choice) -> None:
    """IsSup is absent after [Relevant]."""
    place = _support_at(choice)
    for told in choice["logprobs"].values():
        del told[place]
    del choice["token_ids"][place]
    for token in SUPPORT:
        choice["text"] = choice["text"].replace(token, "")


def _cut(choice: Choice) -> None:
    """The length limit is met before IsSup."""
    place = _support_at(choice) - 1
    for told in choice["logprobs"].values():
        del told[place:]
    del choice["token_ids"][place:]
    choice["text"] = choice["text"].rpartition(" ")[0]
    choice.update(finish_reason="length", stop_reason=None)


def _not_numbers(choice: Choice) -> None:
    choice["logprobs"]["token_logprobs"][1] = math.nan


def _never(choice: Choice) -> None:
    """All of IsRel is minus infinity."""
    choice["logprobs"]["top_logprobs"][0] = dict.fromkeys(choice["logprobs"]["top_logprobs"][0], NEVER)


def _disagreeing(choice: Choice) -> None:
    """The text says that all is supported, the ids say what they said."""
    for token in SUPPORT:
        choice["text"] = choice["text"].replace(token, "")
    choice["text"] += SUPPORT[-1]


def _no_logprobs(choice: Choice) -> None:
    choice["logprobs"] = None


# What happens to one choice, while the others are as they should be.
SPOILED: Mapping[str, Callable[[Choice], None]] = {
    "unlisted_support": _unlisted_support,
    "without_support": _without_support,
    "cut": _cut,
    "not_numbers": _not_numbers,
    "never": _never,
    "disagreeing": _disagreeing,
    "no_logprobs": _no_logprobs,
}
