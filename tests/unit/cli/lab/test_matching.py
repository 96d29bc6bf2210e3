"""How near an answer is to a right one: known pairs of the official scripts, and letters for East Asian texts."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag_cli.lab.matching import f1, match

# The figures follow from the published rules of SQuAD 1.1, by hand.
ENGLISH = [
    ("Denver Broncos", "Denver Broncos", 1, 1),
    ("The Denver Broncos!", "denver  broncos", 1, 1),
    ("the Carolina Panthers", "Denver Broncos", 0, 0),
    ("It was Super Bowl 50.", "Super Bowl", 2 * 2 / 7, 1),
    ("308", "308 yards", 2 / 3, 0),
    ("They won 15 games", "5", 0, 0),
    ("well-known", "well known", 0, 0),
    ("U.S. dollars", "US dollars", 1, 1),
    ("Zürich", "Zurich", 0, 0),
    ("18 weeks 18", "18 weeks", 4 / 5, 1),
    ("", "Denver", 0, 0),
    ("An", "the", 1, 0),
]
# Letters are counted by hand; punctuation of any width is none, and spaces between letters do not count.
EAST_ASIAN = [
    ("東京都", "東京都", 1, 1),
    ("「東京都」。", "東京都", 1, 1),
    ("東京", "東京都", 2 * 2 / 5, 0),
    ("首都は東京都です。", "東京都", 2 * 3 / 11, 1),
    ("京都東", "東京都", 1, 0),
    ("1989年2月15日", "1989年", 2 * 2 / 8, 1),
    ("19892年", "1989年", 2 * 1 / 4, 0),
    ("北京，1949年", "北京 1949 年", 1, 1),
    ("서울특별시", "서울", 2 * 2 / 7, 1),
    ("2월 15일", "2월15일", 1, 1),
    ("ビタミン A", "ビタミンA", 1, 1),
    ("Beatles가 왔다", "beatles", 2 * 1 / 5, 1),
    ("1962", "1962年", 2 * 1 / 3, 0),
]


@pytest.mark.parametrize(("answer", "right", "near", "inside"), [*ENGLISH, *EAST_ASIAN])
def test_known_pairs_have_the_figures_of_the_published_rules(
    answer: str, right: str, near: float, inside: float
) -> None:
    assert f1(answer, right) == pytest.approx(near)
    assert match(answer, right) == inside


WORDS = st.text(alphabet="abthe 東京서울年1.。-", max_size=24)


@given(WORDS, WORDS)
def test_an_answer_is_as_near_to_itself_as_can_be_and_nearness_goes_both_ways(one: str, other: str) -> None:
    assert 0 <= f1(one, other) == f1(other, one) <= 1
    assert f1(one, one) == 1


@given(st.lists(st.sampled_from(["den", "bron", "won", "18", "weeks"])), st.lists(st.sampled_from(["den", "18", "x"])))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(said: list[str], right: list[str]) -> None:
    same = sum((Counter(said) & Counter(right)).values())
    if same:
        precision, recall = same / len(said), same / len(right)
        assert f1(" ".join(said), " ".join(right)) == pytest.approx(2 * precision * recall / (precision + recall))
