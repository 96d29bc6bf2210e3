"""A run in the account is started once, joined while it is at work, and goes on only where it is told to."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag_cli.lab.evaluation import Estimate, Plan, Told
from selfrag_cli.lab.runs.account import evaluate_in_account
from selfrag_cli.lab.runs.machine import MOST_ANSWERS, Machine, item_of
from selfrag_cli.lab.runs.results import Result
from selfrag_cli.lab.runs.tasks import Task, result_of
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, response

ARN = "arn:aws:states:us-east-1:123456789012:stateMachine:selfrag-evaluation:live"
QUESTIONS = [gold(f"{number}?") for number in range(3)]
VARIANTS = read_variants([])


class Account:
    """A machine that is at work for some looks; `ends` says how each attempt ends, and what it answers then.

    Each attempt is answered by another release.
    """

    def __init__(self, *ends: tuple[str, dict[str, str]]) -> None:
        self.ends = ends
        self.started: list[int] = []
        self.looks = 0
        self._kept: dict[str, dict[str, Any]] = {}

    def start(self, run: str, attempt: int, tasks: Sequence[Task], collections: Sequence[str]) -> None:
        assert len(tasks) == len(QUESTIONS), "the report is of all questions"
        self.started.append(attempt)
        self.looks = 2

    def status(self, run: str, attempt: int) -> str | None:
        if attempt > len(self.started):
            return None
        if self.looks and attempt == len(self.started):
            return "RUNNING"
        status, answers = self.ends[attempt - 1]
        for question, told in answers.items():
            self._kept[question] = {**response(status=told), "id": f"{question}-{attempt}"}
        return status

    def done(self, run: str, attempt: int) -> int:
        self.looks -= 1
        return 0

    def answers(self, run: str, tasks: Sequence[Task]) -> Iterator[Result]:
        for task in tasks:
            if kept := self._kept.get(task.question.question):
                yield result_of(task, kept, 1.5, release=kept["id"].partition("-")[2])


def evaluated(
    account: Any, results: Path, again: bool = False, questions: Any = QUESTIONS, variants: Any = VARIANTS
) -> tuple[list[str], int]:
    """Return the statuses of the answers, and how many are missing."""
    plan = Plan(questions, variants, results, 4, None, None, ARN)
    told = Told(print, _known, nullcontext, lambda: nullcontext(lambda done, total, usd: None))  # type: ignore[arg-type]
    findings, left = evaluate_in_account(plan, told, account, again=again, pause=lambda seconds: None)
    return [each.response["status"] for each in findings.results["default"]], left


def _known(estimate: Estimate) -> None:
    assert estimate.total == len(QUESTIONS)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


ONE_FAILS = ("SUCCEEDED", {"0?": "answered", "1?": "failed", "2?": "abstained"})
ALL_WELL = ("SUCCEEDED", {"0?": "answered", "1?": "answered", "2?": "abstained"})


def test_what_failed_is_asked_once_more_only_with_redrive(results: Path) -> None:
    account = Account(ONE_FAILS, ALL_WELL)
    assert evaluated(account, results) == (["answered", "failed", "abstained"], 1)
    assert evaluated(account, results) == (["answered", "failed", "abstained"], 1)
    assert account.started == [1]
    assert evaluated(account, results, again=True) == (["answered", "answered", "abstained"], 0)
    assert evaluated(account, results, again=True)[1] == 0
    assert account.started == [1, 2], "when nothing is left nothing is started"
    assert len(results.read_text().splitlines()) == 1 + len(QUESTIONS) + 1, "no answer is kept twice"


def test_answers_of_two_releases_are_told_for_their_difference_is_not_the_variants_alone(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    account = Account(ONE_FAILS, ALL_WELL)
    evaluated(account, results)
    assert not capsys.readouterr().out
    evaluated(account, results, again=True)
    assert "releases 1, 2 of the machine answered: a deployment came between" in capsys.readouterr().out


@pytest.mark.parametrize("again", [False, True])
def test_a_run_that_is_at_work_is_joined_and_not_started_again(results: Path, again: bool) -> None:
    account = Account(ALL_WELL)
    with pytest.raises(KeyboardInterrupt):
        evaluated(_Interrupted(account), results)
    assert evaluated(account, results, again)[1] == 0
    assert account.started == [1]


def test_an_execution_that_broke_off_is_told_and_what_it_answered_is_kept(results: Path) -> None:
    account = Account(("ABORTED", {"0?": "answered"}), ALL_WELL)
    for _ in range(2):
        with pytest.raises(TemporarilyUnavailable, match="-1 ended as ABORTED: --redrive goes on with it"):
            evaluated(account, results)
    assert len(results.read_text().splitlines()) == 2
    assert evaluated(account, results, again=True)[1] == 0


def test_more_answers_than_the_machine_counts_are_refused(results: Path) -> None:
    questions = [gold(f"{number}?") for number in range(MOST_ANSWERS + 1)]
    with pytest.raises(InvalidInput, match="--limit takes fewer"):
        evaluated(Account(), results, questions=questions)
    assert not results.exists()


def test_a_follow_up_and_a_profile_of_ones_own_cannot_be_asked_in_the_account(results: Path) -> None:
    follow_up = gold("And in May?", after=QUESTIONS[0].id)
    with pytest.raises(InvalidInput, match="ask a set with follow-ups by --endpoint"):
        evaluated(Account(), results, questions=[*QUESTIONS, follow_up])
    with pytest.raises(InvalidInput, match="--prompt and --profile are for this machine"):
        evaluated(Account(), results, variants=read_variants([], profiles=["strict"]))
    assert not results.exists()


@pytest.mark.parametrize("arn", ["", "selfrag", ARN.replace("evaluation", "standard"), f"{ARN}/x"])
def test_what_is_no_evaluation_is_refused(arn: str) -> None:
    with pytest.raises(InvalidInput, match="terraform output evaluation_machine_arn"):
        Machine(arn)


def test_another_policy_or_question_is_another_item() -> None:
    tasks = [Task(question, variant) for question in QUESTIONS for variant in read_variants(["a={}", 'b={"top_k": 2}'])]
    assert len({item_of(task)["id"] for task in tasks}) == len(tasks)


class _Interrupted:
    """The account as a command sees it that is ended while the run is at work."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def __getattr__(self, name: str) -> Any:
        return getattr(self._account, name)

    def done(self, run: str, attempt: int) -> int:
        raise KeyboardInterrupt
