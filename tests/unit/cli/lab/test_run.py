"""A run asks each question once by each variant, whatever ends it, and never spends more than it may."""

import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.wrappers import Request, Response

from selfrag.domain.answers import AnswerResponse
from selfrag.domain.errors import InvalidInput, Misconfigured, SelfragError, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest, Policy
from selfrag_cli.deployment.remote import RetryLater, retry_after
from selfrag_cli.lab.gate import MAX_FAILURES, RunBudget
from selfrag_cli.lab.records import Results, open_results
from selfrag_cli.lab.run import (
    PAUSES,
    Run,
    Variant,
    connect_endpoint,
    find_open_tasks,
    read_variants,
)
from selfrag_cli.local.backends import DEFAULT_SETUP
from tests.support.loopback import Loopback
from tests.unit.cli.lab.conftest import gold, response, ways

TWO = read_variants(['plain={"top_k": 2}', "default={}"])
QUESTIONS = [gold(f"{number}?") for number in range(10)]


class Asked:
    """Answers and counts questions; `instead` may raise, or give another response."""

    def __init__(self, instead: Callable[[AskRequest], dict[str, Any] | None] = lambda request: None) -> None:
        self.requests: list[AskRequest] = []
        self.keys: list[str] = []
        self._instead, self._lock = instead, threading.Lock()

    def __call__(self, request: AskRequest, key: str) -> tuple[AnswerResponse, None]:
        with self._lock:
            self.requests.append(request)
            self.keys.append(key)
        return AnswerResponse.model_validate(self._instead(request) or response()), None

    @property
    def times(self) -> Counter[tuple[str, int]]:
        return Counter((request.question, request.policy.top_k) for request in self.requests)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Any]:
    """Yield the results of a file, opened once more each time."""

    @contextmanager
    def again(asked: str = "here") -> Iterator[Results]:
        with open_results(tmp_path / "results.jsonl", asked, ways(TWO)) as results:
            yield results

    return again


def run(results: Results, ask: Asked, parallel: int = 3) -> int:
    tasks = find_open_tasks(QUESTIONS, TWO, results)
    return Run(tasks, ask, results, parallel, pause=lambda seconds: None).run()


def test_every_question_is_asked_once_by_each_variant_with_its_policy(opened: Any) -> None:
    ask = Asked()
    with opened() as results:
        assert run(results, ask) == 0
    assert ask.times == {(question.question, top_k): 1 for question in QUESTIONS for top_k in (2, 4)}
    assert all(request.policy.cache is False for request in ask.requests)
    assert len(set(ask.keys)) == 20


def test_variant_order_is_mixed_and_repeatable(opened: Any) -> None:
    with opened() as results:
        asked, again = (find_open_tasks(QUESTIONS, TWO, results) for _ in range(2))
    assert asked == again
    assert [task.question for task in asked] == [question for question in QUESTIONS for _ in TWO]
    assert 0 < sum(task.variant.name == "plain" for task in asked[::2]) < len(QUESTIONS)


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_killed_run_resumes_without_asking_again(opened: Any, tmp_path: Path, cut: int) -> None:
    killed = Asked(lambda request: _interrupt() if request.question == "4?" else None)
    with pytest.raises(KeyboardInterrupt), opened() as results:
        run(results, killed, parallel=1)
    path = tmp_path / "results.jsonl"
    os.truncate(path, path.stat().st_size - cut)  # as a kill may leave it that comes while a line is written
    ask = Asked()
    with opened() as results:
        assert run(results, ask) == 0
    lost = 1 if cut else 0
    answered = killed.times - Counter({("4?", killed.requests[-1].policy.top_k): 1})
    assert sum((answered + ask.times).values()) == 20 + lost
    with opened() as results:
        assert find_open_tasks(QUESTIONS, TWO, results) == []


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_running_questions_of_an_interrupted_run_are_kept(opened: Any) -> None:
    begun, end = threading.Event(), threading.Event()

    def slowly(request: AskRequest) -> None:
        begun.set()
        assert end.wait(10)

    def interrupted(description: str, done: int, total: int) -> None:
        assert begun.wait(10)
        if not end.is_set():
            end.set()
            raise KeyboardInterrupt

    ask = Asked(lambda request: slowly(request) if request.question == "1?" else None)
    with opened() as results, pytest.raises(KeyboardInterrupt):
        Run(find_open_tasks(QUESTIONS, TWO, results), ask, results, 3, progress=interrupted).run()
    assert len(ask.requests) < 20
    rest = Asked()
    with opened() as results:
        run(results, rest)
    assert set((ask.times + rest.times).values()) == {1}


