"""The cascade that judges an answer's support: decision model, smaller model, Claude."""

import re
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from selfrag.domain.answers import UNCITED
from selfrag.domain.decisions import CANNOT_TELL, Distribution, most_probable_option
from selfrag.domain.steps import GradeSupportResult, GradeSupportTask
from selfrag.domain.verdicts import Claim, ClaimSupport, SupportVerdict, level_of
from selfrag.judging.graders import DecisionGrader, Grader
from selfrag.question.grade_support.evidence import AnswerEvidence
from selfrag.question.grade_support.facts import facts_of
from selfrag.text.sentences import split_marked

STEP = "grade_support"
# Minimum probability of a `full`: the likeliest of five labels may have less.
MIN_PROBABILITY = 0.5
_SUPPORTS: dict[str, ClaimSupport] = {
    "contradicted": "contradicted", "none": "none", "partial": "partial", "full": "full",
}  # fmt: skip
MAX_MISSING_CHARACTERS = 200
# CANNOT_TELL comes first, so it wins ties.
_WORST_FIRST = (CANNOT_TELL, *_SUPPORTS)
# First words of a sentence that depends on the previous one.
_DEPENDS = re.compile(
    r"\W*(?:(?:it|its|they|their|them|this|that|these|those|he|she|his|her|both|such|there|then|also|but|and|or|so"
    r"|however|otherwise|therefore|instead|in that case|er|sie|es|dies|diese|dieser|dieses|das|dafür|dabei|dann"
    r"|jedoch|außerdem|sonst|deshalb)\b|これ|それ|その|この|あれ|彼|また|ただし|しかし|なお|그|이것|이는|또한|다만|하지만)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:[-*•–]|\d{1,3}[.)])\s")
_QUESTION = re.compile(r"[?？][\s\"')\]”’」』]*$")


class JudgedClaim(BaseModel):
    """One claim; `passages` are the numbers of the passages that bear on it, from 1, `missing` what to search for."""

    # Required in the schema, but optional when stored verdicts are read.
    model_config = ConfigDict(json_schema_extra={"required": ["claim", "support", "passages", "missing"]})

    claim: str
    support: ClaimSupport
    passages: list[int]
    missing: str = ""


class Support(BaseModel):
    """The shape of the model's verdict: every claim of the answer, in its order."""

    claims: list[JudgedClaim] = Field(min_length=1)


@dataclass(frozen=True)
class JudgedSentence:
    """A sentence: its text, the text to judge with its context, and the cited passages."""

    text: str
    judged: str
    passage_ids: tuple[str, ...]


def judge(task: GradeSupportTask, evidence: AnswerEvidence, grader: Grader) -> GradeSupportResult:
    """Return the first conclusive verdict of the decision model, the smaller model and Claude.

    A cascade with unmeasured thresholds accepts nothing, so its decision model is skipped.
    """
    decider = grader.decider
    if decider is None or (decider.thresholds and not decider.measured):
        return _grade_by_models(task, evidence, grader)
    decided = grade_by_decider(task, evidence, decider)
    if _is_conclusive(decided.verdict, evidence, grader, is_last=not (task.may_repair or task.may_search)):
        return decided
    return _grade_by_models(task, evidence, grader).add_cost_of(decided)


def _is_conclusive(verdict: SupportVerdict, evidence: AnswerEvidence, grader: Grader, *, is_last: bool) -> bool:
    """Return whether a decision model's verdict is conclusive and the rules agree.

    A sure "no support" names neither failed claims nor missing facts, so it is only final if nothing can be repaired or
    searched. The rules object if a full claim's facts are missing, or another claim's numbers and dates are present.
    The stand-in only quotes, so its facts are always present.
    """
    # Full support may be the likeliest of several labels at a low probability, which is not a sure no.
    is_no = verdict.level != "fully_supported"
    if not grader.is_conclusive(verdict.probability, if_low=is_no and is_last):
        return False
    for claim in verdict.claims:
        holds = evidence.holds(claim.claim, evidence.select_ids(claim.passage_ids) or evidence.ids)
        if claim.support == "full" and not (holds and (claim.probability or 0.0) >= MIN_PROBABILITY):
            return False
        if claim.support != "full" and holds and facts_of(claim.claim).figures and grader.judged_by != "rule":
            return False
    return True


