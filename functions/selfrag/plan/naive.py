"""naive: plain RAG, which searches once and answers."""

from selfrag.plan.loop.answers import Answering


class Naive(Answering):
    """The loop without a decision, a grade or a judge."""