def test_failed_question_is_retried_with_a_new_key(opened: Any) -> None:
    first = Asked(lambda request: response(status="failed") if request.question == "3?" else None)
    again = Asked()
    with opened() as results:
        assert run(results, first, parallel=1) == 2
    with opened() as results:
        assert run(results, again) == 0
        assert results.find("plain", "3?").response.status == "answered"
        assert results.spent == pytest.approx(0.22)
    assert again.times == {("3?", 2): 1, ("3?", 4): 1}
    assert not set(first.keys) & set(again.keys)


def test_a_service_that_is_busy_is_asked_again_with_the_same_key(opened: Any) -> None:
    busy = Counter({"2?": 2})

    def sometimes(request: AskRequest) -> None:
        if request.policy.top_k == 2 and busy[request.question]:
            busy[request.question] -= 1
            raise TemporarilyUnavailable("busy")

    ask = Asked(sometimes)
    with opened() as results:
        assert run(results, ask) == 0
    assert ask.times["2?", 2] == 3
    assert len(set(ask.keys)) == 20


@pytest.mark.parametrize("error", [Misconfigured("the key is wrong"), InvalidInput("no such collection")])
def test_a_refusal_ends_the_run_with_its_sentence(opened: Any, error: SelfragError) -> None:
    def refusing(request: AskRequest) -> None:
        raise error

    ask = Asked(refusing)
    with opened() as results, pytest.raises(type(error), match=str(error)):
        run(results, ask, parallel=1)
    assert len(ask.requests) == 1


def test_a_run_gives_up_when_nothing_is_answered_any_more(opened: Any) -> None:
    def away(request: AskRequest) -> None:
        raise TemporarilyUnavailable("it is away")

    ask = Asked(away)
    with opened() as results, pytest.raises(TemporarilyUnavailable, match=r"in a row got no answer.*it is away"):
        run(results, ask, parallel=1)
    assert len(ask.requests) == MAX_FAILURES * (len(PAUSES) + 1)
    failing = Asked(lambda request: response("No model.", status="failed"))
    with opened() as results, pytest.raises(TemporarilyUnavailable, match=r"No model\."):
        run(results, failing, parallel=1)
    assert len(failing.requests) == MAX_FAILURES


@given(
    most=st.floats(0.01, 5), least=st.floats(0, 0.5), shares=st.lists(st.floats(0, 1) | st.none(), min_size=1),
    slots=st.integers(1, 6), own=st.none() | st.floats(0.001, 1),
)  # fmt: skip
def test_whatever_questions_cost_within_their_limits_all_together_stay_within_the_sum(
    most: float, least: float, shares: list[float | None], slots: int, own: float | None
) -> None:
    budget, at_work, paid = RunBudget(most, 0.0, least=least), [], 0.0
    for share in shares:
        limit = budget.hold(slots, own)
        if limit is not None:
            assert 0 < limit <= (own or 100)
            at_work.append((limit, share))
        if len(at_work) == slots or (limit is None and at_work):
            allowed, part = at_work.pop(0)
            paid += allowed * (1 if part is None else part)
            budget.settle(allowed, None if part is None else allowed * part)
    assert paid + sum(limit for limit, _ in at_work) <= most * (1 + 1e-9)


def test_results_with_other_documents_or_policy_are_not_resumed(opened: Any, tmp_path: Path) -> None:
    with opened() as results:
        run(results, Asked())
    with pytest.raises(InvalidInput, match="holds answers from here, not from there"), opened("there"):
        pass
    other = read_variants(['plain={"top_k": 3}'])
    with (
        pytest.raises(InvalidInput, match=r'answers of plain with the policy \{"top_k": 2, "cache": false\}'),
        open_results(tmp_path / "results.jsonl", "here", ways(other)),
    ):
        pass


@pytest.mark.parametrize(
    ("content", "line"), [(b'{"question": "a?"}\n{"question', 1), (b"a letter to a friend", 1), (b"a\nb\n", 1)]
)
def test_a_file_of_something_else_is_refused_and_left_as_it_is(
    opened: Any, tmp_path: Path, content: bytes, line: int
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=f"line {line}: it is no result"), opened():
        pass
    assert path.read_bytes() == content


def test_two_commands_do_not_write_to_the_same_file(opened: Any) -> None:
    with opened(), pytest.raises(InvalidInput, match="Another command writes to"), opened():
        pass


def test_a_deployment_whose_daily_limit_is_reached_is_not_waited_for(opened: Any) -> None:
    pauses: list[float] = []

    def spent(request: AskRequest) -> None:
        raise RetryLater("The daily limit is reached.", 9000.0)

    with opened() as results:
        Run(find_open_tasks(QUESTIONS[:1], TWO, results), Asked(spent), results, 1, pause=pauses.append).run()
    assert pauses == []


def test_longer_pause_named_by_deployment_is_respected(opened: Any) -> None:
    pauses: list[float] = []

    def busy(request: AskRequest) -> None:
        if not pauses:
            raise RetryLater("busy", 60.0)

    with opened() as results:
        tasks = find_open_tasks(QUESTIONS[:1], TWO, results)
        assert Run(tasks, Asked(busy), results, 1, pause=pauses.append).run() == 0
    assert pauses == [60.0]


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    path = tmp_path / "strict.md"
    path.write_text("Grade strictly. {material}", encoding="utf-8")
    return path


