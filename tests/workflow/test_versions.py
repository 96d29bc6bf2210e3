"""Documents of two dates that contradict each other: the later one decides, or a warning names it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from selfrag.ports.model import ModelText, Prompt, Source
from tests.support.chains.asking import Ask, asking_chains
from tests.support.chains.model import ChainModel
from tests.support.chains.world import OLD, Chain, versions

SOME = tuple(
    Chain(f"What is the {relation} of Project {name}?", (relation,), (f"Project {name}", value))
    for relation, name, value in (
        ("keeper", "Arlo", "Berg"),
        ("seat", "Brin", "Dornbay"),
        ("fee", "Culm", "512 crowns"),
    )
)


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with asking_chains(SOME, versions(SOME)) as ask:
        yield ask


@pytest.mark.parametrize("strategy", ["candidates", "segments"])
def test_equal_answers_prefer_the_newer_document(ask: Ask, strategy: str) -> None:
    found = [ask(chain, ChainModel(), strategy=strategy) for chain in SOME]
    assert [(figures.status, figures.right, figures.warned) for figures in found] == [("answered", True, False)] * 3


@dataclass(frozen=True)
class OldFirst(ChainModel):
    """A writer that takes the older value until its claim failed; a judge that `reads` its field contradicts it."""

    reads: bool = False

    def decide_retrieval(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {**super().decide_retrieval(fields), "complexity": "complex"}

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> ModelText:
        if not fields.get("failed_claims"):
            sources = [source if OLD in "".join(source.blocks) else replace(source, blocks=("",)) for source in sources]
        return super().write(step, prompt, sources, fields)

    def grade_support(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        verdict = super().grade_support(fields)
        for claim in verdict["claims"]:
            if self.reads and fields.get("newer_versions") and OLD in claim["claim"]:
                claim["support"] = "contradicted"
        return verdict


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("strategy", ["self_rag", "adaptive"])
def test_an_answer_by_the_older_document_is_contradicted_or_warns(ask: Ask, strategy: str, reads: bool) -> None:
    found = [ask(chain, OldFirst(reads=reads), strategy=strategy) for chain in SOME]
    assert [(figures.right, figures.warned) for figures in found] == [(reads, not reads)] * 3
