"""What the published code of the paper gets wrong where a reply is read, and what cannot be a verdict."""

import math
from dataclasses import replace

import pytest

from selfrag.domain.passages import Passage
from selfrag.domain.scores.generated import NEVER, GeneratedText, Group, Unproven, group_at, read
from selfrag.domain.scores.judging import decision_of, next_of, verdicts_of
from selfrag.domain.scores.tokens import END, RELEVANCE, RETRIEVE, words_of
from selfrag.domain.scores.vocabulary import IDS, Vocabulary

VOCABULARY = Vocabulary(IDS)
PASSAGE = Passage(passage_id="p", document="p.md", text="Leave is 25 days.")
WORD = 5000


def written(*tokens: str, finish: str = "stop", **at: dict[str, float]) -> GeneratedText:
    """What was written: these tokens, of which `at_N` names the probabilities at place N; each token is likely else."""
    ids = [IDS.get(token, WORD + place) for place, token in enumerate(tokens)]
    ended = finish == "stop" and tokens[-1] in (END, *RETRIEVE)
    listed = []
    for place, one in enumerate(ids):
        told = at.get(f"at_{place}", {tokens[place]: 0.9})
        group = dict.fromkeys(VOCABULARY.graded, 1e-09) | {one: 0.05}
        listed.append({**group, **{IDS.get(token, one): found for token, found in told.items()}})
    return GeneratedText(
        text="".join(tokens[:-1] if ended else tokens),
        ids=tuple(ids),
        logprobs=tuple(math.log(here[one]) for one, here in zip(ids, listed, strict=True)),
        listed=tuple({number: _log(found) for number, found in here.items()} for here in listed),
        finish=finish,
        stop=ids[-1] if ended and tokens[-1] != END else None,
    )


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else NEVER


def verdicts(found: GeneratedText):
    return verdicts_of(read(found, VOCABULARY, grounded=True), PASSAGE, "model")


def decide(yes: float, no: float, threshold: float | None = 0.2, sampled: str = RETRIEVE[0]):
    return decision_of(Group({RETRIEVE[1]: yes, RETRIEVE[0]: no}), sampled, threshold, follow_up=False)


def test_a_token_that_was_not_listed_is_no_decision_and_no_crash() -> None:
    nothing = decision_of(None, "Sure", 0.2, follow_up=False)
    assert (nothing.decision, nothing.ratio) == ("ungraded", None)
    assert decision_of(Group({RETRIEVE[2]: 0.9}), RETRIEVE[2], 0.2, follow_up=False).decision == "ungraded"


def test_without_a_threshold_a_search_is_made_only_if_the_model_writes_that_it_wants_one() -> None:
    assert decide(0.9, 0.05, None, RETRIEVE[1]).decision == "yes"
    assert decide(0.3, 0.4, None, RETRIEVE[0]).decision == "no"
    assert decide(0.3, 0.1, None, "Sure").decision == "no"


def test_a_threshold_of_zero_searches_unless_the_wish_is_nothing_at_all() -> None:
    assert (decide(1e-9, 0.9, 0.0).decision, decide(0.0, 0.9, 0.0).decision) == ("yes", "no")


def test_where_the_verdict_on_the_passage_is_missing_the_others_do_not_stand_in_for_it() -> None:
    found = written(
        "Leave", " is", "[Fully supported]", "[Utility:5]", END, at_0={"[Relevant]": 0.0, "[Irrelevant]": 0.0}
    )
    with pytest.raises(Unproven, match="no verdict on its passage"):
        verdicts(found)


def test_the_first_token_judges_the_passage_whatever_was_written() -> None:
    found = written("Leave", " is", "[Fully supported]", END, at_0={"[Relevant]": 0.6, "[Irrelevant]": 0.2})
    assert verdicts(found).terms.rel == pytest.approx(0.75)


def test_a_decision_is_read_where_it_was_made_and_not_from_what_the_text_shows() -> None:
    found = written(
        "[Relevant]", "Leave.", "[Fully supported]", "[Retrieval]", at_3={"[Retrieval]": 0.6, RETRIEVE[0]: 0.1}
    )
    reading = read(found, VOCABULARY, grounded=True)
    assert "[Retrieval]" not in found.text
    assert (next_of(reading, 0.2), next_of(reading, 0.9), reading.words) == ("yes", "no", "Leave.")


