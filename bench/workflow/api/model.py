"""The simulated model: it reads marks in passages, and two equal requests get equal replies.

A mark is `[name]` or `[name: words]` at the end of a passage. The model knows
- `[relevant]`: the passage is graded 0.9 and answers are written from it; without the mark it is graded 0.1.
- `[tempting]`: an answer is written from it as well, though it is not relevant.
- `[aside]`: an answer from nothing else is of little use.
- `[misread as: SENTENCE]`: the first answer contains this instead of the passage's first sentence.
- `[other words: NUMBER]`: an answer contains that one of OTHER_WORDS, which paraphrases the passage's first sentence.
- `[tempts: SENTENCE | PHRASE]`: the answer contains this sentence, too. Unless a passage contains it, it is
  unsupported and PHRASE is missing.
The model ignores the wording of prompts; it reads the task, the question, the passages and the answer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from selfrag.question.generate.annotations import NO_ANSWER
from selfrag.text.sentences import split_sentences
from tests.support.doubles.messages_api import content_blocks, fields_of, step_of
from tests.support.doubles.requests import forced_tool, schema_of

USELESS = "By the way,"
OTHER_WORDS = (
    "A pair of units of it is granted in Basel, there where the Alps end.",
    "Tell them a trio of units ahead, in Basel as elsewhere.",
    "Basel pays a quartet of units on top.",
    "Five are worked in Basel at a stretch.",
)
_MARK = re.compile(r"\s*\[([\w ]+)(?:: ([^\]|]+?)(?: \| ([^\]]+))?)?\]")
_SENTENCES = re.compile(r"In (\d+) sentences, ")
_REASON = "This is what the marks of the passages say, in about as many words as a short reason has."

Block = dict[str, Any]


@dataclass(frozen=True)
class Read:
    """A passage as the model reads it: its sentences without marks, and its marks with their words."""

    sentences: list[str]
    marks: dict[str, tuple[str, str]]


def content_of(body: Mapping[str, Any]) -> list[Block]:
    """Return the content blocks of the reply to a request that was checked; raises Refused for a shape of no step."""
    schema = schema_of(body)
    message = body["messages"][-1]
    fields = fields_of(message)
    if schema is None:
        return _written(fields, [block for block in content_blocks(message) if block["type"] == "search_result"])
    verdict = _fitted(_VERDICTS[step_of(schema)](fields), schema)
    if tool := forced_tool(body):
        return [{"type": "tool_use", "id": "toolu_1", "name": tool["name"], "input": verdict}]
    thought = {"type": "thinking", "thinking": "", "signature": "simulated"}
    return [thought, {"type": "text", "text": json.dumps(verdict, ensure_ascii=False)}]


def read(text: str) -> Read:
    """Return a passage's text as the model reads it."""
    marks = {found[1]: (found[2] or "", found[3] or "") for found in _MARK.finditer(text)}
    return Read([sentence.strip() for sentence in split_sentences(_MARK.sub("", text))], marks)


