"""Rule-based check of an answer, for any judge: unsupported facts and wrong citations."""

import re
from collections.abc import Callable, Sequence

from selfrag.domain.answers import UNCITED, Citation
from selfrag.domain.steps import CitationRepair
from selfrag.domain.verdicts import Claim, SupportVerdict, level_of
from selfrag.question.grade_support.evidence import AnswerEvidence
from selfrag.text.sentences import split_marked, split_sentences
from selfrag.text.words import words_of

# Minimum share of a claim's words in its sentence.
_OF_A_SENTENCE = 0.5
_MARK = f" {UNCITED}"


def lower_claims(verdict: SupportVerdict, answer: str, unfound: Callable[[str], list[str]]) -> SupportVerdict:
    """Downgrade claims with facts missing from the evidence; such facts outside all claims become new claims."""
    if verdict.ungraded:
        return verdict
    facts, claims, covered = set(unfound(answer)), [], set[str]()
    for claim in verdict.claims:
        lacking = [fact for fact in unfound(claim.claim) if fact in facts]
        covered |= set(lacking)
        if lacking and not claim.fails:
            claim = claim.replace(support="partial", unfound=lacking)
        claims.append(claim)
    for sentence in split_sentences(answer):
        if left := [fact for fact in unfound(sentence) if fact not in covered]:
            text = sentence.replace(UNCITED, "").strip()
            claims.append(Claim(claim=text, support="partial", unfound=left))
    return verdict.replace(level=level_of(claims), claims=claims)


def repair_citations(
    answer: str,
    citations: Sequence[Citation],
    claims: Sequence[Claim],
    evidence: AnswerEvidence,
    is_unfound: Callable[[str], bool] = lambda sentence: False,
) -> CitationRepair:
    """Replace citations by the passages that IsSup names, and remove those of unsupported sentences.

    A sentence that only cites other passages gets the supporting passages of its claims, if they resemble it more. If
    nothing is cited at all, each sentence cites its claims' passages and loses its mark. A sentence with a failed claim
    or an unfound fact gets a mark and no citation.
    """
    sentences = split_marked(answer, UNCITED)
    by_sentence = _claims_by_sentence([words for words, _ in sentences], claims)
    text, repaired, count = "", [], 0
    for (sentence, start), own in zip(sentences, by_sentence, strict=True):
        cited = [citation for citation in citations if start <= citation.answer_span[0] < start + len(sentence)]
        right = evidence.select_ids(name for claim in own if not claim.fails for name in claim.passage_ids)
        if any(claim.fails for claim in own) or is_unfound(sentence):
            sentence, cited = _mark_uncited(sentence), []
        elif _is_better(sentence, right, cited, evidence) and (cited or not citations):
            sentence = sentence.replace(_MARK, "", 1)
            span = (len(text), len(text) + len(sentence.rstrip()))
            cited = [evidence.quote(sentence, passage_id, span) for passage_id in dict.fromkeys(right)]
            count += len(cited)
        else:
            shift = len(text) - start
            spans = [tuple(place + shift for place in citation.answer_span) for citation in cited]
            cited = [citation.replace(answer_span=span) for citation, span in zip(cited, spans, strict=True)]
        text += sentence
        repaired += cited
    changed = count or text != answer or len(repaired) < len(citations)
    return CitationRepair(answer=text, citations=repaired, repaired=count) if changed else CitationRepair()


def _mark_uncited(sentence: str) -> str:
    words = sentence.rstrip()
    is_bare = UNCITED in sentence or not re.search(r"\w", sentence)
    return sentence if is_bare else f"{words}{_MARK}{sentence[len(words) :]}"


def _is_better(sentence: str, right: Sequence[str], cited: Sequence[Citation], evidence: AnswerEvidence) -> bool:
    """Return whether these passages are disjoint from the cited ones and resemble the sentence more.

    The judge may name a wrong passage.
    """
    names = {citation.passage_id for citation in cited}
    if not right or names & set(right):
        return False
    fits = {name: evidence.fit(sentence, name) for name in evidence.select_ids({*right, *names})}
    best = max(fits[name] for name in right)
    return all(best > fits[name] for name in names if name in fits)


def _claims_by_sentence(sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[Claim]]:
    """Assign each claim to its most similar sentences."""
    by_sentence: list[list[Claim]] = [[] for _ in sentences]
    for claim in claims:
        words = words_of(claim.claim)
        shares = [len(words & words_of(sentence)) / len(words) if words else 0.0 for sentence in sentences]
        best = max(shares, default=0.0)
        # A single sentence owns all claims, in any wording or language.
        if best >= _OF_A_SENTENCE or len(sentences) == 1:
            for place, share in enumerate(shares):
                if share == best:
                    by_sentence[place].append(claim)
    return by_sentence
