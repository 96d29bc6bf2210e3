"""Amazon Textract, where text recognition is switched on: whether the region has it."""

from collections.abc import Iterator

from botocore.exceptions import ClientError, EndpointConnectionError

from cli.doctor.account.subject import Account
from cli.doctor.findings import Finding, blocks, fine
from selfrag.adapters.faults import code_of

# No job has this id, so the question costs nothing; a region that has the service says so.
_NO_JOB = "0" * 64
_THERE = {"InvalidJobIdException", "InvalidParameterException", "ValidationException"}


def there(account: Account) -> Iterator[Finding]:
    """Whether Textract answers in the region: it reads objects of its own region only."""
    if not account.choices.text_recognition:
        return
    try:
        account.client("textract").get_document_text_detection(JobId=_NO_JOB)
    except EndpointConnectionError:
        yield blocks(
            f"Amazon Textract does not answer in {account.region}, so scanned documents would not be read.",
            "Choose another `region`, or leave `text_recognition` out.",
        )
        return
    except ClientError as error:
        if code_of(error) not in _THERE:
            raise
    yield fine(f"Amazon Textract answers in {account.region}: pages that show pictures are recognised, and paid each.")
