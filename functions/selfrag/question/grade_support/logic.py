"""IsSup: the support of the passages for the answer, claim by claim."""

from selfrag.domain.steps import GradeSupportResult, GradeSupportTask
from selfrag.judging.graders import Grader
from selfrag.question.grade_support.check import lower_claims, repair_citations
from selfrag.question.grade_support.evidence import AnswerEvidence
from selfrag.question.grade_support.fact_check import FactChecker
from selfrag.question.grade_support.judge import judge


def grade(task: GradeSupportTask, grader: Grader) -> GradeSupportResult:
    """Return the claims with their support; rules check numbers, dates and codes of every judge."""
    evidence = AnswerEvidence(task.passages)
    result = judge(task, evidence, grader)
    # The judge does not see earlier turns, but their numbers are the asker's.
    facts = FactChecker(f"{task.previous.question} {task.question} {task.today}", task.passages)
    verdict = lower_claims(result.verdict, task.answer, facts.unfound)
    repair = repair_citations(
        task.answer, task.citations, verdict.claims, evidence, lambda sentence: bool(facts.unfound(sentence))
    )
    return result.replace(verdict=verdict, **dict(repair))
