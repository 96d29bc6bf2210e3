"""Retrieve by the probabilities of the fine-tuned model (arXiv 2310.11511, A.3): one request for one token."""

from typing import Literal

from selfrag.domain.answers import Turn
from selfrag.domain.calls import Limits
from selfrag.domain.errors import RequestRejected
from selfrag.domain.scores.generated import Unproven, checked, group_at
from selfrag.domain.scores.judging import NOISE, decision_of
from selfrag.domain.scores.prompts import asking, room_in
from selfrag.domain.scores.terms import mass
from selfrag.domain.scores.tokens import RETRIEVE
from selfrag.domain.verdicts import RetrievalVerdict
from selfrag.ports.generator import Completed, Generator
from selfrag.question.decide_retrieval.logic import Result as Decided

STEP = "decide_retrieval"


class Task(Limits):
    """The question and the turn before it; r above `threshold` means a search, null follows the sampled token.

    `choices` are the options of a closed set, for which the prompt has other words.
    """

    generator: Literal["selfrag"]
    question: str
    previous: Turn = Turn()
    choices: list[str] = []
    threshold: float | None = 0.2


class Result(Decided):
    """The verdict with r, and the number of texts that the model wrote."""

    sequences: int = 0


def decide(task: Task, generator: Generator) -> Result:
    """Return the decision from the probabilities of an answer's first token.

    Raises RequestRejected for a question that leaves no room in the model.
    """
    prompt = asking(task.question, task.previous, task.choices)
    if room_in(prompt, 1) <= 0:
        raise RequestRejected("the question is too long for the fine-tuned model, which reads 2,048 tokens in all")
    completed = generator.complete(STEP, [prompt], 1)
    verdict, warnings = _verdict(task, completed, generator)
    took = {**completed.took, "warnings": [*completed.warnings, *warnings]}
    return Result(verdict=verdict, sequences=completed.sequences, **took)


def _verdict(task: Task, completed: Completed, generator: Generator) -> tuple[RetrievalVerdict, list[str]]:
    found = completed.written[0]
    try:
        if found is None:
            raise Unproven("nothing that can be read was written")
        checked(found, generator.vocabulary)
    except Unproven as why:
        return RetrievalVerdict(decision="ungraded", reason=str(why)), []
    group = group_at(found, 0, RETRIEVE, generator.vocabulary)
    sampled = generator.vocabulary.tokens.get(found.ids[0], "")
    verdict = decision_of(group, sampled, task.threshold, follow_up=bool(task.previous.answer))
    warnings = []
    if group and verdict.ratio is not None and mass(group.found, RETRIEVE) < NOISE:
        warnings.append("The decision to search rests on noise: the tokens that decide are improbable.")
    if group and verdict.ratio is not None and not set(RETRIEVE[:2]) <= group.found.keys():
        warnings.append("The decision to search rests on a part of its tokens: the server lists the likeliest 20.")
    return verdict, warnings
