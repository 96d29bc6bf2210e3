"""The answer: the best sentences of the search results, quoted, or a direct answer to a greeting or a sum."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cli.local.offline.rules.arithmetic import worked_out
from cli.local.offline.rules.decide_retrieval import is_follow_up
from cli.local.offline.rules.fields import object_in, text_in, texts_in
from cli.local.offline.rules.notices import direct_notice, quoted_notice
from cli.local.offline.rules.talk import asks_about_the_assistant, is_small_talk
from cli.local.offline.text.scoring import Candidate, Source, answers, ranked
from cli.local.offline.text.totals import total_for
from cli.local.offline.text.wants import wanted
from cli.local.offline.text.words import is_japanese, units
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
    failed = {_plain(claim) for claim in texts_in(fields, "failed_claims")}
    sources = [Source(r["source"], r["title"], tuple(b["text"] for b in r["content"])) for r in results]
    candidates = [c for c in ranked(asked, sources) if _plain(c.sentence.text) not in failed]
    if not candidates or answers(asked, candidates) < 0.5:
        return [_text(NO_ANSWER)]
    blocks = [_quote(candidate, results) for candidate in _chosen(candidates)]
    blocks[0]["text"] = quoted_notice(question) + blocks[0]["text"].lstrip()
    total = total_for(question, candidates[0].sentence.text)
    if total and _plain(total) not in failed:
        # It rests on the sentence that its figure is from. Whether it was asked for is the check of support's to say.
        blocks.append(_quote(candidates[0], results) | _text(_apart(total)))
    return blocks


def in_full(question: str, previous: Mapping[str, Any]) -> str:
    """A question as it stands, or, for a follow-up, together with the one before it."""
    earlier = previous.get("question")
    if not isinstance(earlier, str) or not earlier or not is_follow_up(question):
        return question
    if any(unit.kind == "name" for unit in units(question)):
        for name in [unit.text for unit in units(earlier) if unit.kind == "name"]:
            earlier = re.sub(rf"\b{re.escape(name)}\b", "", earlier, flags=re.IGNORECASE)
    # What is wanted is read from the last part that asks.
    return f"{question} {earlier}" if wanted(question) in ("other", "yes_or_no") else f"{earlier} {question}"


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


def is_ended(text: str) -> bool:
    """Whether a text ends as a sentence does."""
    return re.search(r"[.!?。！？][\"'”’)\]」』）]*$", text) is not None


def _ended(sentence: str) -> str:
    if is_ended(sentence):
        return sentence
    return sentence + ("。" if is_japanese(sentence) else ".")


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
