"""Which server it is that runs the model, found out by one small request: for whoever looks after a deployment.

A question does not ask this. What it gets proves itself, or is no verdict: text and ids have to agree, and the groups
have to be listed.
"""

import json
from typing import Any

from selfrag.adapters.generators.completing import Host
from selfrag.adapters.generators.replies import Reply, reply_of
from selfrag.adapters.generators.requests import body_of, encoded
from selfrag.adapters.generators.vllm import VllmServer
from selfrag.domain.scores.prompts import TRAINED_TOKENS
from selfrag.domain.scores.tokens import CONTROL
from selfrag.domain.scores.vocabulary import Vocabulary
from selfrag.ports.generator import Server
from selfrag.runtime.pace import Unanswered

# A string that is a token of its own is told to be one, by the ids of the prompt.
PROBE = "".join(CONTROL)


def server_at(host: Host, vocabulary: Vocabulary, model: str, served: str, seconds: float) -> Server:
    """What one request tells of a server, and of a vLLM server its list of models.

    Raises selfrag's typed errors for one that does not answer as vLLM does.
    """
    try:
        cards = _cards(host.models(seconds)) if isinstance(host, VllmServer) else {}
        if cards and served not in cards:
            return Server(model, False, None, (f"it serves {', '.join(sorted(cards))}, and no {served}",))
        reply = reply_of(host.send(encoded(body_of([PROBE], 1, (), vocabulary, served)), seconds), 1)
    except Unanswered as unanswered:
        raise unanswered.error from None
    length = cards.get(served)
    found = reply.written[0]
    return Server(
        model=model,
        lists_what_is_asked=found is not None and bool(found.listed) and set(vocabulary.graded) <= set(found.listed[0]),
        max_model_len=length,
        wrong=tuple(_wrong(reply, vocabulary, length)),
    )


def _wrong(reply: Reply, vocabulary: Vocabulary, length: int | None) -> list[str]:
    found: list[str] = []
    if reply.written[0] is None:
        found.append("what it wrote has no log-probabilities that can be read")
    if not reply.prompt_ids:
        found.append("it does not tell the ids of a prompt, so that those of the model's tokens cannot be compared")
    elif told := _other(reply.prompt_ids, vocabulary):
        found.append(f"these tokens have other ids than SELFRAG_GENERATOR_TOKEN_IDS says: {', '.join(told)}")
    if length is not None and length < TRAINED_TOKENS:
        found.append(f"it reads {length} tokens, and the model was trained with {TRAINED_TOKENS}")
    return found


def _other(prompt_ids: tuple[int, ...], vocabulary: Vocabulary) -> list[str]:
    """The tokens that do not stand where the probe has them; what begins every prompt stands before them."""
    last = prompt_ids[-len(CONTROL) :]
    pairs = zip(CONTROL, vocabulary.of(CONTROL), strict=True)
    return [token for place, (token, one) in enumerate(pairs) if place >= len(last) or last[place] != one]


def _cards(content: bytes) -> dict[str, int | None]:
    """The models that a server has, each with the most tokens that it reads, where that is told."""
    try:
        listed: Any = json.loads(content)
        cards = {str(card["id"]): card.get("max_model_len") for card in listed["data"]}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {name: length if isinstance(length, int) else None for name, length in cards.items()}