def _decision(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A question ends with a question mark; anything else needs no search. It may ask for so many sentences."""
    if (wanted := _SENTENCES.match(fields["question"])) and fields.get("so_far"):
        done = len(list(split_sentences(fields["so_far"]))) >= int(wanted[1])
        return {"reason": _REASON, "decision": "complete" if done else "yes"}
    return {"reason": _REASON, "decision": "yes" if fields["question"].endswith("?") else "no"}


def _relevance(fields: Mapping[str, Any]) -> dict[str, Any]:
    score = 0.9 if "relevant" in read(fields["passage"]["text"]).marks else 0.1
    verdict: dict[str, Any] = {"reason": _REASON, "score": score}
    if "strips" in fields:
        verdict["strips"] = [{"strip": strip["strip"], "score": score} for strip in fields["strips"]]
    return verdict


def _utility(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"reason": _REASON, "score": 2 if fields["answer"].startswith(USELESS) else 5}


def _rewrite(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"reason": _REASON, "query": f"{fields['question']} (in other words, {len(fields['queries'])})"}


def _support(fields: Mapping[str, Any]) -> dict[str, Any]:
    passages = [read(passage["text"]) for passage in fields["passages"]]
    said = [sentence.strip() for sentence in split_sentences(fields["answer"].replace(" [uncited]", ""))]
    return {"claims": [_claim(sentence.removeprefix(USELESS).strip(), passages) for sentence in said]}


def _claim(sentence: str, passages: Sequence[Read]) -> dict[str, Any]:
    holding = [number for number, passage in enumerate(passages, 1) if holds(passage, sentence)]
    against = [n for n, passage in enumerate(passages, 1) if passage.marks.get("misread as", ("",))[0] == sentence]
    if holding or against:
        support = "full" if holding else "contradicted"
        return {"claim": sentence, "support": support, "passages": holding or against, "missing": ""}
    tempting = [passage.marks["tempts"] for passage in passages if "tempts" in passage.marks]
    missing = next((phrase for tempted, phrase in tempting if tempted == sentence), "")
    return {"claim": sentence, "support": "none", "passages": [], "missing": missing}


def holds(passage: Read, sentence: str) -> bool:
    """Return whether a passage says a sentence, in these or in other words."""
    return sentence in passage.sentences or sentence == _in_other_words(passage)


def _in_other_words(passage: Read) -> str:
    return OTHER_WORDS[int(passage.marks["other words"][0])] if "other words" in passage.marks else ""


_VERDICTS = {
    "decide_retrieval": _decision,
    "grade_relevance": _relevance,
    "grade_support": _support,
    "grade_utility": _utility,
    "rewrite_question": _rewrite,
}


def _written(fields: Mapping[str, Any], results: Sequence[Block]) -> list[Block]:
    """Return a cited sentence for each relevant passage, regardless of other passages."""
    if not results:
        thanked = fields["task"] == "direct" and not fields["question"].endswith("?")
        return [{"type": "text", "text": "You are welcome." if thanked else NO_ANSWER}]
    texts = ["".join(block["text"] for block in result["content"]) for result in results]
    passages = [(number, read(text)) for number, text in enumerate(texts)]
    relevant = [(number, passage) for number, passage in passages if passage.marks.keys() & {"relevant", "tempting"}]
    direct = [(number, passage) for number, passage in relevant if "aside" not in passage.marks]
    said: dict[str, int] = {}
    for number, passage in direct or relevant:
        said.setdefault(_first_sentence(passage, fields["task"]), number)
    for number, passage in relevant:
        if "tempts" in passage.marks:
            said.setdefault(passage.marks["tempts"][0], number)
    if not said:
        return [{"type": "text", "text": NO_ANSWER}]
    opening = "" if direct else f"{USELESS} "
    cited = [_cited(f"{sentence} ", results[number], number) for sentence, number in said.items()]
    cited[0]["text"] = opening + cited[0]["text"]
    cited[-1]["text"] = cited[-1]["text"].rstrip()
    return cited


def _first_sentence(passage: Read, task: str) -> str:
    if task != "repair" and "misread as" in passage.marks:
        return passage.marks["misread as"][0]
    return _in_other_words(passage) or passage.sentences[0]


def _cited(text: str, result: Block, number: int) -> Block:
    place = {"search_result_index": number, "start_block_index": 0, "end_block_index": 1}
    named = {"source": result["source"], "title": result["title"], "cited_text": result["content"][0]["text"]}
    return {"type": "text", "text": text, "citations": [{"type": "search_result_location", **place, **named}]}


def _fitted(verdict: Any, schema: Mapping[str, Any]) -> Any:
    """Return the verdict with the fields that the shape has, as structured output gives it."""
    claims = schema.get("$defs", {}).get("JudgedClaim", {}).get("properties", {})
    if "complexity" in schema.get("properties", {}):
        return {**verdict, "complexity": "simple"}
    if "claims" not in verdict:
        return verdict
    return {"claims": [{name: value for name, value in one.items() if name in claims} for one in verdict["claims"]]}
