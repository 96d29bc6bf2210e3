"""IsUse: an answer is useful if it holds the kind of fact that is asked for and is about what is asked."""

from collections.abc import Mapping
from typing import Any

from cli.local.offline.rules.arithmetic import worked_out
from cli.local.offline.rules.fields import object_in, text_in
from cli.local.offline.rules.follow_ups import in_full
from cli.local.offline.rules.notices import without_notice
from cli.local.offline.rules.statements import is_bare
from cli.local.offline.rules.talk import asks_about_the_assistant, is_small_talk
from cli.local.offline.text.reading import is_ended
from cli.local.offline.text.scoring import Candidate, Source, ranked
from cli.local.offline.text.wants import wanted
from selfrag.text.sentences import split_sentences

# An answer stands without its headings, so it is measured more mildly than a sentence in its document.
_STEPS = ((-0.5, 5), (-2.5, 4), (-5.0, 3), (-6.0, 2))
_LONGEST_OPTION = 100
_REASONS = {
    5: "The answer is about what is asked and has the form that is asked for.",
    4: "The answer is mostly about what is asked.",
    3: "The answer is near to what is asked.",
    2: "The answer is hardly about what is asked.",
    1: "The answer is about something else.",
}


def grade_utility(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on an answer, 1 to 5."""
    asked, answer = text_in(fields, "question"), without_notice(text_in(fields, "answer")).strip()
    question = in_full(asked, object_in(fields, "previous"))
    if not answer:
        return {"reason": "There is no answer.", "score": 1}
    if is_small_talk(asked) or worked_out(asked) or asks_about_the_assistant(asked):
        return {"reason": "The question needs no documents, and the answer replies to it.", "score": 5}
    if is_bare(answer) and wanted(question) in ("yes_or_no", "other"):
        return {"reason": "The question states something, and the answer says whether it is so.", "score": 5}
    # An option is no sentence: it stands for the one that it would complete.
    told = answer if len(answer) > _LONGEST_OPTION or is_ended(answer) else f"{question.rstrip('?？')}: {answer}"
    candidates = ranked(question, [Source("", "", tuple(split_sentences(told)))])
    if not candidates:
        return {"reason": "The answer states nothing.", "score": 1}
    best = min(candidates, key=lambda candidate: (candidate.match.lacks, -candidate.score))
    score = _score(best)
    if best.match.lacks >= 1:
        return {"reason": "The answer lacks the kind of fact that is asked for.", "score": min(score, 2)}
    return {"reason": _REASONS[score], "score": score}


def _score(best: Candidate) -> int:
    return next((score for limit, score in _STEPS if best.score > limit), 1)