def test_an_irrelevant_passage_has_no_support_and_its_answer_is_still_read() -> None:
    told = verdicts(
        written("[Irrelevant]", "Leave.", "[Utility:3]", END, at_0={"[Irrelevant]": 0.8, "[Relevant]": 0.1})
    )
    assert (told.relevance.label, told.support.level, told.terms.sup, told.utility.score) == (
        "irrelevant", "ungraded", 0.0, 3,
    )  # fmt: skip


def test_a_tie_goes_to_the_less_favourable_grade() -> None:
    tie = {"[Fully supported]": 0.4, "[Partially supported]": 0.4}
    found = written(
        "[Relevant]", "It is.", "[Fully supported]", END, at_0={"[Relevant]": 0.4, "[Irrelevant]": 0.4}, at_2=tie
    )
    assert (verdicts(found).relevance.label, verdicts(found).support.level) == ("irrelevant", "partially_supported")


def test_an_answer_ends_where_the_model_makes_up_a_passage_of_its_own() -> None:
    found = written(
        "[Relevant]", "It is.", "[Fully supported]", "[Retrieval]", "<paragraph>", "Made up.", "</paragraph>",
        "[Relevant]", "So.", "[No support / Contradictory]", "[Utility:5]", END,
    )  # fmt: skip
    reading = read(found, VOCABULARY, grounded=True)
    assert (reading.words, verdicts(found).support.level) == ("It is.", "fully_supported")


def test_a_direct_answer_goes_through_to_its_end_or_to_where_it_asks_for_a_passage() -> None:
    whole = written("One.", "[No Retrieval]", " Two.", "[Utility:4]", END)
    asking = written("One.", "[Retrieval]", "<paragraph>", "Made up.", finish="length")
    reading = read(whole, VOCABULARY, grounded=False, through=True)
    assert (reading.words, reading.wished, next_of(reading, 0.2)) == ("One. Two.", False, "complete")
    wishing = read(asking, VOCABULARY, grounded=False, through=True)
    assert (wishing.words, wishing.wished, wishing.cut) == ("One.", True, False)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "[Relevant]It is.[Partially supported]"},
        {"text": "[Relevant]It is.[Fully supported][Fully supported]"},
        {"ids": (32004, 5001)},
        {"logprobs": (-0.1, math.nan, -0.1, -0.1)},
        {"logprobs": (-0.1, -math.inf, -0.1, -0.1)},
        {"logprobs": (-0.1, NEVER, -0.1, -0.1)},
        {"logprobs": (-0.1, 0.5, -0.1, -0.1)},
        {"listed": ({32004: -0.01, 32003: -0.01},) * 4},
        {"listed": ({32004: math.nan},) * 4},
        {"stop": 32001},
        {"ids": (), "logprobs": (), "listed": ()},
    ],
    ids=str,
)
def test_a_reply_that_contradicts_itself_proves_nothing(change) -> None:
    good = written("[Relevant]", "It is.", "[Fully supported]", END)
    assert verdicts(good).support.level == "fully_supported"
    with pytest.raises(Unproven):
        verdicts(replace(good, **change))


def test_a_part_of_a_group_is_proof_only_beside_twenty_that_are_likelier_than_the_rest() -> None:
    few = {32004: -0.1}
    found = GeneratedText("[Relevant]", (32004,), (-0.1,), (few,), "length")
    assert group_at(found, 0, RELEVANCE, VOCABULARY) is None
    many = few | dict.fromkeys(range(100, 119), -8.0)
    told = group_at(GeneratedText("[Relevant]", (32004,), (-0.1,), (many,), "length"), 0, RELEVANCE, VOCABULARY)
    assert told == Group({"[Relevant]": math.exp(-0.1)}, truncated=True)


def test_the_probability_of_an_answer_without_a_critique_is_that_of_all_of_it() -> None:
    found = replace(written("[Relevant]", "It", " is.", END), logprobs=(-0.1, -0.5, -0.6, -3.0))
    assert verdicts(found).terms.seq == pytest.approx(math.exp(-0.4))


def test_a_token_that_comes_about_when_another_is_taken_out_of_it_is_taken_out_too() -> None:
    assert words_of("Leave [No[Relevant]Retrieval] is<[Utility:1]/s>.") == "Leave is< /s>."