def names(variants: list[Variant]) -> list[str]:
    return [variant.name for variant in variants]


def test_each_variant_text_changes_one_thing_from_default(prompt: Path) -> None:
    variants = read_variants(['few={"top_k": 2}', "naive", "thrifty", "strict", f"grade_support={prompt}"])
    assert names(variants) == ["few", "naive", "thrifty", "strict", "grade_support.strict"]
    assert [variant.way.profile for variant in variants[-3:]] == ["thrifty", "strict", ""]
    assert all(variant.policy == Policy(cache=False) for variant in variants[-3:])


def test_prompt_variant_includes_shared_clause_and_has_its_own_version(prompt: Path) -> None:
    *_, variant = read_variants([f"grade_support={prompt}"])
    ((step, said),) = variant.setup.prompts
    assert (step, "{material}" in said.text) == ("grade_support", False)
    before = variant.way.prompts
    prompt.write_text("Grade kindly.", encoding="utf-8")
    *_, variant = read_variants([f"grade_support={prompt}"])
    assert variant.way.prompts.keys() == before.keys()
    assert variant.way.prompts != before


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}", r"There is no strategy or profile '\{\}'"),
        ("best", "There is no strategy or profile 'best': strategies are self_rag, .* profiles are thrifty, balanced"),
        ("={}", "A variant's name has letters"),
        ("a b={}", "A variant's name has letters"),
        ("a={", "The variant a: policy is not valid JSON"),
        ('a={"topk": 2}', "The variant a: policy.topk does not exist; the fields are strategy, "),
        ("grade_support=", "'grade_support=' is not a step and a file, such as grade_support=stricter.md."),
        ("retrieve=a.md", "There is no step retrieve to change; there are decide_retrieval, "),
        ("generate=nowhere.md", "The prompt nowhere.md cannot be read"),
    ],
)
def test_a_text_that_is_no_variant_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        read_variants([text])


def test_two_variants_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInput, match="Two variants are called strict"):
        read_variants(["strict", 'strict={"top_k": 2}'])


def test_a_variant_reads_the_verdict_cache_only_if_its_policy_says_so() -> None:
    variants = read_variants(['a={"cache": true}', "b={}"])
    assert [variant.policy.cache for variant in variants] == [True, False]


ASKED = AskRequest(question="How long?", policy=Policy(top_k=2, cache=False))


class Deployment:
    """Answers with the next of these statuses, and `body` with 200; `heard` are the headers and bodies of requests."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.body = response()
        self.heard: list[tuple[str | None, dict[str, object]]] = []

    def __call__(self, request: Request) -> Response:
        self.heard.append((request.headers.get("idempotency-key"), json.loads(request.get_data())))
        status = self.statuses.pop(0)
        body = self.body if status == 200 else {"detail": f"It is {status}.", "hint": "Wait."}
        return Response(
            json.dumps(body),
            status,
            {"location": "/v1/questions/q", "retry-after": "7"},
            content_type="application/json",
        )


def ask(url: str) -> AnswerResponse:
    with connect_endpoint(url, "key")(DEFAULT_SETUP) as answer:
        response, trace = answer(ASKED, "run.default.q.0")
    assert trace is None
    return response


@pytest.fixture
def deployed() -> Iterator[Callable[..., tuple[Deployment, str]]]:
    opened: list[Loopback] = []

    def begun(*statuses: int) -> tuple[Deployment, str]:
        deployment = Deployment(*statuses)
        opened.append(Loopback(deployment))
        opened[-1].__enter__()
        return deployment, opened[-1].url

    yield begun
    for server in opened:
        server.__exit__(None, None, None)


def test_response_with_unknown_fields_is_read(
    deployed: Callable[..., tuple[Deployment, str]],
) -> None:
    deployment, url = deployed(200)
    deployment.body |= {"new": 1, "usage": {**deployment.body["usage"], "new": 1}}
    assert ask(url).usage.rounds == 2


def test_deployment_question_carries_policy_and_idempotency_key(
    deployed: Callable[..., tuple[Deployment, str]],
) -> None:
    deployment, url = deployed(200)
    assert ask(url).status == "answered"
    assert deployment.heard == [("run.default.q.0", {"question": "How long?", "policy": {"top_k": 2, "cache": False}})]


@pytest.mark.parametrize("status", [202, 409, 429, 503])
def test_running_and_throttled_questions_are_retryable(
    deployed: Callable[..., tuple[Deployment, str]], status: int
) -> None:
    _, url = deployed(status)
    with pytest.raises(TemporarilyUnavailable) as refused:
        ask(url)
    assert retry_after(refused.value) == (0 if status == 202 else 7)
