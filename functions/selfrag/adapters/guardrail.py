"""Guardrails of Amazon Bedrock, by ApplyGuardrail, which needs no model of Bedrock."""

from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import override

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import SelfragError
from selfrag.ports.guardrail import Guardrail, Side
from selfrag.runtime.observability import logger

# Bedrock counts text in units of 1,000 characters, and takes 25 units a second by default.
MAX_CHARACTERS = 20_000
_SOURCES = {"request": "INPUT", "answer": "OUTPUT"}


class BedrockGuardrail(Guardrail):
    """One version of a guardrail, by its id or its ARN."""

    def __init__(self, client: Any, guardrail_id: str, version: str) -> None:
        self._client, self._id, self._version = client, guardrail_id, version

    @override
    def passes(self, side: Side, texts: Sequence[str]) -> bool:
        return all(self._passes(side, part) for part in _parts(texts))

    def _passes(self, side: Side, texts: Sequence[str]) -> bool:
        try:
            with aws_faults("the guardrail"):
                reply = self._client.apply_guardrail(
                    guardrailIdentifier=self._id,
                    guardrailVersion=self._version,
                    source=_SOURCES[side],
                    content=[{"text": {"text": text}} for text in texts],
                )
        except SelfragError as error:
            logger.warning("the guardrail gave no verdict", extra={"error": type(error).__name__})
            return False
        return bool(reply.get("action") == "NONE")


def _parts(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in requests of at most MAX_CHARACTERS; a longer text is cut, with an overlap of 1,000."""
    part: list[str] = []
    for text in texts:
        for start in range(0, max(1, len(text)), MAX_CHARACTERS - 1000):
            piece = text[start : start + MAX_CHARACTERS]
            if part and sum(map(len, part)) + len(piece) > MAX_CHARACTERS:
                yield part
                part = []
            if piece.strip():
                part.append(piece)
            if start + MAX_CHARACTERS >= len(text):
                break
    if part:
        yield part
