"""The fine-tuned model behind the port: one request for all prompts, sent again while there is time."""

from collections.abc import Callable, Sequence
from typing import Protocol

from selfrag.adapters.generators.replies import Reply, reply_of
from selfrag.adapters.generators.requests import body_of, encoded
from selfrag.domain.calls import ModelCall
from selfrag.domain.errors import TemporarilyUnavailable
from selfrag.domain.scores.vocabulary import Vocabulary
from selfrag.ports.generator import Completed
from selfrag.runtime.pace import Pace, Unanswered


class Host(Protocol):
    """Where the model runs."""

    @property
    def name(self) -> str:
        """What it is called in a message."""

    def send(self, body: bytes, seconds: float) -> bytes:
        """The reply to one request."""


class Completions:
    """A Generator on a host, for one task; `served` is the name that a request gives, "" for none."""

    def __init__(self, host: Host, pace: Pace, vocabulary: Vocabulary, model: str, served: str) -> None:
        self._host, self._pace, self._served = host, pace, served
        self.vocabulary, self.model = vocabulary, model

    def complete(self, step: str, prompts: Sequence[str], max_tokens: int, *, stops: Sequence[int] = ()) -> Completed:
        """What was written after each prompt."""
        body = encoded(body_of(prompts, max_tokens, stops, self.vocabulary, self._served))
        times = [0.0, 0.0]

        def send(seconds: float) -> Reply:
            times[0] = self._pace.now()
            content = self._host.send(body, seconds)
            times[1] = self._pace.now()
            return _understood(lambda: reply_of(content, len(prompts)))

        asked = self._pace.ask(step, self.model, send)
        reply = asked.value
        return Completed(
            written=reply.written if reply else (None,) * len(prompts),
            sequences=len(prompts) if reply else 0,
            call=self._call(step, reply, times) if reply else None,
            attempts=asked.requests,
            error=type(asked.error).__name__ if asked.error else None,
            cause=str(asked.error or ""),
            throttled=asked.throttled,
        )

    def _call(self, step: str, reply: Reply, times: Sequence[float]) -> ModelCall:
        """What the request took; an hour of the endpoint has a price, a request has none."""
        return ModelCall(
            step=step,
            model=self.model,
            started_at=round(times[0], 4),
            ended_at=round(times[1], 4),
            stop_reason="length" if reply.cut else "stop",
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
        )


def _understood(read: Callable[[], Reply]) -> Reply:
    """What was read, or Unanswered: what cannot be read now may be next time."""
    try:
        return read()
    except TemporarilyUnavailable as error:
        raise Unanswered(error) from None
