"""A plugin of pytest: DynamoDB Local keeps the tables in moto's place, and each new moto finds none there.

AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:PORT pytest -p tests.support.engines.tables
"""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import boto3
import pytest
from moto.core.models import MockAWS

_begin = MockAWS.start
_seen: list[str] = []


def _begun(self: MockAWS, *arguments: Any, **named: Any) -> None:
    _begin(self, *arguments, **named)
    if MockAWS._nested_count == 1:
        _remove_tables()


def _remove_tables() -> None:
    # The engine has the same tables under any key.
    client = boto3.client("dynamodb", aws_access_key_id="anyone", aws_secret_access_key="any")
    for name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)
        _seen.append(name)


@pytest.fixture(autouse=True, scope="module")
def the_engine_keeps_the_tables() -> Iterator[None]:
    """Fail a module that makes no table in the engine: it would be tested with moto's own."""
    _seen.clear()
    with patch.object(MockAWS, "start", _begun):
        yield
    _remove_tables()
    assert _seen, "all tables were moto's own"
