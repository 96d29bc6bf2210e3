"""How far two judges agree: the share that is equal, kappa by the book, and the difference in score."""

from io import StringIO
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from cli.lab.metrics.agreement import CLAIMS, RELEVANCE, SUPPORT, UTILITY, Pair, Said, agreement
from cli.lab.metrics.opinions import opinions
from cli.lab.report import Findings
from cli.lab.runs.results import Result
from cli.lab.runs.variants import read_variants
from cli.lab.tables import show_report
from selfrag.domain.strategies import Strategy
from selfrag.domain.verdicts import RelevanceLabel
from tests.unit.cli.lab.conftest import gold, reflection, response

TWO = ("no", "yes")
PAIRS = st.lists(st.tuples(st.sampled_from(UTILITY), st.sampled_from(UTILITY)), min_size=1)


def said(*pairs: tuple[object, object]) -> list[Pair]:
    return [(Said(one), Said(other)) for one, other in pairs]


def test_kappa_of_two_levels_is_cohens() -> None:
    # 45 of 60 are equal; by chance (25 + 5) / 60 x (25 + 10) / 60 + 30 / 60 x 25 / 60 would be.
    found = agreement(
        said(*[("yes", "yes")] * 25, *[("yes", "no")] * 5, *[("no", "yes")] * 10, *[("no", "no")] * 20), TWO
    )
    by_chance = 30 / 60 * 35 / 60 + 30 / 60 * 25 / 60
    assert (found.pairs, found.equal) == (60, 45 / 60)
    assert found.kappa == pytest.approx((45 / 60 - by_chance) / (1 - by_chance)) == pytest.approx(0.5)


def test_two_levels_away_is_twice_as_wrong_as_one() -> None:
    # By chance the judges are one level apart in the mean, in both cases.
    far = agreement(said((1, 1), (1, 3), (3, 3), (3, 3)), UTILITY)
    near = agreement(said((1, 1), (1, 2), (3, 3), (3, 3)), UTILITY)
    assert far.equal == near.equal == 0.75
    assert far.kappa == pytest.approx(1 - 0.5 / 1.0)
    assert near.kappa == pytest.approx(1 - 0.25 / 1.0)


def test_the_levels_are_the_domains_from_the_worst_to_the_best() -> None:
    assert RELEVANCE == ("irrelevant", "ambiguous", "relevant")
    assert SUPPORT == ("no_support", "partially_supported", "fully_supported")
    assert CLAIMS == ("contradicted", "none", "partial", "full")


@given(PAIRS)
def test_kappa_is_the_same_whoever_is_first_and_1_only_where_all_are_equal(pairs: list[tuple[int, int]]) -> None:
    found = agreement(said(*pairs), UTILITY)
    turned = agreement(said(*[(other, one) for one, other in pairs]), UTILITY)
    if found.kappa is None:
        assert len({level for pair in pairs for level in pair}) == 1
        return
    assert turned.kappa == pytest.approx(found.kappa)
    assert found.kappa <= 1 + 1e-9
    assert (found.kappa > 1 - 1e-9) == (found.equal == 1)


def test_who_says_nothing_neither_agrees_nor_differs() -> None:
    found = agreement([(Said(5, 5), Said(4, 4)), (None, Said(1, 1)), (Said(1, 1), None)], UTILITY)
    assert (found.pairs, found.ungraded, found.difference, found.equal) == (1, 2, -1, 0)
    assert agreement([(None, None)], UTILITY).equal is None


def reflected(answer: str, score: float, support: str, use: int) -> dict[str, object]:
    relevant = score >= 0.5
    verdict = {"passage_id": "p", "relevant": relevant, "score": score}
    return {
        **response(answer),
        "reflection": {
            "relevance": [{**verdict, "label": "relevant" if relevant else "irrelevant"}],
            "support": {
                "level": {"full": "fully_supported"}.get(support, "no_support"),
                "claims": [{"claim": "It is so.", "support": support, "of_another_release": 1}],
            },
            "utility": {"score": use, "reason": "r"},
        },
    }


def test_variants_are_compared_where_they_judged_the_same_passage_or_the_same_answer() -> None:
    found = opinions(
        [
            (reflected("a", 0.9, "full", 5), reflected("a", 0.2, "none", 4)),
            (reflected("a", 0.9, "full", 5), reflected("a", 0.8, "full", 5)),
            (reflected("a", 0.9, "full", 5), reflected("b", 0.9, "none", 1)),
        ]
    )
    assert {kind: one["pairs"] for kind, one in found.items()} == {
        "relevance": 3,
        "support": 2,
        "claims": 2,
        "utility": 2,
    }
    assert found["relevance"]["equal"] == pytest.approx(2 / 3)
    assert found["relevance"]["difference"] == pytest.approx((-0.7 - 0.1 + 0) / 3)
    assert (found["support"]["equal"], found["support"]["difference"]) == (0.5, -0.5)
    assert (found["utility"]["equal"], found["utility"]["difference"]) == (0.5, -0.5)
    assert opinions([(response(), response())]) == {}


LABELS = get_args(RelevanceLabel)
AGAIN = [f"{strategy}.again" for strategy in get_args(Strategy)]
SCORES = {"relevant": 0.9, "ambiguous": 0.3, "irrelevant": 0.1, "ungraded": None}


class EveryLabel:
    """To each question a strategy grades a passage, each time with another of the labels that it gives."""

    def find(self, variant: str, question_id: str) -> Result:
        strategy, label = variant.removesuffix(".again"), LABELS[int(question_id)]
        if label == "ambiguous" and strategy != "corrective":
            label = "irrelevant"
        verdicts = reflection(("leave.md", SCORES[label]))
        verdicts["relevance"][0]["label"] = label
        if strategy in ("naive", "corrective"):
            verdicts |= {"support": None, "utility": None}
        if strategy == "naive":
            verdicts |= {"retrieve": None, "relevance": []}
        answered = {**response(), "reflection": verdicts}
        return Result(variant=variant, policy={}, question_id=question_id, question="?", seconds=1.0, response=answered)


def test_every_strategy_is_compared_with_every_other_whatever_labels_they_give() -> None:
    questions = [gold(id=str(number)) for number in range(len(LABELS))]
    for base in get_args(Strategy):
        options = [f'{name}={{"strategy": "{name.removesuffix(".again")}"}}' for name in (base, *AGAIN)]
        report = Findings(questions, read_variants(options), EveryLabel()).report()
        show_report(Console(file=StringIO()), report)
        for comparison in report["comparisons"]:
            other = comparison["variant"].removesuffix(".again")
            pairs = {kind: (one["pairs"], one["ungraded"]) for kind, one in comparison["agreement"].items()}
            answers = dict.fromkeys(("support", "claims", "utility"), (4, 0))
            both_grade = {} if "naive" in (base, other) else {"relevance": (3, 1)}
            assert pairs == both_grade | ({} if {"naive", "corrective"} & {base, other} else answers), (base, other)
            if both_grade:
                same = 1.0 if (base == "corrective") == (other == "corrective") else 2 / 3
                assert comparison["agreement"]["relevance"]["equal"] == pytest.approx(same), (base, other)
