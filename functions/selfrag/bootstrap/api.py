"""Parts of the HTTP API, besides the manifest."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from selfrag.runtime.parts import part
from selfrag.runtime.settings import ApiSettings, CallerSettings, RelaySettings, read

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.idempotency import BasePersistenceLayer

    from selfrag.ports.bindings import Bindings
    from selfrag.ports.executions import Executions
    from selfrag.ports.feedback import FeedbackBook
    from selfrag.ports.objects import Uploads


@part("api_settings")
def api_settings() -> ApiSettings:
    """Read the settings of the API: its machines and its tables."""
    return read(ApiSettings)


@part("executions")
def executions() -> "Executions":
    """Make the access to the state machines and the table of answers."""
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.executions import StatesExecutions

    return StatesExecutions(make_client("states"), requests_client(), api_settings())


@part("requests_client")
def requests_client() -> Any:
    """Make boto3's client of the API's tables."""
    from selfrag.adapters.clients import make_client

    return make_client("requests")


@part("idempotency")
def idempotency() -> "Callable[[], BasePersistenceLayer]":
    """Return a factory of the store of idempotency keys: threads must not share one of Powertools'."""
    from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer

    return partial(DynamoDBPersistenceLayer, table_name=api_settings().requests_table, boto3_client=requests_client())


@part("bindings")
def bindings() -> "Bindings":
    """Make the table of callers."""
    from selfrag.adapters.bindings import DynamoBindings

    return DynamoBindings(requests_client(), read(CallerSettings).callers_table)


@part("functions")
def functions() -> Callable[[str, Mapping[str, Any]], Any]:
    """Return what invokes the deployment's functions, by which agents are answered."""
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.functions import invoke

    return partial(invoke, make_client("functions"))


@part("ask_function")
def ask_function() -> "Callable[[Mapping[str, object]], Any]":
    """Return what invokes the API's function, and waits as long as that may run."""
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.functions import invoke

    return partial(invoke, make_client("relay"), read(RelaySettings).ask_function)


@part("feedback")
def feedback() -> "FeedbackBook":
    """Make the table of feedback."""
    from selfrag.adapters.feedback import DynamoFeedback

    return DynamoFeedback(requests_client(), api_settings().feedback_table)


@part("uploads")
def uploads() -> "Uploads":
    """Make the access to the bucket of documents, for uploads and deletions."""
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.objects import S3Uploads

    return S3Uploads(make_client("uploads"), api_settings().documents_bucket)
