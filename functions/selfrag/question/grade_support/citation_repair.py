"""The repair of citations by IsSup: a sentence cites a passage that supports it (pure)."""

import re
from collections.abc import Sequence

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.citations import citation_of
from selfrag.domain.passages import Passage
from selfrag.domain.steps import CitationRepair
from selfrag.domain.verdicts import Claim
from selfrag.text.likeness import most_like
from selfrag.text.sentences import split_around, split_sentences
from selfrag.text.words import words_of

# The share of a claim's words that a sentence has at least, if the claim is of this sentence.
_OF_A_SENTENCE = 0.5
_MARK = f" {UNCITED}"


def repair_citations(
    answer: str, citations: Sequence[Citation], claims: Sequence[Claim], passages: Sequence[Passage]
) -> CitationRepair:
    """Return the answer with citations of the passages that IsSup names.

    A sentence that cites only other passages than the supported ones of its claims cites those in their place. If no
    sentence cites anything, each cites the passages of its claims, and loses its mark.
    """
    sources = {passage.passage_id: passage for passage in passages}
    sentences = sentences_of(answer)
    text, repaired, count = "", [], 0
    for (sentence, start), named in zip(sentences, _named([words for words, _ in sentences], claims), strict=True):
        cited = [citation for citation in citations if start <= citation.answer_span[0] < start + len(sentence)]
        right = [passage_id for passage_id in named if passage_id in sources]
        wrong = bool(right) and not {citation.passage_id for citation in cited} & set(right)
        if wrong and (cited or not citations):
            sentence = sentence.replace(_MARK, "", 1)
            span = (len(text), len(text) + len(sentence.rstrip()))
            cited = [_quoting(sentence, sources[passage_id], span) for passage_id in right]
            count += len(cited)
        else:
            shift = len(text) - start
            cited = [
                citation.model_copy(update={"answer_span": tuple(place + shift for place in citation.answer_span)})
                for citation in cited
            ]
        text += sentence
        repaired += cited
    return CitationRepair(answer=text, citations=repaired, repaired=count) if count else CitationRepair()


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


def _named(sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
    """Return the passages that support the claims of each sentence; a claim is of the sentence that is most like it."""
    named: list[dict[str, None]] = [{} for _ in sentences]
    for claim in claims:
        shares = [_share(claim.claim, sentence) for sentence in sentences]
        best = max(shares, default=0.0)
        # The only sentence has all claims, in whatever words or language.
        if claim.support in ("full", "partial") and (best >= _OF_A_SENTENCE or len(sentences) == 1):
            for place, share in enumerate(shares):
                if share == best:
                    named[place].update(dict.fromkeys(claim.passage_ids))
    return [list(ids) for ids in named]


def _share(claim: str, sentence: str) -> float:
    words = words_of(claim)
    return len(words & words_of(sentence)) / len(words) if words else 0.0


def _quoting(sentence: str, passage: Passage, span: tuple[int, int]) -> Citation:
    """Return a citation of the sentence of a passage that is most like this one."""
    blocks = split_around(passage.text, [(row.start, row.end) for row in passage.rows]) or [(0, len(passage.text))]
    start, end = blocks[most_like(sentence, [passage.text[start:end] for start, end in blocks])]
    return citation_of(passage, start, end, span)
