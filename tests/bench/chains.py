"""Chains of facts by strategy: answered, rounds, calls and dollars; `python -m tests.bench.chains [--count 300]`.

The steps are the deployed ones, over the laptop's index; the model is scripted, and tokens are estimated.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from cli.local.definitions import QUESTION
from cli.local.home import connect
from cli.local.index.embedders import E5Embedder
from cli.local.index.passage_index import EmbeddedIndex
from cli.local.index.store import SCHEMA
from cli.local.stack import deployed_handlers
from selfrag import bootstrap
from selfrag.ports.index import Entry
from tests.support.chains.model import ChainModel
from tests.support.chains.world import COLLECTION, Chain, chains, passages
from tests.support.fakes import MemoryCache
from tests.support.questions import response_to

# What is asked by: a strategy, how it speculates, and whether the writer has phrases for what is missing.
WAYS: tuple[tuple[str, str, bool], ...] = (
    ("self_rag", "off", True),
    ("self_rag", "draft", True),
    ("self_rag", "draft", False),
    ("self_rag", "full", False),
    ("adaptive", "draft", True),
    ("adaptive", "draft", False),
    ("corrective", "draft", True),
    ("naive", "draft", True),
    ("candidates", "draft", True),
    ("segments", "draft", True),
)

HEADS = (
    "strategy", "speculate", "phrases", "facts", "right", "statuses", "false", "rounds (most)", "calls (most)",
    "USD per 1,000",
)  # fmt: skip


@dataclass(frozen=True)
class Figures:
    """The outcome of a question; it is `false` if it is answered without the last fact, and hides that."""

    status: str
    right: bool
    false: bool
    rounds: int
    calls: int
    usd: float


Ask = Callable[..., Figures]


@contextmanager
def asking_chains(some: tuple[Chain, ...]) -> Iterator[Ask]:
    """Yield a function that asks a chain's question; its arguments are the model and the policy."""
    embedder, found, asked = E5Embedder(), passages(some), dict[str, list[float]]()
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
        index.add([Entry(one, vector) for one, vector in zip(found, vectors, strict=True)])

        def ask(chain: Chain, model: ChainModel, **policy: Any) -> Figures:
            policy = {"web_search": False, "deadline_seconds": 100_000, "cache": False, **policy}
            request = {"question": chain.question, "collections": [COLLECTION], "policy": policy}
            parts: Any = {"index": index, "embedder": Embedder(), "claude": lambda limits: model}
            parts["verdicts"] = MemoryCache()
            with bootstrap.using(**parts):
                return figures(chain, response_to(request, handlers))

        yield ask


def figures(chain: Chain, response: dict[str, Any]) -> Figures:
    """Return what a response came to."""
    usage, ends = response["usage"], f"The {chain.relations[-1]} of {chain.names[-2]} is "
    right = f"{ends}{chain.right}." in response["answer"]
    false = response["status"] == "answered" and not right and not response.get("not_said")
    return Figures(response["status"], right, false, usage["rounds"], usage["model_calls"], usage["cost_usd"] or 0.0)


def row(some: Sequence[Figures]) -> list[str]:
    """Return the cells of a row."""
    statuses = Counter(one.status for one in some)
    right = sum(one.right and one.status == "answered" for one in some)
    return [
        f"{right} of {len(some)}",
        ", ".join(f"{status} {count}" for status, count in sorted(statuses.items())),
        str(sum(one.false for one in some)),
        f"{fmean(one.rounds for one in some):.2f} ({max(one.rounds for one in some)})",
        f"{fmean(one.calls for one in some):.1f} ({max(one.calls for one in some)})",
        f"{1000 * fmean(one.usd for one in some):.2f}",
    ]


def main() -> None:
    """Ask all chains each way, and print a table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=300)
    arguments.add_argument("--use", type=int, default=3, help="IsUse of an answer with a gap")
    arguments.add_argument("--no-gaps", action="store_true", help="a writer that gives no answer with a gap")
    given = arguments.parse_args()
    some = chains(given.count)
    print(f"| {' | '.join(HEADS)} |\n|{' --- |' * len(HEADS)}")
    with asking_chains(some) as ask:
        for strategy, speculate, phrases in WAYS:
            model = ChainModel(phrases, not given.no_gaps, given.use)
            policy: dict[str, Any] = {"strategy": strategy, "speculate": speculate}
            for facts in (2, 3):
                asked = [ask(chain, model, **policy) for chain in some if len(chain.relations) == facts]
                cells = [strategy, speculate, "yes" if phrases else "no", str(facts), *row(asked)]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
