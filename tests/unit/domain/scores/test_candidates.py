"""Properties of answer scores, for arbitrary verdicts and probabilities."""

from hypothesis import given
from hypothesis import strategies as st

from selfrag.domain.questions import Weights
from selfrag.domain.scores.critiqued import CritiquedAnswer, Segment, score
from selfrag.domain.scores.paths import Path, best_first
from selfrag.domain.scores.ranking import count_votes, rank_answers
from selfrag.domain.verdicts import Claim, ClaimSupport, RelevanceVerdict, SupportVerdict, UtilityVerdict

WEIGHTS = Weights()
CLAIM: st.SearchStrategy[ClaimSupport] = st.sampled_from(["full", "partial", "none", "contradicted"])
LEVELS = st.sampled_from(["fully_supported", "partially_supported", "no_support", "ungraded"])


def distribution(*options: str) -> st.SearchStrategy[dict[str, float]]:
    return st.fixed_dictionaries(dict.fromkeys(options, st.floats(1e-6, 1.0)))


SUPPORTS = distribution("full", "partial", "none", "contradicted", "cannot_tell")
USES = distribution("1", "2", "3", "4", "5", "cannot_tell")
SCALED = st.tuples(st.floats(0.0, 1.0), SUPPORTS, USES)


@st.composite
def judged(draw: st.DrawFn) -> CritiquedAnswer:
    """Return an answer with verdicts as our graders give them, some of them missing."""
    rel = draw(st.none() | st.floats(0.0, 1.0))
    claims = [{"claim": "c", "support": draw(CLAIM)} for _ in range(draw(st.integers(0, 3)))]
    return CritiquedAnswer(
        passage_id="p",
        answer=draw(st.sampled_from(["A.", "B.", ""])),
        relevance=RelevanceVerdict(
            passage_id="p",
            relevant=rel is not None and rel >= 0.5,
            score=rel,
            label="ungraded" if rel is None else "relevant" if rel >= 0.5 else "irrelevant",
        ),
        support=SupportVerdict.model_validate({"level": draw(LEVELS), "claims": claims}),
        utility=UtilityVerdict.model_validate({"score": draw(st.none() | st.integers(1, 5))}),
    )


def decided(relevance: float, support: dict[str, float], use: dict[str, float]) -> CritiquedAnswer:
    """Return an answer as a decision model judges it."""
    verdict = RelevanceVerdict(passage_id="p", relevant=True, score=relevance, label="relevant")
    claim = Claim(claim="c", support="full", probabilities=support)
    return CritiquedAnswer(
        passage_id="p",
        answer="A.",
        relevance=verdict,
        support=SupportVerdict(level="fully_supported", claims=[claim]),
        utility=UtilityVerdict(score=5, probabilities=use),
    )


@given(judged())
def test_the_terms_of_verdicts_are_within_their_ranges(found: CritiquedAnswer) -> None:
    named = found.terms
    assert named.rel is None or 0.0 <= named.rel <= 1.0
    assert 0.0 <= named.sup <= 1.0
    assert -1.0 <= named.use <= 1.0
    assert -0.5 <= score(named, WEIGHTS) <= 2.5


@given(SCALED)
def test_score_with_probabilities_is_between_minus_0_5_and_2_5(found) -> None:
    assert -0.5 - 1e-9 <= score(decided(*found).terms, WEIGHTS) <= 2.5 + 1e-9


@given(st.lists(SCALED, min_size=1, max_size=6), st.floats(0.01, 1.0), st.integers(1, 2))
def test_winner_is_unaffected_by_the_total_probability_of_its_options(found, factor, which) -> None:
    def scaled(parts):
        parts = list(parts)
        parts[which] = {option: factor * probability for option, probability in parts[which].items()}
        return decided(*parts)

    before = rank_answers([decided(*parts) for parts in found], WEIGHTS, "soft")
    after = rank_answers([scaled(parts) for parts in found], WEIGHTS, "soft")
    assert (
        max(abs(a.score - b.score) for a, b in zip(sorted_by_index(before), sorted_by_index(after), strict=True)) < 1e-9
    )
    if len(before) == 1 or before[0].score - before[1].score > 1e-6:
        assert before[0].index == after[0].index


def sorted_by_index(order):
    return sorted(order, key=lambda one: one.index)


@given(st.lists(judged(), max_size=8), st.sampled_from(["hard", "soft"]))
def test_winner_has_highest_eligible_score_and_ties_go_to_first_found(found, constraints) -> None:
    inside = [one for one in rank_answers(found, WEIGHTS, constraints) if not one.out]
    for one in inside[1:]:
        first = inside[0]
        assert first.score >= one.score - 1e-9
        assert abs(first.score - one.score) > 1e-9 or first.index < one.index


@given(st.lists(judged(), max_size=8))
def test_under_hard_constraints_only_relevant_and_supported_answers_are_left(found) -> None:
    for one in rank_answers(found, WEIGHTS, "hard"):
        verdict = found[one.index]
        if not one.out:
            assert verdict.relevance is not None
            assert verdict.relevance.relevant
            assert verdict.support.level != "no_support"


@given(st.lists(judged(), max_size=8), st.sampled_from(["hard", "soft"]))
def test_a_missing_verdict_on_a_passage_never_wins(found, constraints) -> None:
    for one in rank_answers(found, WEIGHTS, constraints):
        relevance = found[one.index].relevance
        assert one.out or (relevance is not None and relevance.label != "ungraded")


@given(st.lists(judged(), max_size=8))
def test_each_remaining_answer_votes_once_or_counts_as_unmatched(found) -> None:
    order = rank_answers(found, WEIGHTS, "soft")
    vote = count_votes(found, order, ["a", "c"])
    inside = sum(not one.out for one in order)
    if vote is not None:
        assert sum(map(len, vote.voters.values())) + vote.unmatched == inside
        assert vote.voters[vote.option]


def test_newer_one_of_equal_answers_wins() -> None:
    answers = [decided(1.0, {"full": 1.0}, {"5": 1.0}).model_copy(update={"passage_id": name}) for name in "abc"]
    dates = {"b": "2024-03-01", "c": "2026-03-01"}
    assert [answer.index for answer in rank_answers(answers, WEIGHTS, "hard", dates)] == [2, 1, 0]
    assert [answer.index for answer in rank_answers(answers, WEIGHTS, "hard")] == [0, 1, 2]
    paths = [Path(segments=[Segment(**dict(answer), id=answer.passage_id or "")]) for answer in answers]
    assert [path.id for path in best_first(paths, WEIGHTS, dates)] == ["c", "b", "a"]
