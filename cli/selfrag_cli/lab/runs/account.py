"""`selfrag eval --machine`: the questions are asked in the account, and the answers fetched from there."""

import time
from collections.abc import Callable, Sequence

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.runtime.settings import Settings, read
from selfrag_cli.lab.evaluation import Estimate, Plan, Told, refuse_own_setups
from selfrag_cli.lab.report import Findings
from selfrag_cli.lab.runs.estimates import estimated_usd, usual_usd
from selfrag_cli.lab.runs.machine import MOST_ANSWERS, Machine
from selfrag_cli.lab.runs.results import Results, no_results, opened_results
from selfrag_cli.lab.runs.tasks import Task, tasks_left

PAUSE_SECONDS = 3.0
AT_WORK = ("RUNNING", "PENDING_REDRIVE")


def evaluate_in_account(
    plan: Plan,
    told: Told,
    machine: Machine,
    collections: Sequence[str] = (),
    again: bool = False,
    pause: Callable[[float], None] = time.sleep,
) -> tuple[Findings, int]:
    """Start the run, or join it where it is at work; return the findings and how many answers are missing.

    `again` asks once more what has failed or was never asked. Raises InvalidInput for more than the machine counts or
    what it cannot ask, and TemporarilyUnavailable where the execution broke off; what was answered until then is kept.
    """
    refuse_own_setups(plan)
    if any(question.after for question in plan.questions):
        raise InvalidInput("In the account all questions are asked at once: ask a set with follow-ups by --endpoint.")
    tasks = tasks_left(plan.questions, plan.variants, no_results(plan.asked))
    if len(tasks) > MOST_ANSWERS:
        raise InvalidInput(f"{len(tasks)} answers are more than the {MOST_ANSWERS} of a run: --limit takes fewer.")
    with opened_results(plan.results, plan.asked, plan.variants) as results:
        run = _Run(plan, machine, results, tasks)
        run.fetch()
        told.estimate(run.estimate())
        status = run.status()
        if run.left and (status is None or (again and status not in AT_WORK)):
            status = run.start(collections)
        if status in AT_WORK:
            status = run.waited(told, pause)
            run.fetch()
        if run.left and status != "SUCCEEDED":
            raise TemporarilyUnavailable(f"The execution {run.name} ended as {status}: --redrive goes on with it.")
        findings = Findings(plan.questions, plan.variants, results)
        _tell_releases(findings, told)
        return findings, len(run.left)


def _tell_releases(findings: Findings, told: Told) -> None:
    """Warn of answers by several releases: their differences are not the variants' alone."""
    answers = [result for results in findings.results.values() for result in results]
    releases = sorted({int(answer.release) for answer in answers if answer.release})
    if len(releases) > 1:
        told.warn(
            [
                f"releases {', '.join(map(str, releases))} of the machine answered: a deployment came between. With "
                "--results another file has all of them asked by the one that is live"
            ]
        )


class _Run:
    """A run in the account, and its last attempt; its results are those of the file."""

    def __init__(self, plan: Plan, machine: Machine, results: Results, tasks: Sequence[Task]) -> None:
        self._plan, self._machine, self._results, self._tasks = plan, machine, results, tasks
        self._attempt = 0
        while machine.status(results.run, self._attempt + 1) is not None:
            self._attempt += 1

    @property
    def name(self) -> str:
        """Return the name of the execution."""
        return f"{self._results.run}-{self._attempt}"

    @property
    def left(self) -> list[Task]:
        """Tasks without an answer, or with one that failed."""
        return tasks_left(self._plan.questions, self._plan.variants, self._results)

    def status(self) -> str | None:
        """Return the status of the last attempt; None if there is none."""
        return self._machine.status(self._results.run, self._attempt) if self._attempt else None

    def estimate(self) -> Estimate:
        """Estimate what is left, by the models of your own settings."""
        settings, left = read(Settings), self.left
        usual = {one.name: usual_usd(settings.models, settings.prices, one.policy) for one in self._plan.variants}
        usd = estimated_usd(left, self._results, usual)
        return Estimate(len(left), len(self._tasks), usd, self._results.spent)

    def start(self, collections: Sequence[str]) -> str:
        """Begin the next attempt, with all questions: what was answered is recalled, so that the report is whole."""
        self._attempt += 1
        self._machine.start(self._results.run, self._attempt, self._tasks, collections)
        return AT_WORK[0]

    def waited(self, told: Told, pause: Callable[[float], None]) -> str | None:
        """Wait for the attempt's end and return its status. Step Functions may need a moment to know of a new one."""
        with told.asking() as tell:
            while (status := self.status()) in (*AT_WORK, None):
                done = self._machine.done(self._results.run, self._attempt) if status else 0
                tell(done, len(self._tasks), self._results.spent)
                pause(PAUSE_SECONDS)
        return status

    def fetch(self) -> None:
        """Keep the answers that are new."""
        for result in self._machine.answers(self._results.run, self.left):
            known = self._results.find(result.variant, result.question_id)
            if known is None or known.response.get("id") != result.response.get("id"):
                self._results.add(result)
