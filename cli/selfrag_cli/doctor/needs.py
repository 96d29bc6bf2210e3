"""The needs of a question, answered at the first try, and of a passage that is loaded.

The only place of these figures in code: docs/operate.md and docs/operate.md reckon with the same, and a test says so.
"""

MODEL_CALLS = 8
# Input and output of all of them, as Anthropic counts them.
MODEL_TOKENS = 14_300
# As Bedrock does: Claude's output counts five times. While a call is at work its `max_tokens` count in place of that.
BEDROCK_TOKENS, BEDROCK_RESERVED = 17_300, 23_300
LAMBDA_SECONDS = 26
EMBEDDINGS = 1
TRANSITIONS = 32

PASSAGE_TOKENS = 230

OCU_HOUR_DOLLARS = 0.24
HOURS_A_MONTH = 730


def by_lambda(at_once: float) -> float:
    """Return the questions a second that so many concurrent functions allow."""
    return at_once / LAMBDA_SECONDS


def by_embedding(calls_a_minute: float) -> float:
    """Return the questions a second that so many embedding calls allow while no document is ingested."""
    return calls_a_minute / 60 / EMBEDDINGS


def by_model(calls_a_minute: float | None, tokens_a_minute: float | None, tokens: float = BEDROCK_TOKENS) -> float:
    """Return the questions a second of a model that makes all calls; None is no limit.

    `tokens` is how many a question takes by the provider's count.
    """
    limits = [(calls_a_minute, MODEL_CALLS), (tokens_a_minute, tokens)]
    return min(limit / 60 / each for limit, each in limits if limit is not None)


def month_dollars(units: float) -> float:
    """Return the price of so many OpenSearch Compute Units in a month in which all are used."""
    return units * HOURS_A_MONTH * OCU_HOUR_DOLLARS
