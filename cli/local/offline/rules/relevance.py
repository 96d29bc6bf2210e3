"""IsRel: a passage is as relevant as its best sentence."""

from collections.abc import Mapping
from typing import Any

from cli.local.offline.rules.fields import object_in, text_in
from cli.local.offline.rules.generate import in_full
from cli.local.offline.text.reading import shown
from cli.local.offline.text.scoring import Source, ranked, relevance
from selfrag.text.sentences import split_sentences

_FINELY = 3


def grade_relevance(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on one passage; relevant from a probability of one half."""
    question = in_full(text_in(fields, "question"), {"question": fields.get("previous_question")})
    passage = object_in(fields, "passage")
    text = text_in(passage, "text")
    source = Source(str(passage.get("document", "")), str(passage.get("title", "")), tuple(split_sentences(text)))
    candidates = ranked(question, [source], _FINELY)
    if not candidates:
        return {"reason": "The passage states nothing.", "label": "irrelevant", "score": 0.0}
    score = round(relevance(candidates[0]), 3)
    relevant = score >= 0.5
    nearest = shown(candidates[0].sentence.text)[:120]
    reason = f"{'Nearest to the question' if relevant else 'Not near enough to the question'}: {nearest}"
    return {"reason": reason, "label": "relevant" if relevant else "irrelevant", "score": score}
