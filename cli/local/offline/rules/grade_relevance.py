"""IsRel: a passage is as relevant as its best sentence, and so is each strip of it."""

from collections.abc import Mapping
from typing import Any

from cli.local.offline.rules.fields import object_in, objects_in, text_in
from cli.local.offline.rules.follow_ups import in_full
from cli.local.offline.text.reading import shown
from cli.local.offline.text.scoring import Candidate, Source, ranked, relevance
from selfrag.text.sentences import split_sentences

_FINELY = 3


def grade_relevance(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on one passage, and on its strips if there are any: the probability that it helps."""
    question = in_full(text_in(fields, "question"), object_in(fields, "previous"))
    passage = object_in(fields, "passage")
    text = text_in(passage, "text")
    source = Source(str(passage.get("document", "")), str(passage.get("title", "")), tuple(split_sentences(text)))
    candidates = ranked(question, [source], _FINELY)
    strips = _strips(fields, question, source)
    if not candidates:
        return {"reason": "The passage states nothing.", "score": 0.0, "strips": strips}
    score = round(relevance(candidates[0]), 3)
    nearest = shown(candidates[0].sentence.text)[:120]
    reason = f"{'Nearest to the question' if score >= 0.5 else 'Not near enough to the question'}: {nearest}"
    return {"reason": reason, "score": score, "strips": strips}


def _strips(fields: Mapping[str, Any], question: str, source: Source) -> list[dict[str, Any]]:
    """The score of each strip: that of its best sentence, read within the passage; 0 where it states nothing."""
    strips = objects_in(fields, "strips") if "strips" in fields else []
    sentences = [(strip.get("strip"), block) for strip in strips for block in split_sentences(text_in(strip, "text"))]
    whole = Source(source.document, source.title, tuple(block for _, block in sentences))
    best: dict[Any, Candidate] = {}
    for candidate in ranked(question, [whole], _FINELY):
        best.setdefault(sentences[candidate.sentence.start][0], candidate)
    numbers = [strip.get("strip") for strip in strips]
    return [{"strip": n, "score": round(relevance(best[n]), 3) if n in best else 0.0} for n in numbers]
