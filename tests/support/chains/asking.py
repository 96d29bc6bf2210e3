"""Questions about chains of facts: the deployed steps over the laptop's index, with a scripted model."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfrag import bootstrap
from selfrag.domain.passages import Passage
from selfrag.ports.index import IndexEntry
from selfrag_cli.local.home import connect
from selfrag_cli.local.index.embedders import E5Embedder
from selfrag_cli.local.index.passage_index import EmbeddedIndex
from selfrag_cli.local.index.store import SCHEMA
from selfrag_cli.local.stack import QUESTION, deployed_handlers
from tests.support.chains.model import ChainModel
from tests.support.chains.world import COLLECTION, Chain, passages
from tests.support.fakes import MemoryCache
from tests.support.questions import response_to


@dataclass(frozen=True)
class Figures:
    """The outcome of a question; it is `false` if it is answered without the last fact, and hides that.

    It is `warned` if a warning names a newer version.
    """

    status: str
    right: bool
    false: bool
    rounds: int
    calls: int
    usd: float
    warned: bool


Ask = Callable[..., Figures]


@contextmanager
def asking_chains(some: tuple[Chain, ...], found: list[Passage] | None = None) -> Iterator[Ask]:
    """Yield a function that asks a chain's question; its arguments are the model and the policy."""
    embedder, found, asked = E5Embedder(), found or passages(some), dict[str, list[float]]()
    vectors = embedder.passages([f"{one.title}\n{one.text}" for one in found])

    class Embedder:
        spread_floor = embedder.spread_floor

        def query(self, text: str) -> list[float]:
            if text not in asked:
                asked[text] = embedder.query(text)
            return asked[text]

    handlers = deployed_handlers(QUESTION)
    with tempfile.TemporaryDirectory() as home, closing(connect(SCHEMA, Path(home))) as connection:
        index = EmbeddedIndex(connection)
        index.add([IndexEntry(one, vector) for one, vector in zip(found, vectors, strict=True)])

        def ask(chain: Chain, model: ChainModel, **policy: Any) -> Figures:
            policy = {"web_search": False, "deadline_seconds": 100_000, "cache": False, **policy}
            request = {"question": chain.question, "collections": [COLLECTION], "policy": policy}
            parts: Any = {"index": index, "embedder": Embedder(), "claude": lambda limits: model}
            parts["verdicts"] = MemoryCache()
            with bootstrap.using(**parts):
                return figures(chain, response_to(request, handlers))

        yield ask


def figures(chain: Chain, response: dict[str, Any]) -> Figures:
    """Return a response's figures."""
    usage, ends = response["usage"], f"The {chain.relations[-1]} of {chain.names[-2]} is "
    right = f"{ends}{chain.right}." in response["answer"]
    false = response["status"] == "answered" and not right and not response.get("not_said")
    warned = any("newer version" in warning for warning in usage["warnings"])
    usd = usage["cost_usd"] or 0.0
    return Figures(response["status"], right, false, usage["rounds"], usage["model_calls"], usd, warned)
