"""Rules that produce a verdict for each step.

No rule judges: relevance is a similarity, usefulness a share of words, and support a verbatim match.
"""

from collections.abc import Callable

from selfrag.domain.answers import UNCITED
from selfrag.domain.documents import QUOTED
from selfrag.text.sentences import split_sentences
from selfrag_cli.local.stand_in.questions import (
    Fields,
    asks_for_all,
    context_of,
    find_missing_names,
    is_about_documents,
    is_follow_up,
    search_words,
)
from selfrag_cli.local.stand_in.quoting import QuoteSource, choose_quotes, quotes
from selfrag_cli.local.stand_in.similarity import score_of, similarity_of, threshold_of
from selfrag_cli.local.stand_in.words import content_words, has, letters, names, units

_MAX_SENTENCES, _LONGEST_WORDS = 3, 3
_USES = ((0.6, 5), (0.35, 4))


def _decide_retrieval(fields: Fields) -> dict[str, object]:
    """Search for everything but greetings; a short follow-up continues with its evidence."""
    question, previous = fields["question"], fields.get("previous") or {}
    if fields.get("so_far"):
        return _next(question, fields["so_far"])
    complexity = "complex" if len(names(question)) > 1 else "simple"
    if not is_about_documents(question, previous):
        decision, reason = "no", "A greeting needs no search."
    elif previous.get("answer") and is_follow_up(question):
        decision, reason = "continue", "The question is short and follows an answer."
    else:
        decision, reason = "yes", "The question is no greeting, so the documents are searched."
    query = "" if decision == "no" else search_words(question, previous)
    aggregate = decision != "no" and asks_for_all(question)
    return {"reason": reason, "decision": decision, "complexity": complexity, "query": query, "aggregate": aggregate}


def _next(question: str, so_far: str) -> dict[str, object]:
    missing = find_missing_names(question, so_far)
    if missing and len(split_sentences(so_far)) < _MAX_SENTENCES:
        return {"reason": f"The answer says nothing of {', '.join(missing)} yet.", "decision": "yes"}
    return {"reason": "The answer names all that the question names, or is long enough.", "decision": "complete"}


def _grade_relevance(fields: Fields) -> dict[str, object]:
    """Score a passage by its cosine, or else by its best sentence; its strips by their words."""
    question = fields["question"]
    context = context_of(question, fields.get("previous") or {})
    passage = fields["passage"]
    document, title = str(passage.get("document", "")), str(passage.get("title", ""))

    def score(text: str) -> tuple[float, str]:
        best = quotes(question, [QuoteSource(document, title, tuple(split_sentences(text)))], context)[:1]
        return (round(best[0].share, 3), best[0].text[:120]) if best else (0.0, "no sentence")

    share, nearest = score(passage["text"])
    strips = fields.get("strips") or ()
    scores = [{"strip": strip.get("strip"), "score": score(strip["text"])[0]} for strip in strips]
    cosine = fields.get("cosine")
    if cosine is None:
        reason = f"Words in common {share:.2f}, not a judgement, as the passage has no vector; nearest: {nearest}"
        return {"reason": reason, "score": share, "strips": scores}
    similarity, threshold = similarity_of(cosine, share), threshold_of(question)
    reason = f"Similarity {similarity:.3f} ({threshold:.3f} is enough), not a judgement"
    return {"reason": reason, "score": round(score_of(similarity, threshold), 3), "strips": scores}


def _grade_support(fields: Fields) -> dict[str, object]:
    """Call a claim supported if a passage contains it verbatim; the author's label may be elsewhere in it."""
    passages = [
        (passage.get("number", order), letters(f"{passage.get('title', '')}\n{passage['text']}"))
        for order, passage in enumerate(fields["passages"], start=1)
    ]
    claims = []
    for sentence in split_sentences(fields["answer"].replace(UNCITED, "")):
        claim = sentence.strip()
        parts = claim.split(": ", 1) if claim.startswith(QUOTED) else [claim]
        claimed = list(filter(None, map(letters, parts)))
        supporting = [number for number, text in passages if claimed and all(part in text for part in claimed)][:1]
        # Numbers are excluded from the search phrase, since they may be wrong.
        missing = "" if supporting else " ".join(word for word in content_words(claim) if not word[0].isdigit())
        support = "full" if supporting else "none"
        claims.append({"claim": claim, "support": support, "passages": supporting, "missing": missing})
    return {"claims": claims or [{"claim": "", "support": "none", "passages": [], "missing": ""}]}


def _grade_utility(fields: Fields) -> dict[str, object]:
    """Score an answer by its share of the question's words; a reply to a greeting is useful."""
    question, answer = fields["question"], fields["answer"]
    question_units = units(search_words(question, fields.get("previous") or {}))
    if answer.strip() and not question_units:
        return {"reason": "The question needs no documents.", "score": 5}
    share = sum(has(answer, unit) for unit in question_units) / (len(question_units) or 1)
    score = next((score for least, score in _USES if share >= least), 3 if answer.strip() else 1)
    return {"reason": f"The answer has {share:.0%} of the question's words.", "score": score}


def _grade_correctness(fields: Fields) -> dict[str, object]:
    """Grade an answer correct if it contains a reference answer or all facts verbatim; partly, with some."""
    answer, facts = letters(fields["answer"]), fields.get("facts") or ()
    matches = [letters(text) in answer for text in facts or fields.get("right") or () if letters(text)]
    says = "yes" if matches and (all(matches) if facts else any(matches)) else "partly" if any(matches) else "no"
    return {"reason": f"{sum(matches)} of {len(matches)} stand in the answer word for word.", "says": says}


def _rewrite_question(fields: Fields) -> dict[str, object]:
    """Return the content words, then the longest ones; an old query if nothing is left."""
    question = search_words(fields["question"], fields.get("previous") or {})
    words = content_words(question)
    longest = sorted(words, key=len, reverse=True)[:_LONGEST_WORDS]
    tried = {letters(query) for query in fields.get("queries") or ()}
    for query in (" ".join(words), " ".join(longest)):
        if query and letters(query) not in tried:
            return {"reason": "Fewer words of the question.", "query": query}
    return {"reason": "There is no other query.", "query": question.strip() or "?"}


def _choice(fields: Fields) -> dict[str, object]:
    """Return the number of the longest option in the best sentence, or 0."""
    question = fields["question"]
    options = {option["option"]: option["text"] for option in fields["options"]}
    passages = [QuoteSource("", str(p.get("title", "")), tuple(split_sentences(p["text"]))) for p in fields["passages"]]
    answer = "".join(quote.text for quote in choose_quotes(question, passages)[:1])
    held = {number: len(text) for number, text in options.items() if letters(text) and letters(text) in letters(answer)}
    return {"option": max(held, key=lambda number: (held[number], -number)) if held else 0}


RULES: dict[str, Callable[[Fields], dict[str, object]]] = {
    "decide_retrieval": _decide_retrieval,
    "grade_relevance": _grade_relevance,
    "grade_support": _grade_support,
    "grade_utility": _grade_utility,
    "grade_correctness": _grade_correctness,
    "rewrite_question": _rewrite_question,
    "choice": _choice,
}


def verdict_on(fields: Fields, title: str) -> dict[str, object]:
    """Return the verdict for a shape's title, which is part of its step's name: Utility is `grade_utility`."""
    return next(rule for step, rule in RULES.items() if title.lower() in step.split("_"))(fields)
