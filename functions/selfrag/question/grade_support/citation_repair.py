"""The repair of citations by IsSup: a sentence cites a passage that supports it (pure)."""

import re
from collections.abc import Callable, Mapping, Sequence

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.citations import citation_of
from selfrag.domain.passages import Passage
from selfrag.domain.steps import CitationRepair
from selfrag.domain.verdicts import Claim
from selfrag.question.grade_support.evidence import stands_in
from selfrag.text.likeness import most_like
from selfrag.text.sentences import split_around, split_sentences
from selfrag.text.words import words_of

# The share of a claim's words that a sentence has at least, if the claim is of this sentence.
_OF_A_SENTENCE = 0.5
_MARK = f" {UNCITED}"


def repair_citations(
    answer: str,
    citations: Sequence[Citation],
    claims: Sequence[Claim],
    passages: Sequence[Passage],
    is_unfound: Callable[[str], bool] = lambda sentence: False,
) -> CitationRepair:
    """Return the answer with citations of the passages that IsSup names, and without those of what the evidence lacks.

    A sentence that cites only other passages than the supported ones of its claims cites those in their place, if they
    are more like it. If no sentence cites anything, each cites the passages of its claims, and loses its mark. A
    sentence with a failed claim, or a fact that is unfound, cites nothing and is marked.
    """
    sources = {passage.passage_id: passage for passage in passages}
    sentences = sentences_of(answer)
    by_sentence = _claims_by_sentence([words for words, _ in sentences], claims)
    text, repaired, count = "", [], 0
    for (sentence, start), own in zip(sentences, by_sentence, strict=True):
        cited = [citation for citation in citations if start <= citation.answer_span[0] < start + len(sentence)]
        right = [name for claim in own if not claim.fails for name in claim.passage_ids if name in sources]
        if any(claim.fails for claim in own) or is_unfound(sentence):
            sentence, cited = _marked(sentence), []
        elif _is_better(sentence, right, cited, sources) and (cited or not citations):
            sentence = sentence.replace(_MARK, "", 1)
            span = (len(text), len(text) + len(sentence.rstrip()))
            cited = [_quoting(sentence, sources[passage_id], span) for passage_id in dict.fromkeys(right)]
            count += len(cited)
        else:
            shift = len(text) - start
            cited = [
                citation.model_copy(update={"answer_span": tuple(place + shift for place in citation.answer_span)})
                for citation in cited
            ]
        text += sentence
        repaired += cited
    changed = count or text != answer or len(repaired) < len(citations)
    return CitationRepair(answer=text, citations=repaired, repaired=count) if changed else CitationRepair()


def _marked(sentence: str) -> str:
    words = sentence.rstrip()
    is_bare = UNCITED in sentence or not re.search(r"\w", sentence)
    return sentence if is_bare else f"{words}{_MARK}{sentence[len(words) :]}"


def _is_better(sentence: str, right: Sequence[str], cited: Sequence[Citation], sources: Mapping[str, Passage]) -> bool:
    """Return whether these passages, and none of the cited ones, are the right ones, and code finds them more like it.

    A judge may name the wrong passage, too.
    """
    names = {citation.passage_id for citation in cited}
    if not right or names & set(right):
        return False
    fits = {name: _fit(sentence, sources[name]) for name in {*right, *names} if name in sources}
    best = max(fits[name] for name in right)
    return all(best > fits[name] for name in names if name in fits)


def _fit(sentence: str, passage: Passage) -> tuple[bool, float]:
    """Return whether a sentence's facts stand in a passage, and the share of its words there."""
    words = words_of(sentence)
    shared = len(words & words_of(f"{passage.title} {passage.text}"))
    return stands_in(sentence, [passage]), shared / len(words) if words else 0.0


def sentences_of(answer: str) -> list[tuple[str, int]]:
    """Return the sentences with their places; a mark belongs to the sentence before it."""
    sentences: list[tuple[str, int]] = []
    at = 0
    for piece in split_sentences(answer):
        mark = re.match(rf"\s*{re.escape(UNCITED)}\s*", piece)
        if mark and sentences:
            sentences[-1] = sentences[-1][0] + mark[0], sentences[-1][1]
            at += mark.end()
            piece = piece[mark.end() :]
        if piece:
            sentences.append((piece, at))
            at += len(piece)
    return sentences


def _claims_by_sentence(sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[Claim]]:
    """Return the claims of each sentence; a claim is of the sentences that are most like it."""
    by_sentence: list[list[Claim]] = [[] for _ in sentences]
    for claim in claims:
        shares = [_share(claim.claim, sentence) for sentence in sentences]
        best = max(shares, default=0.0)
        # The only sentence has all claims, in whatever words or language.
        if best >= _OF_A_SENTENCE or len(sentences) == 1:
            for place, share in enumerate(shares):
                if share == best:
                    by_sentence[place].append(claim)
    return by_sentence


def _share(claim: str, sentence: str) -> float:
    words = words_of(claim)
    return len(words & words_of(sentence)) / len(words) if words else 0.0


def _quoting(sentence: str, passage: Passage, span: tuple[int, int]) -> Citation:
    """Return a citation of the sentence of a passage that is most like this one."""
    blocks = split_around(passage.text, [(row.start, row.end) for row in passage.rows]) or [(0, len(passage.text))]
    start, end = blocks[most_like(sentence, [passage.text[start:end] for start, end in blocks])]
    return citation_of(passage, start, end, span)
