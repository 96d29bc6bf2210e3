"""A plugin of pytest: DynamoDB Local keeps the tables in moto's place, and each new moto finds none there.

AWS_ENDPOINT_URL_DYNAMODB=http://127.0.0.1:PORT pytest -p tests.support.engines.tables
"""

from typing import Any
from unittest.mock import patch

import boto3
import pytest
from moto.core.models import MockAWS

_begin = MockAWS.start
_removed: list[str] = []


def _begun(self: MockAWS, *arguments: Any, **named: Any) -> None:
    _begin(self, *arguments, **named)
    if MockAWS._nested_count == 1:
        client = boto3.client("dynamodb")
        for name in client.list_tables()["TableNames"]:
            client.delete_table(TableName=name)
            _removed.append(name)


@pytest.fixture(autouse=True, scope="session")
def no_table_of_the_test_before() -> Any:
    """The engine has one set of tables for all."""
    with patch.object(MockAWS, "start", _begun):
        yield
    assert _removed, "all tables were moto's own"
