"""Passages are chosen by chance, the same each time, and spread over documents."""

from selfrag.domain.passages import Passage
from selfrag_cli.lab.drafting.generation import LEAST_LETTERS, sampled
from tests.support.fakes import passage

LONG = "The harbour crane lifts twelve tonnes and stands at the quay where ships wait for it. " * 2


def passages(*documents: tuple[str, int], text: str = LONG) -> list[Passage]:
    return [
        passage(f"{document}-{number}", text, document=document)
        for document, count in documents
        for number in range(count)
    ]


def chosen(found: list[Passage]) -> list[str]:
    return [one.passage_id for one, _ in sampled(found)]


def test_each_document_has_its_turn_before_one_has_two() -> None:
    found = passages(("long.md", 30), ("a.md", 2), ("b.md", 1), ("c.md", 1))
    order = chosen(found)
    assert {one.split("-")[0] for one in order[:4]} == {"long.md", "a.md", "b.md", "c.md"}
    assert sorted(order) == sorted(one.passage_id for one in found)


def test_the_order_is_the_same_whatever_order_the_passages_come_in() -> None:
    found = passages(("a.md", 5), ("b.md", 5), ("c.md", 5))
    assert chosen(found) == chosen(found[::-1])


def test_a_passage_comes_with_another_one_of_its_document_if_there_is_one() -> None:
    for one, other in sampled(passages(("a.md", 3), ("b.md", 1))):
        if one.document == "b.md":
            assert other is None
        else:
            assert other
            assert other.document == one.document
            assert other != one


def test_what_is_too_short_to_hold_a_fact_is_left_out_and_an_east_asian_letter_says_more() -> None:
    assert chosen(passages(("a.md", 1), text="x" * (LEAST_LETTERS - 1))) == []
    assert chosen(passages(("a.md", 1), text="年" * (LEAST_LETTERS // 3 + 1))) == ["a.md-0"]
