"""The queue of the intake in DynamoDB: its requests are valid, and have the effects that the tests assume."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from selfrag_cli.local.runner.failures import Failure
from tests.support.doubles.item_tables import ItemTables
from tests.support.ingestion_model import IngestionModel
from tests.support.intake import BEGIN, TABLE, Intake, deleted, uploaded


class ComparedTables(ItemTables):
    """Tables in memory whose every reply is compared with a table of DynamoDB's."""

    def __init__(self) -> None:
        super().__init__()
        self.compared = self.refused = 0
        self._client = boto3.client("dynamodb")
        self._client.create_table(
            TableName=TABLE,
            KeySchema=[{"AttributeName": "queue", "KeyType": "HASH"}, {"AttributeName": "key", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("queue", "key", "turn")],
            BillingMode="PAY_PER_REQUEST",
            LocalSecondaryIndexes=[
                {
                    "IndexName": "by_turn",
                    "KeySchema": [
                        {"AttributeName": "queue", "KeyType": "HASH"},
                        {"AttributeName": "turn", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
        )

    def update(self, arguments: Any) -> Any:
        return self._both(super().update, self._client.update_item, arguments, "Attributes")

    def delete(self, arguments: Any) -> Any:
        return self._both(super().delete, self._client.delete_item, arguments, "Attributes")

    def query(self, arguments: Any) -> Any:
        return self._both(super().query, self._client.query, arguments, "Items")

    def _both(self, here: Callable[[Any], Any], there: Callable[..., Any], arguments: Any, part: str) -> Any:
        self.compared += 1
        try:
            reply: Any = there(**arguments).get(part)
        except ClientError as error:
            reply = f"DynamoDB.{error.response['Error']['Code']}"
        try:
            result, seen = here(arguments), ""
        except Failure as failure:
            result, seen = failure, failure.error
        assert reply == (seen or result.get(part))
        if seen:
            self.refused += 1
            raise result
        return result


@pytest.fixture
def tables() -> Iterator[ComparedTables]:
    with mock_aws():
        yield ComparedTables()


def test_dynamodb_table_behaves_like_intake_fake(tables: ComparedTables) -> None:
    chance = random.Random(1)
    model = IngestionModel(chance, faulty=0.2)
    intake = Intake(model.ingest, {"uploads": 2}, chance=chance, tables=tables)
    model.clock = intake.clock
    for number in range(30):
        key = f"{chance.choice(['a', 'ü', 'a-b'])}/{chance.randrange(8)}.md"
        model.bucket[key] = number
        event = deleted(key) if chance.random() < 0.2 else uploaded(key)
        intake.send(event, chance.random() * 60)
    intake.clock.after(0, lambda: intake.tick(900, BEGIN + 2 * 3600))
    intake.clock.run()
    assert tables.compared > 200
    assert tables.refused > 3
