"""The rules, one for each step, and how a step is recognised: by the shape of the verdict that it asks for.

No rule judges: relevance and use are shares of words, and support is that a claim stands in a passage word for word.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cli.local.stand_in.arithmetic import total_for, worked_out
from cli.local.stand_in.fields import fields_of, object_in, objects_in, text_in, texts_in
from cli.local.stand_in.messages import Refused, content_blocks
from cli.local.stand_in.quoting import ENOUGH, Quote, Source, chosen, quotes
from cli.local.stand_in.words import GREETINGS, content_words, has, holds, letters, names, plain, units
from question.generate.logic import NO_ANSWER
from selfrag.domain.answers import UNCITED
from selfrag.text.east_asian import RUN
from selfrag.text.sentences import split_sentences

Fields = Mapping[str, Any]
Block = dict[str, Any]
ABILITIES = "Hello. I quote sentences from the documents that answer a question, or say that none does."
_MOST_SENTENCES, _MOST_WORDS_OF_A_FOLLOW_UP, _RAREST = 3, 2, 3
_USES = ((0.6, 5), (0.35, 4), (0.15, 3))


def answer_of(message: Mapping[str, Any], schema: Any) -> Any:
    """Return the verdict that a schema asks for, or, without one, the answer in content blocks; raises Refused."""
    if schema is None:
        results = [block for block in content_blocks(message) if block["type"] == "search_result"]
        return _generate(fields_of(message), results)
    return _asked_for(RULES[step_of(schema)](fields_of(message)), schema)


def step_of(schema: Any) -> str:
    """Return the step that asks for a schema; None is asked for by `generate`, which wants text. Raises Refused.

    A shape's title is a word of its step's name: Utility is asked for by `grade_utility`.
    """
    if schema is None:
        return "generate"
    title = str(schema.get("title")).lower() if isinstance(schema, dict) else ""
    for step in RULES:
        if title in step.split("_"):
            return step
    raise Refused(f"no rule is known for this schema; known are those of {', '.join(RULES)}")


def _asked_for(verdict: Any, schema: Mapping[str, Any]) -> Any:
    """Return a verdict in the fields that a schema names and no others, as the service gives it."""
    named = {name for shape in (schema, *schema.get("$defs", {}).values()) for name in shape.get("properties", {})}

    def kept(value: Any) -> Any:
        if isinstance(value, list):
            return [kept(item) for item in value]
        return {name: kept(part) for name, part in value.items() if name in named} if isinstance(value, dict) else value

    return kept(verdict)


def _decide_retrieval(fields: Fields) -> dict[str, Any]:
    """Greetings and sums need no search, a short follow-up stays with its evidence, all else is searched."""
    question, previous = text_in(fields, "question"), object_in(fields, "previous")
    if fields.get("so_far"):
        return _next(question, text_in(fields, "so_far"))
    complexity = "complex" if len(names(question)) > 1 else "simple"
    if not _is_about_documents(question, previous):
        decision, reason = "no", "A greeting or a sum needs no search."
    elif previous.get("answer") and _is_follow_up(question):
        decision, reason = "continue", "The question is short and follows an answer."
    else:
        decision, reason = "yes", "The question is no greeting and no sum, so the documents are searched."
    query = "" if decision == "no" else _in_full(question, previous)
    return {"reason": reason, "decision": decision, "complexity": complexity, "query": query}


def _next(question: str, so_far: str) -> dict[str, Any]:
    lacking = _lacking(question, so_far)
    if lacking and len(split_sentences(so_far)) < _MOST_SENTENCES:
        return {"reason": f"The answer says nothing of {', '.join(lacking)} yet.", "decision": "yes"}
    return {"reason": "The answer names all that the question names, or is long enough.", "decision": "complete"}


def _lacking(question: str, so_far: str) -> list[str]:
    return [name for name in names(question) if not holds(so_far, name)]


def _is_about_documents(question: str, previous: Fields) -> bool:
    if worked_out(question) or re.sub(r"[\W_]+", " ", plain(question)).strip().casefold() in GREETINGS:
        return False
    return bool(units(question) or previous.get("answer"))


def _is_follow_up(question: str) -> bool:
    return len(content_words(question)) <= _MOST_WORDS_OF_A_FOLLOW_UP


def _in_full(question: str, previous: Fields) -> str:
    """Return a question, a short follow-up with the one before it; its names take the place of earlier ones."""
    earlier = previous.get("question")
    if not isinstance(earlier, str) or not earlier or not _is_follow_up(question):
        return question
    for name in names(earlier) if names(question) else ():
        earlier = earlier.replace(name, "")
    return f"{earlier} {question}"


def _grade_relevance(fields: Fields) -> dict[str, Any]:
    """A passage is as relevant as its best sentence, and so is each strip of it."""
    question = _in_full(text_in(fields, "question"), object_in(fields, "previous"))
    passage = object_in(fields, "passage")
    document, title = str(passage.get("document", "")), str(passage.get("title", ""))

    def score(text: str) -> tuple[float, str]:
        best = quotes(question, [Source(document, title, tuple(split_sentences(text)))])[:1]
        return (round(best[0].share, 3), best[0].text[:120]) if best else (0.0, "no sentence")

    share, nearest = score(text_in(passage, "text"))
    strips = objects_in(fields, "strips") if "strips" in fields else []
    scores = [{"strip": strip.get("strip"), "score": score(text_in(strip, "text"))[0]} for strip in strips]
    return {"reason": f"Nearest to the question: {nearest}", "score": share, "strips": scores}


def _generate(fields: Fields, results: Sequence[Block]) -> list[Block]:
    """Quote the sentences that answer, with citations; without search results, reply to a greeting or a sum."""
    question, previous = text_in(fields, "question"), object_in(fields, "previous")
    if not results:
        direct = fields.get("task") == "direct" and not _is_about_documents(question, {})
        return [_text(worked_out(question) or ABILITIES if direct else NO_ANSWER)]
    asked = _in_full(question, previous)
    sources = [Source(r["source"], r["title"], tuple(block["text"] for block in r["content"])) for r in results]
    failed = {letters(claim) for claim in texts_in(fields, "failed_claims")}
    if fields.get("task") == "segment":
        found = _following(asked, fields.get("so_far") or "", sources)
    else:
        found = [quote for quote in chosen(asked, sources) if letters(quote.text) not in failed]
    if not found:
        return [_text(NO_ANSWER)]
    blocks = [_quoted(quote, results) for quote in found]
    for block in blocks[1:]:
        block["text"] = _apart(block["text"])
    total = total_for(question, found[0].text)
    if total and letters(total) not in failed and fields.get("task") != "segment":
        blocks.append(_text(_apart(total)))
    return blocks


def _following(question: str, so_far: str, sources: Sequence[Source]) -> list[Quote]:
    """Return the best sentence that was not said; to an answer that lacks a name, only one that holds such a name."""
    said, lacking = letters(so_far), _lacking(question, so_far)
    for quote in quotes(question, sources):
        named = any(holds(sources[quote.source].text if not so_far else quote.text, name) for name in lacking)
        if quote.share >= ENOUGH and letters(quote.text) not in said and (named or not lacking):
            return [quote]
    return []


def _quoted(quote: Quote, results: Sequence[Block]) -> Block:
    result = results[quote.source]
    citation = {
        "type": "search_result_location",
        "cited_text": "".join(block["text"] for block in result["content"][quote.start : quote.end]),
        "source": result["source"],
        "title": result["title"],
        "search_result_index": quote.source,
        "start_block_index": quote.start,
        "end_block_index": quote.end,
    }
    return _text(quote.text) | {"citations": [citation]}


def _apart(sentence: str) -> str:
    """Return a sentence as it follows another one."""
    return sentence if RUN.match(sentence) else f" {sentence}"


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _grade_support(fields: Fields) -> dict[str, Any]:
    """A claim is supported by a passage in which it stands word for word, and by no other."""
    passages = [
        (int(passage.get("number", order)), letters(f"{passage.get('title', '')}\n{text_in(passage, 'text')}"))
        for order, passage in enumerate(objects_in(fields, "passages"), start=1)
    ]
    claims = []
    for sentence in split_sentences(text_in(fields, "answer").replace(UNCITED, "")):
        claim = sentence.strip()
        found = [number for number, text in passages if letters(claim) and letters(claim) in text][:1]
        # A number may be what is wrong, so it is not searched for.
        missing = "" if found else " ".join(word for word in content_words(claim) if not word[0].isdigit())
        support = "full" if found else "none"
        claims.append({"claim": claim, "support": support, "passages": found, "missing": missing})
    return {"claims": claims or [{"claim": "", "support": "none", "passages": [], "missing": ""}]}


def _grade_utility(fields: Fields) -> dict[str, Any]:
    """An answer is of as much use as it has words of the question; a reply to a greeting or a sum is of use."""
    question, answer = text_in(fields, "question"), text_in(fields, "answer")
    asked = units(_in_full(question, object_in(fields, "previous")))
    if answer.strip() and (not asked or worked_out(question)):
        return {"reason": "The question needs no documents.", "score": 5}
    share = sum(has(answer, unit) for unit in asked) / (len(asked) or 1)
    score = next((score for least, score in _USES if share >= least), 2 if answer.strip() else 1)
    return {"reason": f"The answer has {share:.0%} of the question's words.", "score": score}


def _rewrite_question(fields: Fields) -> dict[str, Any]:
    """Return the content words of a question, then its longest ones; a query that was tried if there is no other."""
    question = _in_full(text_in(fields, "question"), object_in(fields, "previous"))
    words = content_words(question)
    longest = sorted(words, key=len, reverse=True)[:_RAREST]
    tried = {letters(query) for query in texts_in(fields, "queries")}
    for query in (" ".join(words), " ".join(longest)):
        if query and letters(query) not in tried:
            return {"reason": "Fewer words of the question.", "query": query}
    return {"reason": "There is no other query.", "query": question.strip() or "?"}


def _choice(fields: Fields) -> dict[str, Any]:
    """Return the number of the option that stands in the best sentence, the longest of several, or 0."""
    question = text_in(fields, "question")
    options = {int(one["option"]): text_in(one, "text") for one in objects_in(fields, "options")}
    passages = [
        Source("", str(p.get("title", "")), tuple(split_sentences(text_in(p, "text"))))
        for p in objects_in(fields, "passages")
    ]
    told = worked_out(question) or "".join(quote.text for quote in chosen(question, passages)[:1])
    held = {number: len(text) for number, text in options.items() if letters(text) and letters(text) in letters(told)}
    return {"option": max(held, key=lambda number: (held[number], -number)) if held else 0}


RULES: dict[str, Callable[[Fields], dict[str, Any]]] = {
    "decide_retrieval": _decide_retrieval,
    "grade_relevance": _grade_relevance,
    "grade_support": _grade_support,
    "grade_utility": _grade_utility,
    "rewrite_question": _rewrite_question,
    "choice": _choice,
}
