"""Feedback of a deployment, as an operator reads its table."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from selfrag.adapters.feedback import DynamoFeedback
from selfrag.domain.errors import InvalidInput, Unreadable
from selfrag_cli.feedback.reading import dynamodb_in, feedback_of_deployment, read_feedback
from tests.support.aws.resources import FEEDBACK_TABLE, make
from tests.unit.cli.feedback.test_gold import said

LATER = 99_999_999_999


@pytest.fixture
def dynamodb() -> Iterator[Any]:
    with mock_aws():
        make()
        yield boto3.client("dynamodb")


def test_everything_that_is_kept_is_read_page_by_page_and_nothing_that_has_ended(dynamodb: Any) -> None:
    book = DynamoFeedback(dynamodb, FEEDBACK_TABLE)
    # A page of a scan ends at a megabyte.
    given = [said(f"{n}?", question_id=str(n), answer="x" * 4000, answered="y" * 60_000, expires_at=LATER)
             for n in range(40)]  # fmt: skip
    for feedback in given:
        book.keep(feedback, "somebody")
    book.keep(said("Ended?", question_id="ended", expires_at=1), "somebody")
    read = feedback_of_deployment(dynamodb, "selfrag")
    assert sorted(read, key=lambda each: int(each.question_id)) == given


def test_of_the_deployment_that_is_named_the_feedback_of_one_collection_can_be_read(dynamodb: Any) -> None:
    book = DynamoFeedback(dynamodb, FEEDBACK_TABLE)
    wanted = said("Wanted?", question_id="1", expires_at=LATER)
    for feedback in (wanted, said("Other?", question_id="2", collections=["d"], expires_at=LATER)):
        book.keep(feedback, "somebody")
    assert read_feedback("selfrag", "us-east-1", "c") == [wanted]
    assert len(read_feedback("selfrag", "us-east-1")) == 2


def test_whoever_gave_feedback_is_not_told_by_the_table(dynamodb: Any) -> None:
    DynamoFeedback(dynamodb, FEEDBACK_TABLE).keep(said(), "arn:aws:iam::123456789012:user/Alice")
    assert "Alice" not in str(dynamodb.scan(TableName=FEEDBACK_TABLE)["Items"])


def test_a_deployment_that_is_not_there_is_told_with_what_to_name(dynamodb: Any) -> None:
    with pytest.raises(InvalidInput, match="no deployment called other in us-east-1"):
        feedback_of_deployment(dynamodb, "other")


def test_an_item_that_cannot_be_read_is_told_and_not_left_out(dynamodb: Any) -> None:
    dynamodb.put_item(TableName=FEEDBACK_TABLE, Item={"id": {"S": "q/x"}})
    with pytest.raises(Unreadable, match="the table of feedback"):
        feedback_of_deployment(dynamodb, "selfrag")


def test_without_a_region_the_option_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "none")
    with pytest.raises(InvalidInput, match="--region"):
        dynamodb_in(None)
