"""Questions that take two and three documents, each of which names the next."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.support.chains.asking import Ask, asking_chains
from tests.support.chains.model import ChainModel
from tests.support.chains.world import Chain, chains

SOME = chains(8)
FEW = chains(2, seed=5)
TWO, THREE = (tuple(chain for chain in SOME if len(chain.relations) == facts) for facts in (2, 3))


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with asking_chains(SOME) as ask:
        yield ask


@pytest.mark.parametrize("use", [3, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("strategy", ["self_rag", "adaptive"])
@pytest.mark.parametrize(("speculate", "phrases", "two", "three"), [("draft", True, 4, 6), ("draft", False, 5, 8)])
def test_two_and_three_hops_are_answered_within_their_rounds(
    ask: Ask, strategy: str, use: int, speculate: str, phrases: bool, two: int, three: int
) -> None:
    model = ChainModel(phrases, use=use)
    for some, most in ((TWO, two), (THREE, three)):
        for chain in some:
            found = ask(chain, model, strategy=strategy, speculate=speculate)
            assert (found.status, found.right, found.false) == ("answered", True, False)
            assert (found.rounds <= most, found.calls <= 40) == (True, True)


def test_missing_draft_answer_does_not_end_chain_with_relevant_fact(ask: Ask) -> None:
    for chain in SOME:
        assert ask(chain, ChainModel(gaps=False)).right


def test_a_passage_refused_for_the_question_returns_for_another_query() -> None:
    # So few documents that the first search brings them all.
    with asking_chains(FEW) as ask:
        assert [ask(chain, ChainModel(), top_k=5).right for chain in FEW] == [True, True]


def test_segments_answers_some_chains_whose_subject_only_its_query_names(ask: Ask) -> None:
    assert any(ask(chain, ChainModel(), strategy="segments").right for chain in SOME)


def test_a_question_without_an_answer_costs_what_it_cost_without_returning_passages(ask: Ask) -> None:
    unknown = replace(TWO[0], question="What is the keeper of Project Nowhere?")
    figures = ask(unknown, ChainModel())
    assert (figures.status, figures.calls, figures.rounds) == ("abstained", 12, 3)


@pytest.mark.parametrize("strategy", ["self_rag", "naive", "corrective", "candidates", "segments"])
def test_no_strategy_answers_a_chain_falsely(ask: Ask, strategy: str) -> None:
    assert not any(ask(chain, ChainModel(), strategy=strategy).false for chain in SOME)


def test_chain_without_rewrites_reports_gap_instead_of_answer(ask: Ask) -> None:
    chain: Chain = TWO[0]
    found = ask(chain, ChainModel(), max_rewrites=0)
    assert (found.right, found.false, found.rounds) == (False, False, 2)
