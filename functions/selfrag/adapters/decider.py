"""Decision models over TypeSafe's protocol (`POST /v1/systemone`), which many servers support.

A server may silently truncate a state, so a state that may not fit is not sent.
"""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
import typesafe_sdk
from typesafe_sdk import RetryPolicy, SystemOneResponse, TypeSafeClient

from selfrag.adapters.outbound import host_of, http_client_for, unreachable_error
from selfrag.domain.calls import Flaw, ModelCall
from selfrag.domain.decisions import NO, YES, DecisionQuestion, Distribution, is_distribution
from selfrag.domain.errors import (
    BudgetExceeded,
    Misconfigured,
    RequestRejected,
    SelfragError,
    TemporarilyUnavailable,
    Unreadable,
)
from selfrag.ports.decider import Decisions
from selfrag.runtime.circuit_breaker import CircuitBreaker
from selfrag.runtime.pace import Pace, RequestFailure
from selfrag.text.budgets import most_tokens

# The SDK rejects an empty key; a server without authentication ignores this one.
_NO_KEY = "none"
# Usable share of the window: servers add text around the state and questions.
_MARGIN = 0.9
_MILLION = 1_000_000
# At its lower levels the SDK's logger writes requests, and so questions and passages.
logging.getLogger("typesafe_sdk").setLevel(logging.WARNING)


def decider_client(url: str, key: str) -> TypeSafeClient:
    """Return the SDK's client of a server; raises Misconfigured. `Pace` owns the retries."""
    try:
        return TypeSafeClient(
            api_key=key or _NO_KEY,
            base_url=url.rstrip("/").removesuffix("/v1"),
            http_client=http_client_for(url),
            retry=RetryPolicy(max_retries=0),
            compression=False,
        )
    except typesafe_sdk.TypeSafeError as error:
        raise Misconfigured(f"the client of the decider cannot be made: {type(error).__name__}") from None


