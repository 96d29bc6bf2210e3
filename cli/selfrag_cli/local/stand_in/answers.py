"""The stand-in's answer: sentences of the search results, each with its citation, and a total."""

import re
from collections.abc import Sequence

from selfrag.question.generate.annotations import NO_ANSWER
from selfrag.text.east_asian import RUN
from selfrag_cli.local.stand_in.arithmetic import total_for, worked_out
from selfrag_cli.local.stand_in.fields import Fields, object_in, text_in, texts_in
from selfrag_cli.local.stand_in.messages import SearchResultBlock, SearchResultLocation, TextContent
from selfrag_cli.local.stand_in.questions import context_of, in_full, is_about_documents, lacking
from selfrag_cli.local.stand_in.quoting import ENOUGH, Quote, QuoteSource, chosen, quotes
from selfrag_cli.local.stand_in.words import holds, letters

# The document's date at the end of a title is no year that the page is about.
_DATED = re.compile(r"(?:, (\d{4}-\d\d-\d\d))?$")
ABILITIES = "Hello. I quote sentences from the documents that answer a question, or say that none does."


def generate(fields: Fields, results: Sequence[SearchResultBlock]) -> list[TextContent]:
    """Quote the sentences that answer, with citations; without search results, reply to a greeting or a sum."""
    question, previous = text_in(fields, "question"), object_in(fields, "previous")
    if not results:
        direct = fields.get("task") == "direct" and not is_about_documents(question, {})
        return [_text(worked_out(question) or ABILITIES if direct else NO_ANSWER)]
    context = context_of(question, previous)
    sources = [
        QuoteSource(
            result["source"],
            _DATED.sub("", result["title"]),
            tuple(block["text"] for block in result["content"]),
            next(filter(None, _DATED.findall(result["title"])), ""),
        )
        for result in results
    ]
    failed = {letters(claim) for claim in texts_in(fields, "failed_claims")}
    if fields.get("task") == "segment":
        selected = _following(in_full(question, previous), str(fields.get("so_far") or ""), sources)
    else:
        selected = [quote for quote in chosen(question, sources, context) if letters(quote.text) not in failed]
    if not selected:
        return [_text(NO_ANSWER)]
    blocks = [_quoted(quote, results) for quote in selected]
    for block in blocks[1:]:
        block["text"] = _apart(block["text"])
    total = total_for(question, selected[0].text)
    if total and letters(total) not in failed and fields.get("task") != "segment":
        blocks.append(_text(_apart(total)))
    return blocks


def _following(question: str, so_far: str, sources: Sequence[QuoteSource]) -> list[Quote]:
    """Return the best sentence that was not said; to an answer that lacks a name, only one that holds such a name."""
    earlier, missing = letters(so_far), lacking(question, so_far)
    for quote in quotes(question, sources):
        named = any(holds(sources[quote.source].text if not so_far else quote.text, name) for name in missing)
        if quote.share >= ENOUGH and letters(quote.text) not in earlier and (named or not missing):
            return [quote]
    return []


def _quoted(quote: Quote, results: Sequence[SearchResultBlock]) -> TextContent:
    result = results[quote.source]
    citation: SearchResultLocation = {
        "type": "search_result_location",
        "cited_text": "".join(block["text"] for block in result["content"][quote.start : quote.end]),
        "source": result["source"],
        "title": result["title"],
        "search_result_index": quote.source,
        "start_block_index": quote.start,
        "end_block_index": quote.end,
    }
    return {**_text(quote.text), "citations": [citation]}


def _apart(sentence: str) -> str:
    """Return a sentence as it follows another one."""
    return sentence if RUN.match(sentence) else f" {sentence}"


def _text(text: str) -> TextContent:
    return {"type": "text", "text": text}
