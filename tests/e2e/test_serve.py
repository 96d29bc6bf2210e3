"""`selfrag serve`, and the commands that talk to a deployment, over real HTTP."""

import re
import signal
from collections.abc import Iterator

import pytest

from tests.support.command import Command

pytestmark = pytest.mark.slow
QUESTION = "How many weeks of parental leave does each parent receive?"


@pytest.fixture
def url(read: Command) -> Iterator[str]:
    """The URL that `selfrag serve` prints for the handbook."""
    process = read.start("serve", "--port", "0")
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found, process.communicate(timeout=5)
        yield found[0]
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        process.communicate()


def test_what_is_served_is_asked_like_a_deployment_and_kept_when_it_ends(read: Command, url: str) -> None:
    response = read("ask", QUESTION, "--endpoint", url, "--api-key", "any", "--json").response
    assert "18 weeks" in response["answer"]
    assert response["citations"][0]["document"] == "people/parental-leave.md"
    shown = read("ask", QUESTION, "--endpoint", url)
    assert shown.code == 0
    assert "people/parental-leave.md" in shown.out
    smoked = read("smoke", url)
    assert smoked.code == 0, smoked.err
    assert smoked.out.count("execution:selfrag:") == 3


@pytest.mark.parametrize("arguments", [["--endpoint", "nonsense"], ["--endpoint", "http://127.0.0.1:9"]])
def test_an_endpoint_that_does_not_answer_is_told_in_one_sentence(fresh: Command, arguments: list[str]) -> None:
    ended = fresh("ask", QUESTION, *arguments)
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1


def test_a_problem_of_the_deployment_is_told_in_its_own_words(read: Command, url: str) -> None:
    ended = read("ask", QUESTION, "--endpoint", url, "--policy", '{"deadline_seconds": 100}')
    assert ended.code == 2
    assert "POST /v1/questions gives more time" in ended.err
    both = read("ask", QUESTION, "--endpoint", url, "--docs", ".")
    assert both.code == 2


def test_a_port_that_is_taken_is_told_in_one_sentence(read: Command, url: str) -> None:
    ended = read("serve", "--port", url.rpartition(":")[2])
    assert ended.code == 2
    assert "cannot be used" in ended.err
