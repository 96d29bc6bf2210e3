"""A deployment, and the document by which it is tried."""

import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Any, Self

from botocore.exceptions import BotoCoreError, ClientError

from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.api import Api
from selfrag_cli.doctor.choices import Outputs

# A write to the collection may take a minute to become visible; a cold ingestion some more.
PATIENCE_SECONDS, PAUSE_SECONDS = 300, 3


@dataclass
class Visit:
    """A document with a name of its own and a number that no other document has."""

    word: str
    key: str
    number: str = field(default_factory=lambda: str(uuid.uuid4().int)[:6])
    id: str = ""
    is_ready: bool = False

    @property
    def text(self) -> str:
        """Return the document's text."""
        phrase = f'The pass phrase of the doctor\'s visit {self.word} is "heliotrope {self.number}".'
        return f"# Visit {self.word}\n\n{phrase}\n"

    @property
    def question(self) -> str:
        """Return a question that only this document answers."""
        return f"What is the pass phrase of the doctor's visit {self.word}?"


class Deployment:
    """A deployment: its account, terraform's outputs, and its API.

    As a context manager it removes its document, however the visit ends. `pause` and `clock` are in seconds.
    """

    def __init__(
        self,
        account: Account,
        outputs: Outputs,
        endpoint: str = "",
        key: str = "",
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.account, self.outputs = account, outputs
        self.choices, self.name = account.choices, account.choices.name
        self._endpoint, self._key = endpoint or outputs["endpoint"], key
        self.pause, self.clock = pause, clock
        word = uuid.uuid4().hex[:8]
        self.visit = Visit(word, f"{self.choices.collections[0]}/selfrag-doctor-{word}.md")

    @property
    def has_key(self) -> bool:
        """Return whether the API takes keys, and not signatures."""
        return bool(self._key or self.outputs.get("api_key_command"))

    @cached_property
    def api(self) -> Api:
        """Return the API with the given key, or else the one that the output `api_key_command` fetches."""
        key, command = self._key, self.outputs.get("api_key_command")
        if not key and command:
            found = self.account.client("apigateway").get_api_key(apiKey=command.split()[-1], includeValue=True)
            key = str(found["value"])
        return Api(self._endpoint, key, self.account.credentials, self.account.region)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Remove the document if it is still there; a document that stays has a name that says where it is from."""
        if self.visit.id:
            with suppress(BotoCoreError, ClientError):
                self.account.client("s3").delete_object(Bucket=self.outputs["bucket"], Key=self.visit.key)

    def poll_until(self, look: Callable[[], Any], pause: float = PAUSE_SECONDS) -> tuple[Any, float]:
        """Return the first result of `look` that is not None and the elapsed seconds; None on timeout."""
        began = self.clock()
        while (found := look()) is None and self.clock() - began < PATIENCE_SECONDS:
            self.pause(pause)
        return found, self.clock() - began
