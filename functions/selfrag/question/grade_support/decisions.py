"""IsSup by a decision model: the probabilities of each sentence's support by the cited passages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from selfrag.domain.answers import UNCITED
from selfrag.domain.decisions import CANNOT_TELL, Distribution, most_probable_option
from selfrag.domain.passages import Passage
from selfrag.domain.steps import GradeSupportResult, GradeSupportTask
from selfrag.domain.verdicts import Claim, ClaimSupport, SupportVerdict, level_of
from selfrag.judging.graders import DecisionGrader
from selfrag.question.grade_support.citation_repair import sentences_of
from selfrag.retrieval.duplicates import newer_versions

_SUPPORTS: dict[str, ClaimSupport] = {
    "contradicted": "contradicted", "none": "none", "partial": "partial", "full": "full",
}  # fmt: skip
MOST_MISSING_CHARACTERS = 200
# Cannot tell comes first: it wins a tie.
_WORST_FIRST = (CANNOT_TELL, *_SUPPORTS)
# The first words of a sentence that is understood only with the one before it.
_DEPENDS = re.compile(
    r"\W*(?:(?:it|its|they|their|them|this|that|these|those|he|she|his|her|both|such|there|then|also|but|and|or|so"
    r"|however|otherwise|therefore|instead|in that case|er|sie|es|dies|diese|dieser|dieses|das|dafür|dabei|dann"
    r"|jedoch|außerdem|sonst|deshalb)\b|これ|それ|その|この|あれ|彼|また|ただし|しかし|なお|그|이것|이는|또한|다만|하지만)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:[-*•–]|\d{1,3}[.)])\s")
_QUESTION = re.compile(r"[?？][\s\"')\]”’」』]*$")


@dataclass(frozen=True)
class JudgedSentence:
    """A sentence of an answer: as it stands, as it is judged with what it depends on, and the passages it cites."""

    text: str
    judged: str
    passage_ids: tuple[str, ...]


def by_decider(task: GradeSupportTask, decider: DecisionGrader) -> GradeSupportResult:
    """Return the support of each sentence by the cited passages, and the least of their probabilities.

    A sentence of which the model cannot tell makes the whole verdict ungraded. Failed sentences are searched for as
    they stand.
    """
    sentences = judged_sentences(task)
    if not sentences:
        return GradeSupportResult(verdict=SupportVerdict(level="ungraded"))
    cited = {passage_id for sentence in sentences for passage_id in sentence.passage_ids}
    cited |= {newer for older, newer in newer_versions(task.passages).items() if older in cited}
    passages = [passage for passage in task.passages if passage.passage_id in cited] or task.passages
    state = {
        "question": task.question,
        "passages": {str(number): passage.quoted() for number, passage in enumerate(passages, start=1)},
        "sentences": {f"s{number}": sentence.judged for number, sentence in enumerate(sentences, start=1)},
    }
    decisions = decider.ask(state, {name: decider.questions.about("support", name) for name in state["sentences"]})
    verdict = SupportVerdict(level="ungraded")
    if decisions.answers is not None:
        answers = [decisions.answers[name] for name in state["sentences"]]
        claims = [_claim(*pair, passages) for pair in zip(sentences, answers, strict=True)]
        graded = [claim for claim in claims if claim is not None]
        if len(graded) == len(claims):
            verdict = SupportVerdict(
                level=level_of(graded),
                claims=graded,
                cached=decisions.cached,
                probability=min(answer["full"] for answer in answers),
                **decider.judge_fields,
            )
    return GradeSupportResult(verdict=verdict, **decisions.usage)


def judged_sentences(task: GradeSupportTask) -> list[JudgedSentence]:
    """Return the sentences of an answer that claim something; a question and the words before a list do not."""
    sentences: list[JudgedSentence] = []
    lead = previous = ""
    for text, start in sentences_of(task.answer):
        sentence = text.replace(UNCITED, "").strip()
        is_item = _ITEM.match(sentence) is not None
        before = lead if lead and (is_item or previous == lead) else previous if _DEPENDS.match(sentence) else ""
        previous = f"{before} {sentence}" if before else sentence
        if sentence.endswith((":", "：")):
            lead = previous
            continue
        lead = lead if is_item else ""
        if sentence and not _QUESTION.search(sentence):
            cited = [c.passage_id for c in task.citations if start <= c.answer_span[0] < start + len(text)]
            sentences.append(JudgedSentence(sentence, previous, tuple(dict.fromkeys(cited))))
    return sentences


def cut_phrase(phrase: str) -> str:
    """Return a search phrase on one line, cut at a word if it is long."""
    phrase = " ".join(phrase.split())
    if len(phrase) <= MOST_MISSING_CHARACTERS:
        return phrase
    whole, _, _ = phrase[: MOST_MISSING_CHARACTERS + 1].rpartition(" ")
    return whole or phrase[:MOST_MISSING_CHARACTERS]


def _claim(sentence: JudgedSentence, probabilities: Distribution, passages: Sequence[Passage]) -> Claim | None:
    """Return a sentence as a claim; without citations of its own it rests on all cited passages."""
    option = most_probable_option(probabilities, _WORST_FIRST)
    if option == CANNOT_TELL:
        return None
    support = _SUPPORTS[option]
    named = list(sentence.passage_ids) or [passage.passage_id for passage in passages]
    return Claim(
        claim=sentence.text,
        support=support,
        passage_ids=[] if support == "none" else named,
        missing=cut_phrase(sentence.text) if support in ("partial", "none") else "",
        probability=probabilities["full"],
        probabilities=probabilities,
    )
