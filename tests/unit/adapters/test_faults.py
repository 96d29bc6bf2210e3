"""The classification of service errors: who must act, and whether a retry can help."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError

from selfrag.adapters.clients import make_client
from selfrag.adapters.items import part_of, record_of
from selfrag.adapters.manifest import DynamoManifest
from selfrag.adapters.objects import S3Objects
from selfrag.adapters.opensearch.search import OpenSearchPassages
from selfrag.adapters.secrets import secrets_manager
from selfrag.adapters.titan import TitanEmbedder
from selfrag.domain.errors import (
    InvalidInput,
    Misconfigured,
    RequestRejected,
    SelfragError,
    TemporarilyUnavailable,
    Unreadable,
)
from selfrag.domain.passages import Bounds

TEXT = "the salary of Mallory is 4,711"


def refused(code: str, status: int = 400) -> ClientError:
    """Return an error as boto3 raises it; most services use 400 also for errors that are not the caller's."""
    response: Any = {"Error": {"Code": code, "Message": TEXT}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "Operation")


class Broken:
    """A client of which every operation raises."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __getattr__(self, operation: str) -> Any:
        def call(**request: Any) -> Any:
            raise self.error

        return call


CALLS: dict[str, Any] = {
    "the manifest, read": lambda client: DynamoManifest(client, "t").read("d"),
    "the manifest, claimed": lambda client: DynamoManifest(client, "t").claim("d", "c/a.md", "c", "one"),
    "a bucket, looked at": lambda client: S3Objects(client, "work").head("b", "c/a.md"),
    "a bucket, written to": lambda client: S3Objects(client, "work").put_json("k", {}),
    "the embedder": lambda client: TitanEmbedder(client, 512).query(TEXT),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (refused("AccessDeniedException"), Misconfigured),
        (refused("AccessDenied", 403), Misconfigured),
        (refused("ResourceNotFoundException"), Misconfigured),
        (refused("ExpiredTokenException"), Misconfigured),
        (NoCredentialsError(), Misconfigured),
        (refused("ThrottlingException"), TemporarilyUnavailable),
        (refused("ProvisionedThroughputExceededException"), TemporarilyUnavailable),
        (refused("InternalServerError", 500), TemporarilyUnavailable),
        (EndpointConnectionError(endpoint_url="x"), TemporarilyUnavailable),
        (refused("ValidationException"), RequestRejected),
    ],
    ids=str,
)
def test_an_error_of_aws_means_the_same_whichever_service_says_it(
    call: str, error: Exception, kind: type[SelfragError]
) -> None:
    with pytest.raises(SelfragError) as raised:
        CALLS[call](Broken(error))
    assert type(raised.value) is kind
    assert TEXT not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error", [TypeError("a fault of ours"), KeyError("a fault of ours")], ids=repr)
def test_a_fault_of_ours_is_no_busy_service_and_keeps_its_traceback(call: str, error: Exception) -> None:
    with pytest.raises(type(error), match="a fault of ours") as raised:
        CALLS[call](Broken(error))
    assert raised.value is error


@pytest.mark.parametrize("error", [TypeError("a fault of ours"), KeyError("a fault of ours")], ids=repr)
def test_bug_in_a_search_is_not_reported_as_an_unreachable_index(error: Exception) -> None:
    index = OpenSearchPassages(Broken(error), "passages", 1)  # type: ignore[arg-type]
    with pytest.raises(type(error), match="a fault of ours"):
        index.search("leave", [1.0], 4, Bounds(["c"]))


def index_of(source: dict[str, Any]) -> OpenSearchPassages:
    """Return an index that finds this document for every query."""
    reply = {"_shards": {"failed": 0}, "hits": {"hits": [{"_id": "1", "_score": 1.0, "_source": source}]}}
    client: Any = SimpleNamespace(msearch=lambda **request: {"responses": [reply, reply]})
    return OpenSearchPassages(client, "passages", 1)


def test_unreadable_passage_is_not_a_caller_error_or_busy_index() -> None:
    passage = {"passage_id": "p", "document": "c/a.md", "collection": "c", "text": TEXT}
    assert index_of(passage).search("leave", [1.0], 4, Bounds(["c"])).by_text[0][0].passage_id == "p"
    for wrong in ({"tags": "hr"}, {"page": "three"}, {"colour": "red"}):
        with pytest.raises(Unreadable, match=f"the passage index holds .*{next(iter(wrong))}") as raised:
            index_of({**passage, **wrong}).search("leave", [1.0], 4, Bounds(["c"]))
        assert not isinstance(raised.value, InvalidInput | TemporarilyUnavailable)
        assert TEXT not in str(raised.value)


def test_a_record_that_another_version_wrote_is_named_and_not_tried_again() -> None:
    item = {"id": {"S": "d"}, "part": {"S": "document"}, "status": {"S": "sleeping"}, "passages": {"N": "3"}}
    with pytest.raises(Unreadable, match="the manifest holds what this version cannot read: status"):
        record_of(item)
    with pytest.raises(Unreadable, match="the manifest"):
        part_of({"id": {"S": "d"}, "part": {"S": "g#one"}, "passage_ids": {"L": []}, "ids": {"M": {}}})


def test_denied_secret_is_misconfigured_and_busy_secret_store_is_temporary() -> None:
    for error, kind in ((refused("AccessDeniedException"), Misconfigured), (refused("ThrottlingException"), None)):
        with pytest.raises(kind or TemporarilyUnavailable, match="the secret model-key"):
            secrets_manager(Broken(error))("model-key", "SELFRAG_MODEL_SECRET")
    with pytest.raises(Misconfigured, match="SELFRAG_MODEL_SECRET must name"):
        secrets_manager(Broken(error))("", "SELFRAG_MODEL_SECRET")


def test_reading_secret_without_region_raises_misconfigured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    with pytest.raises(Misconfigured, match="NoRegionError"):
        secrets_manager(make_client("secrets"))