class SystemOneDecider:
    """A decision model for one task: its requests are paced, and its answers are checked.

    `client` makes the SDK's client; where that fails there is no verdict, as without a reply. `window_tokens` is the
    model's window, `price` its dollars per million input tokens, and `budget_usd` the most that
    the requests may cost, None for any amount. `make_pace` makes the pace of one decision; while `breaker` is open none
    is asked for.
    """

    # False if the window bounds each prompt that a state becomes, and not the state.
    window_bounds_state = True

    def __init__(
        self,
        client: Callable[[], Any],
        url: str,
        model: str,
        window_tokens: int,
        price: float,
        make_pace: Callable[[], Pace],
        breaker: CircuitBreaker,
        budget_usd: float | None = None,
    ) -> None:
        self._client, self._url, self.model = client, url, model
        self._window, self._price, self._left = window_tokens, price, budget_usd
        self._make_pace, self._breaker = make_pace, breaker

    def ask(self, step: str, state: Mapping[str, object], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        """Return the answers to all questions about a state, or none and why, in a warning, too."""
        body = {name: _wire(question) for name, question in questions.items()}
        tokens = most_tokens({"state": state, "questions": body})
        if self.window_bounds_state and tokens > _MARGIN * self._window:
            return _none("too_long", f"a state may be longer than its window of {self._window:,} tokens")
        if self._left is not None and tokens * self._price / _MILLION > self._left:
            return _none("unavailable", "what is left of max_cost_usd buys no decision", BudgetExceeded.__name__)
        if cause := self._breaker.open_cause:
            return _none("unavailable", cause, TemporarilyUnavailable.__name__)
        pace = self._make_pace()
        started = pace.now()
        try:
            reply = pace.ask(step, self.model, lambda seconds: self._send_unless_open(state, body, seconds))
        except SelfragError as error:
            unread = isinstance(error, Unreadable)
            return _none("malformed" if unread else "unavailable", str(error), type(error).__name__)
        if reply.value is None:
            cause = str(reply.error) if reply.error else "it did not reply"
            return _none("unavailable", cause, type(reply.error).__name__, throttled=reply.throttled)
        call = self._call(step, reply.value, tokens, started, pace.now())
        try:
            answers = {name: _distribution(reply.value, name, question) for name, question in questions.items()}
        except _NoAnswer as why:
            flaw: Flaw = "refused" if _refuses(reply.value) else "malformed"
            return _none(flaw, str(why), throttled=reply.throttled, call=call)
        return Decisions(answers=answers, call=call, throttled=reply.throttled)

    def _send_unless_open(
        self, state: Mapping[str, object], questions: dict[str, Any], seconds: float
    ) -> SystemOneResponse:
        """Return the reply to a request and record it; a failure that opens the breaker is not retried."""
        try:
            reply = self._send(state, questions, seconds)
        except RequestFailure as failure:
            if not failure.throttled:
                self._breaker.record_failure(str(failure))
                if self._breaker.open_cause:
                    raise failure.error from None
            raise
        except (Misconfigured, Unreadable) as error:
            self._breaker.record_failure(str(error))
            raise
        self._breaker.record_reply()
        return reply

    def _send(self, state: Mapping[str, object], questions: dict[str, Any], seconds: float) -> SystemOneResponse:
        # A JSON copy: the SDK would take some objects of Python for files to send.
        content = json.loads(json.dumps(dict(state)))
        host = host_of(self._url)
        try:
            reply: SystemOneResponse = self._client().system_one(content, questions, model=self.model, timeout=seconds)
            return reply
        except typesafe_sdk.TypeSafeAPITimeoutError:
            raise RequestFailure(TemporarilyUnavailable(f"{host} did not reply in time")) from None
        except typesafe_sdk.TypeSafeAPIResponseValidationError:
            raise Unreadable(f"{host} sent a reply that cannot be read") from None
        except typesafe_sdk.TypeSafeAPIError as error:
            # Not `from error`: the server's own words may repeat a question or a passage.
            raise _status_error(error, host) from None
        except typesafe_sdk.TypeSafeAPIConnectionError as error:
            failure = unreachable_error(error, self._url)
            raise (RequestFailure(failure) if isinstance(failure, TemporarilyUnavailable) else failure) from None
        except (typesafe_sdk.TypeSafeError, ValueError, httpx2.HTTPError, RecursionError):
            raise Unreadable(f"{host} sent a reply that cannot be read") from None

    def _call(self, step: str, response: SystemOneResponse, most: int, started: float, ended: float) -> ModelCall:
        """Return the call's record; without token counts, it costs the maximum."""
        tokens = response.usage.input_tokens or 0
        cost = (tokens or most) * self._price / _MILLION
        if self._left is not None:
            self._left -= cost
        return ModelCall(
            step=step, model=self.model, started_at=round(started, 4), ended_at=round(ended, 4),
            stop_reason="", input_tokens=max(tokens, 0), cost_usd=cost, decision=True,
        )  # fmt: skip


class _NoAnswer(ValueError):
    """A missing or invalid answer, with the reason as its message."""


def _none(
    flaw: Flaw, why: str, error: str | None = None, *, throttled: bool = False, call: ModelCall | None = None
) -> Decisions:
    warning = f"The decision model gave no verdict: {why}."
    return Decisions(
        answers=None, flaw=flaw, call=call, error=error, cause=why, throttled=throttled, warnings=(warning,)
    )


def _wire(question: DecisionQuestion) -> dict[str, Any]:
    """Return a question in the protocol's form."""
    kind, criteria = {"levels": "score", "choice": "choice", "yes_no": "noul"}[question.type], question.criteria
    if isinstance(criteria, dict) and kind == "noul":
        criteria = {"true": criteria[YES], "false": criteria[NO]}
    return {"type": kind, "instructions": question.instructions, "criteria": criteria}


def _distribution(response: SystemOneResponse, name: str, question: DecisionQuestion) -> Distribution:
    answer = response.answers.get(name)
    probabilities: Distribution = {}
    if answer is None:
        raise _NoAnswer(f"the answer to `{name}` is missing")
    if isinstance(answer, typesafe_sdk.NoulAnswer) and question.type == "yes_no":
        probabilities = {YES: answer.noul, NO: 1.0 - answer.noul}
    elif isinstance(answer, typesafe_sdk.ChoiceAnswer) and question.type == "choice":
        probabilities = dict(answer.probabilities)
    elif isinstance(answer, typesafe_sdk.ScoreAnswer) and question.type == "levels":
        probabilities = {str(level + 1): probability for level, probability in answer.probabilities.items()}
    if not is_distribution(probabilities, question):
        raise _NoAnswer(f"the probabilities of `{name}` are not those of its options, or do not add up to 1")
    return probabilities


def _refuses(response: SystemOneResponse) -> bool:
    """Return whether the model refused a question, which servers report in a special answer type."""
    try:
        answers = response.raw_http_response.json().get("answers", {})
        return any("refus" in str(answer.get("type", "")) or answer.get("refusal") for answer in answers.values())
    except (AttributeError, ValueError):
        return False


def _status_error(error: typesafe_sdk.TypeSafeAPIError, host: str) -> Exception:
    status = error.status
    if status == 501:
        return Misconfigured(f"{host} has no decision model: status 501")
    if status in (408, 409, 425, 429) or status >= 500:
        after = getattr(error, "retry_after_ms", None)
        busy = TemporarilyUnavailable(f"{host} is busy: status {status}")
        return RequestFailure(busy, None if after is None else after / 1000, throttled=status == 429)
    if status in (401, 403):
        return Misconfigured(f"{host} refused the key: status {status}")
    if status == 404:
        return Misconfigured(f"{host} knows no such model or no /v1/systemone: status 404")
    return RequestRejected(f"{host} refused the request: status {status}")
