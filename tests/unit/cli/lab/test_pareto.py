"""The variants that no other one beats in quality and price at once are marked."""

from typing import Any

from selfrag_cli.lab.metrics.pareto import front_of


def variants(**points: tuple[float | None, float | None]) -> list[dict[str, Any]]:
    return [{"name": name, "measures": {"usd": usd, "match": match}} for name, (usd, match) in points.items()]


def test_what_costs_more_and_is_no_better_is_not_on_the_front() -> None:
    some = variants(good=(0.03, 0.9), dear=(0.04, 0.9), bad=(0.03, 0.8), cheap=(0.01, 0.5), alike=(0.01, 0.5))
    assert front_of(some) == {"quality": "match", "price": "usd", "variants": ["cheap", "alike", "good"]}


def test_what_is_not_known_of_a_variant_keeps_it_off_and_of_all_leaves_no_front() -> None:
    found = front_of(variants(one=(0.03, None), other=(0.04, 0.9)))
    assert found is not None
    assert found["variants"] == ["other"]
    assert front_of(variants(one=(0.03, None))) is None
    assert front_of(variants(one=(0.0, 0.9))) is None, "nothing was paid, and no calls are known"


def test_a_judges_word_on_correctness_goes_before_a_match_of_words_and_calls_stand_for_dollars() -> None:
    (one,) = variants(one=(0.0, 0.9))
    found = front_of([{**one, "measures": {**one["measures"], "correct": 0.8, "model_calls": 3.0}}])
    assert found == {"quality": "correct", "price": "model_calls", "variants": ["one"]}
