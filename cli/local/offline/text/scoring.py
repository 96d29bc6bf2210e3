"""From measured matches to judgements: which sentence answers best, and whether it answers at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from cli.local.offline.text.matching import Match, Page, compared, match, page_of
from cli.local.offline.text.reading import Sentence, sentences_of
from cli.local.offline.text.totals import without_counts
from cli.local.offline.text.vectors import read_ahead
from cli.local.offline.text.wants import wanted

_WEIGHTS = {
    "close": 0.76,
    "close_in_context": 0.9,
    "covered": 1.41,
    "covered_in_context": 1.5,
    "covered_in_page": 0.87,
    "lacks": -1.52,
    "elsewhere": -1.0,
    "about_itself": -0.5,
    "outdated": -1.0,
}
_BIAS = -3.85
_RELEVANCE_SLOPE, _RELEVANCE_BIAS = 1.26, 3.9
_ANSWER_BIAS = -0.13
_ANSWER_WEIGHTS = {"score": 0.63, "lead": 0.61, "lacks": -2.0, "elsewhere": -1.5, "yes_or_no": -0.67}

# Single words are compared in meaning for the sentences that come first without that: it takes time.
_FINELY = 6
# How far the best sentence is ahead of the next ones; sentences about something else count only so much.
_LEAD_OVER, _WIDEST_LEAD, _LEAD_ALONE = 5, 4.0, 1.0


@dataclass(frozen=True)
class Source:
    """A passage as the rules are given it: its document, title, and text in blocks."""

    document: str
    title: str
    blocks: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A sentence of a source (by number) and the log odds that it answers."""

    source: int
    sentence: Sentence
    match: Match
    score: float


def ranked(question: str, sources: Sequence[Source], finely: int = _FINELY) -> list[Candidate]:
    """All sentences of the sources that state something, the one that answers best first."""
    question = without_counts(question)
    told = [(n, source, sentence) for n, source in enumerate(sources) for sentence in sentences_of(source.blocks)]
    read_ahead(text for _, source, sentence in told for text in compared(sentence, _page(source)))
    found = [_candidate(question, *each, False) for each in told]
    found.sort(key=_order)
    best = [_candidate(question, c.source, sources[c.source], c.sentence, True) for c in found[:finely]]
    return sorted(best, key=_order) + found[finely:]


def relevance(best: Candidate) -> float:
    """The probability that the passage of a sentence, its best one, is relevant."""
    return _probability(_RELEVANCE_SLOPE * best.score + _RELEVANCE_BIAS)


def answers(question: str, candidates: Sequence[Candidate]) -> float:
    """The probability that the first of ranked sentences answers: it must be good, and better than the next ones."""
    best, others = candidates[0], candidates[1 : 1 + _LEAD_OVER]
    leads = [min(_WIDEST_LEAD, best.score - other.score) for other in others] or [_LEAD_ALONE]
    parts = {
        "score": best.score,
        "lead": fmean(leads),
        "lacks": best.match.lacks,
        "elsewhere": best.match.elsewhere,
        "yes_or_no": float(wanted(question) == "yes_or_no"),
    }
    return _probability(_ANSWER_BIAS + sum(_ANSWER_WEIGHTS[name] * value for name, value in parts.items()))


def _candidate(question: str, number: int, source: Source, sentence: Sentence, finely: bool) -> Candidate:
    measured = match(question, sentence, _page(source), finely)
    score = _BIAS + sum(weight * getattr(measured, part) for part, weight in _WEIGHTS.items())
    return Candidate(number, sentence, measured, score)


def _page(source: Source) -> Page:
    return page_of(source.title, source.document, "".join(source.blocks))


def _order(candidate: Candidate) -> tuple[float, int, int]:
    return -candidate.score, candidate.source, candidate.sentence.start


def _probability(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