def _grade_by_models(task: GradeSupportTask, evidence: AnswerEvidence, grader: Grader) -> GradeSupportResult:
    """Return the smaller model's verdict if conclusive, else the stronger grader's.

    It is conclusive if all claims are full and their facts are in the named passages, or if a passage contradicts a
    repairable answer: a repair costs little more than a second opinion.
    """
    fields = {"question": task.question, "answer": task.answer, **evidence.build_fields()}
    if grader.smaller is None or task.one_call:
        return _grade(fields, evidence, grader)
    first = _grade(fields, evidence, grader.smaller)
    claims = first.verdict.claims
    beyond_doubt = all(claim.support == "full" and evidence.holds(claim.claim, claim.passage_ids) for claim in claims)
    denied = any(claim.support == "contradicted" and claim.passage_ids for claim in claims)
    if claims and (beyond_doubt or (task.may_repair and denied)):
        return first
    second = _grade(fields, evidence, grader)
    # If the second judge could not be asked, the first one's reason explains the missing verdict.
    unasked = not second.attempts and second.verdict.ungraded and first.verdict.ungraded
    return first.add_cost_of(second) if unasked else second.add_cost_of(first)


def _grade(fields: dict[str, object], evidence: AnswerEvidence, grader: Grader) -> GradeSupportResult:
    """Ask one model for claims and derive the level from them."""
    judgement = grader.grade(fields, Support)
    verdict = SupportVerdict(level="ungraded")
    if judgement.verdict is not None:
        claims = [_claim(judged, evidence) for judged in judgement.verdict.claims]
        verdict = SupportVerdict(level=level_of(claims), claims=claims, cached=judgement.cached, **grader.judge_fields)
    usage = judgement.usage
    usage["calls"] = [call.replace(step=STEP) for call in usage["calls"]]
    return GradeSupportResult(verdict=verdict, **usage)


def _claim(judged: JudgedClaim, evidence: AnswerEvidence) -> Claim:
    ids = evidence.ids_of(judged.passages)
    # Support without a passage does not count.
    support: ClaimSupport = "none" if judged.support in ("full", "partial") and not ids else judged.support
    missing = "" if support == "full" else cut_phrase(judged.missing)
    return Claim(claim=judged.claim, support=support, passage_ids=ids, missing=missing)


def grade_by_decider(task: GradeSupportTask, evidence: AnswerEvidence, decider: DecisionGrader) -> GradeSupportResult:
    """Return each sentence's support by the cited passages, with the lowest probability.

    One undecidable sentence makes the verdict ungraded. Failed sentences become search phrases.
    """
    sentences = judged_sentences(task)
    if not sentences:
        return GradeSupportResult(verdict=SupportVerdict(level="ungraded"))
    cited = evidence.narrow_to(passage_id for sentence in sentences for passage_id in sentence.passage_ids)
    state = {
        "question": task.question,
        "passages": cited.build_state(),
        "sentences": {f"s{number}": sentence.judged for number, sentence in enumerate(sentences, start=1)},
    }
    decisions = decider.ask(state, {name: decider.questions["support"].about(name) for name in state["sentences"]})
    verdict = SupportVerdict(level="ungraded")
    if decisions.answers is not None:
        answers = [decisions.answers[name] for name in state["sentences"]]
        claims = [_sentence_claim(*pair, cited) for pair in zip(sentences, answers, strict=True)]
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
    """Return the sentences that make a claim, without questions and introductions of lists."""
    sentences: list[JudgedSentence] = []
    lead = previous = ""
    for text, start in split_marked(task.answer, UNCITED):
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
    """Return a search phrase on one line, shortened at a word."""
    phrase = " ".join(phrase.split())
    if len(phrase) <= MAX_MISSING_CHARACTERS:
        return phrase
    whole, _, _ = phrase[: MAX_MISSING_CHARACTERS + 1].rpartition(" ")
    return whole or phrase[:MAX_MISSING_CHARACTERS]


def _sentence_claim(sentence: JudgedSentence, probabilities: Distribution, evidence: AnswerEvidence) -> Claim | None:
    """Return a sentence as a claim; without citations it rests on all cited passages."""
    option = most_probable_option(probabilities, _WORST_FIRST)
    if option == CANNOT_TELL:
        return None
    support = _SUPPORTS[option]
    named = list(sentence.passage_ids) or evidence.ids
    return Claim(
        claim=sentence.text,
        support=support,
        passage_ids=[] if support == "none" else named,
        missing=cut_phrase(sentence.text) if support in ("partial", "none") else "",
        probability=probabilities["full"],
        probabilities=probabilities,
    )
