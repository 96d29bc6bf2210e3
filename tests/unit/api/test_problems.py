"""The conversion of selfrag's errors to problems of the API."""

from http import HTTPStatus

import pytest

from selfrag.api.edge.problems import as_problem
from selfrag.domain.errors import Misconfigured, SelfragError, Unreadable


@pytest.mark.parametrize("kind", [Misconfigured, Unreadable])
def test_operator_errors_are_logged_and_do_not_suggest_a_retry(kind: type[SelfragError]) -> None:
    problem = as_problem(kind("the secret arn:aws:secretsmanager:key"))
    assert (problem.status, problem.headers) == (HTTPStatus.INTERNAL_SERVER_ERROR, {})
    assert "arn:" not in problem.detail + problem.hint
    assert "operator" in problem.hint
    assert "again" not in problem.hint
