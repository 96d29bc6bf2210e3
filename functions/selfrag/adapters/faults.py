"""Errors of AWS services as selfrag's errors: one table, by code and then by status.

The code decides before the status: DynamoDB, Step Functions and Bedrock reply 400 to many errors that are not the
request's fault.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
)
from pydantic import ValidationError

from selfrag.domain.errors import (
    BadDocument,
    InvalidInput,
    Misconfigured,
    RequestRejected,
    SelfragError,
    TemporarilyUnavailable,
    Unreadable,
)
from selfrag.domain.validation import wrong_fields

_UNUSABLE = (NoCredentialsError, NoRegionError, PartialCredentialsError)
_TOO_LARGE = {"InvalidExecutionInput"}
# Textract, for a file that it cannot read.
_NO_DOCUMENT = {"BadDocumentException", "DocumentTooLargeException", "UnsupportedDocumentException"}
_BUSY = {
    "ExecutionLimitExceeded",
    # Textract: the most jobs are running.
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestTimeout",
    "ServiceQuotaExceededException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
    "TransactionInProgressException",
}
_REFUSED = {
    "AccessDenied",
    "AccessDeniedException",
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidAccessKeyId",
    "InvalidArn",
    "InvalidKMSKeyException",
    # Textract reads an object as its caller: it is missing, in another region, or not readable.
    "InvalidS3ObjectException",
    "InvalidSignatureException",
    "NoSuchBucket",
    "ResourceNotFoundException",
    "SignatureDoesNotMatch",
    "StateMachineDoesNotExist",
    "UnrecognizedClientException",
}


@contextmanager
def aws_faults(service: str) -> Iterator[None]:
    """Turn boto's errors in the block into selfrag's errors, which name the service as `service` does."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        fault = to_typed(error, service)
        fault.refused = isinstance(error, ClientError) and 400 <= _status_of(error) < 500
        # Not `from error`: the service's message may repeat a question or a passage.
        raise fault from None


def to_typed(error: Exception, service: str) -> SelfragError:
    """Return selfrag's error for an error of boto."""
    if isinstance(error, _UNUSABLE):
        return Misconfigured(f"{service} cannot be called: {type(error).__name__}")
    if not isinstance(error, ClientError):
        return TemporarilyUnavailable(f"{service} cannot be reached, or did not reply in time: {type(error).__name__}")
    code, status = code_of(error), _status_of(error)
    if code in _NO_DOCUMENT:
        return BadDocument(f"{service} cannot read them ({code})")
    if code in _TOO_LARGE:
        return InvalidInput(f"The request is too large for {service}.")
    if code in _REFUSED or (code not in _BUSY and status in (401, 403, 404)):
        return Misconfigured(f"{service} refused the access or is not there: {code}, status {status}")
    if code in _BUSY or status in (408, 409, 424, 429) or status >= 500:
        return TemporarilyUnavailable(f"{service} is busy: {code}, status {status}")
    return RequestRejected(f"{service} refused the request: {code}, status {status}")


def _status_of(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500))


def code_of(error: Exception) -> str:
    """Return the code of an error of boto, "" if it has none."""
    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""


@contextmanager
def unreadable_faults(store: str) -> Iterator[None]:
    """Turn a ValidationError on stored values into Unreadable, with the names of the wrong fields."""
    try:
        yield
    except ValidationError as error:
        raise Unreadable(f"{store} holds what this version cannot read: {wrong_fields(error)}") from None
