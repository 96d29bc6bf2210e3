"""The answer: the best sentences of the search results, quoted, or a direct answer to a greeting or a sum."""

from collections.abc import Mapping, Sequence
from typing import Any

from cli.local.offline.rules.arithmetic import worked_out
from cli.local.offline.rules.fields import object_in, text_in, texts_in
from cli.local.offline.rules.follow_ups import in_full
from cli.local.offline.rules.growing import following, plain_of
from cli.local.offline.rules.notices import direct_notice, quoted_notice
from cli.local.offline.rules.talk import asks_about_the_assistant, is_small_talk
from cli.local.offline.text.reading import is_ended
from cli.local.offline.text.scoring import Candidate, Source, answers, ranked
from cli.local.offline.text.totals import total_for
from cli.local.offline.text.words import is_japanese
from question.generate.logic import NO_ANSWER

_MOST_QUOTES, _NEARLY_AS_GOOD = 3, 0.5
_ABILITIES = "I quote sentences from the documents that answer a question, name their source, and say so if none does."
_ABILITIES_JA = "質問に答える文を文書から引用し、出典を示します。答えがなければ、そのことをお伝えします。"

Block = dict[str, Any]


def generate(fields: Mapping[str, Any], results: Sequence[Block]) -> list[Block]:
    """The content of the answer: quotes of search results with citations, or a direct answer if there are none."""
    question = text_in(fields, "question")
    if not results:
        return [_text(_direct(question) if fields.get("task") == "direct" else NO_ANSWER)]
    asked = in_full(question, object_in(fields, "previous"))
    failed = {plain_of(claim) for claim in texts_in(fields, "failed_claims")}
    sources = [Source(r["source"], r["title"], tuple(b["text"] for b in r["content"])) for r in results]
    candidates = [c for c in ranked(asked, sources) if plain_of(c.sentence.text) not in failed]
    if fields.get("task") == "segment":
        return [_next(question, fields.get("so_far") or "", asked, candidates, results)]
    if not candidates or answers(asked, candidates) < 0.5:
        return [_text(NO_ANSWER)]
    blocks = [_quote(candidate, results) for candidate in _chosen(candidates)]
    blocks[0]["text"] = quoted_notice(question) + blocks[0]["text"].lstrip()
    total = total_for(question, candidates[0].sentence.text)
    if total and plain_of(total) not in failed:
        # It rests on the sentence that its figure is from. Whether it was asked for is the check of support's to say.
        blocks.append(_quote(candidates[0], results) | _text(_apart(total)))
    return blocks


def _next(question: str, so_far: str, asked: str, candidates: Sequence[Candidate], results: Sequence[Block]) -> Block:
    """One sentence more; the first one says by what it was made."""
    found = following(asked, so_far, candidates)
    if found is None:
        return _text(NO_ANSWER)
    quote = _quote(found, results)
    quote["text"] = ("" if so_far else quoted_notice(question)) + quote["text"].lstrip()
    return quote


def _chosen(candidates: Sequence[Candidate]) -> list[Candidate]:
    best = candidates[0]
    good = [c for c in candidates[:_MOST_QUOTES] if c.score > best.score - _NEARLY_AS_GOOD and not c.match.lacks]
    return good or [best]


def _quote(candidate: Candidate, results: Sequence[Block]) -> Block:
    sentence, result = candidate.sentence, results[candidate.source]
    citation = {
        "type": "search_result_location",
        "cited_text": "".join(block["text"] for block in result["content"][sentence.start : sentence.end]),
        "source": result["source"],
        "title": result["title"],
        "search_result_index": candidate.source,
        "start_block_index": sentence.start,
        "end_block_index": sentence.end,
    }
    return _text(_apart(sentence.text)) | {"citations": [citation]}


def _direct(question: str) -> str:
    japanese = is_japanese(question)
    found = worked_out(question)
    if found:
        written, value = found
        says = f"{written} = {value}" if value[-1].isdigit() else f"{written} is {value}"
    elif is_small_talk(question):
        says = f"こんにちは。{_ABILITIES_JA}" if japanese else f"Hello. {_ABILITIES}"
    elif asks_about_the_assistant(question):
        says = _ABILITIES_JA if japanese else _ABILITIES
    else:
        return NO_ANSWER
    return direct_notice(question) + _ended(says)


def _apart(sentence: str) -> str:
    """A sentence as it follows on another one."""
    ended = _ended(sentence)
    return ended if is_japanese(ended[-2:]) or ended.endswith("。") else f" {ended}"


def _ended(sentence: str) -> str:
    if is_ended(sentence):
        return sentence
    return sentence + ("。" if is_japanese(sentence) else ".")


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
