"""adaptive: no search, one search or the full loop, by the question's complexity (Adaptive-RAG, arXiv 2403.14403)."""

from selfrag.plan.loop.gathering import Traits
from selfrag.plan.self_rag import SelfRag


class Adaptive(SelfRag):
    """The loop of self_rag that grades and judges nothing for a question that the decision calls simple."""

    traits = Traits(complexity=True)
