"""A deployment is asked so that whatever is asked once more is answered and paid once."""

import json
from collections.abc import Callable, Iterator

import pytest
from werkzeug.wrappers import Request, Response

from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest, Policy
from selfrag_cli.deployment.remote import retry_after
from selfrag_cli.lab.runs.asking import asking_endpoint
from tests.support.loopback import Loopback
from tests.unit.cli.lab.conftest import response

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


def test_a_response_of_another_release_is_read_without_the_fields_that_are_new(
    deployed: Callable[..., tuple[Deployment, str]],
) -> None:
    deployment, url = deployed(200)
    deployment.body |= {"new": 1, "usage": {**deployment.body["usage"], "new": 1}}
    assert asking_endpoint(url, "key")(ASKED, "run.default.q.0").usage.rounds == 2


def test_a_question_to_a_deployment_has_its_policy_and_a_key_against_asking_twice(
    deployed: Callable[..., tuple[Deployment, str]],
) -> None:
    deployment, url = deployed(200)
    assert asking_endpoint(url, "key")(ASKED, "run.default.q.0").status == "answered"
    assert deployment.heard == [("run.default.q.0", {"question": "How long?", "policy": {"top_k": 2, "cache": False}})]


@pytest.mark.parametrize("status", [202, 409, 429, 503])
def test_what_is_at_work_or_refused_for_a_while_is_worth_another_try(
    deployed: Callable[..., tuple[Deployment, str]], status: int
) -> None:
    _, url = deployed(status)
    with pytest.raises(TemporarilyUnavailable) as refused:
        asking_endpoint(url, "key")(ASKED, "run.default.q.0")
    assert retry_after(refused.value) == (0 if status == 202 else 7)


def test_a_policy_that_the_deployment_refuses_is_told_in_its_words(
    deployed: Callable[..., tuple[Deployment, str]],
) -> None:
    _, url = deployed(400)
    with pytest.raises(InvalidInput, match=r"It is 400\. Wait\."):
        asking_endpoint(url, "key")(ASKED, "run.default.q.0")
