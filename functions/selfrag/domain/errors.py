"""The errors of selfrag, as a tree.

SelfragError                  anything that selfrag raises on purpose
├── InvalidInput              the request is wrong: change it and ask again
│   └── BadDocument           a file cannot be used as a document: correct it and ingest again
├── Misconfigured             a setting, key or model name is wrong: the operator must act
├── RequestRejected           a service refused this one request: repeating it will not help
├── DeadlineExceeded          no time is left for another call
├── BudgetExceeded            the budget is too small for another call
├── Unreadable                an item in our own store has a wrong shape: mend the store
└── TemporarilyUnavailable    a service is overloaded, limiting or unreachable: try again

The workflow retries and catches by class name, so the names are an interface:
`TemporarilyUnavailable` is the one that the workflows retry. A step that asks the model retries by
itself and reports its retries in its result: States cannot honour a `retry-after`.
"""


class SelfragError(Exception):
    """Anything that selfrag raises on purpose; `hint` says what to do about it."""

    hint = "Look at the logs of the step that failed."
    # True if the service confirmed that it did not perform the request.
    refused = False


class InvalidInput(SelfragError):
    """The request is wrong; the message says where and how."""

    hint = "Change the request and ask again."


class BadDocument(InvalidInput):
    """A file cannot be used as a document; the message names it and says why."""

    hint = "Correct or remove the file and ingest again."


class Misconfigured(SelfragError):
    """A setting, key or model name is wrong, so that no request can succeed."""

    hint = "Check the key, the base URL, the model's name and the settings of the deployment."


class RequestRejected(SelfragError):
    """A service refused this request because of its content; repeating it will not help."""

    hint = "Ask a shorter or different question."


class DeadlineExceeded(SelfragError):
    """The time of this question is used up, so no further call was made."""

    hint = "Raise policy.deadline_seconds or ask asynchronously."


class BudgetExceeded(SelfragError):
    """The rest of this question's budget is too small for another call to the model, so none was made."""

    hint = "Raise policy.max_cost_usd, or leave it out."


class Unreadable(SelfragError):
    """A stored item of selfrag cannot be read; the caller is not to blame, and a retry will not help."""

    hint = "Ingest the documents again; another version may have written what is stored."


class TemporarilyUnavailable(SelfragError):
    """A service is overloaded, limits the rate or cannot be reached; a retry may succeed."""

    hint = "Try again in a minute; if it stays so, look at what is busy or cannot be reached."


# Advice by class name.
HINTS: dict[str, str] = {kind.__name__: kind.hint for kind in SelfragError.__subclasses__()}
