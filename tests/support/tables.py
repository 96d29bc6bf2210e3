"""Tables of DynamoDB as they are deployed, for adapters that are tried alone."""

from typing import Any


def make_verdicts_table(client: Any, name: str = "verdicts") -> Any:
    """Return the client, with a table for verdicts."""
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "key", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    return client
