"""The deployment that is looked at, and the document by which it is tried."""

import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from types import TracebackType
from typing import Any, Self

from botocore.exceptions import BotoCoreError, ClientError

from cli.doctor.account.subject import Account
from cli.doctor.deployed.api import Api
from cli.doctor.outputs import Outputs

# A write to the collection may take a minute to be seen; a cold ingestion some more.
PATIENCE_SECONDS, PAUSE_SECONDS = 300, 3
MEDIA_TYPE = "text/markdown"


@dataclass
class Visit:
    """A document with a name of its own and something that only it says."""

    word: str
    key: str
    number: str = field(default_factory=lambda: str(uuid.uuid4().int)[:6])
    id: str = ""
    is_ready: bool = False
    # Whether the bucket lets the API's own page read what it answers.
    is_readable: bool = False

    @property
    def text(self) -> str:
        """What the document says."""
        phrase = f'The pass phrase of the doctor\'s visit {self.word} is "heliotrope {self.number}".'
        return f"# Visit {self.word}\n\n{phrase}\n"

    @property
    def question(self) -> str:
        """What only this document answers."""
        return f"What is the pass phrase of the doctor's visit {self.word}?"


class Deployment:
    """A deployment: the account that it is in, terraform's outputs, and its API.

    As a context manager it takes its document away again, however the visit ends. `pause` and `clock` are in seconds.
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
        # What the first answer said; later checks look at it.
        self.answer: dict[str, Any] = {}

    @property
    def has_key(self) -> bool:
        """Whether the API asks for keys, and not for signatures."""
        return bool(self._key or self.outputs.get("api_key_command"))

    @cached_property
    def api(self) -> Api:
        """The API, with the key that was given, or else the one that the output `api_key_command` fetches."""
        key, command = self._key, self.outputs.get("api_key_command")
        if not key and command:
            found = self.account.client("apigateway").get_api_key(apiKey=command.split()[-1], includeValue=True)
            key = str(found["value"])
        return Api(self._endpoint, key, self.account.credentials, self.account.region)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Remove the document if it is still there; what cannot be removed now has a name that says whose it is."""
        if self.visit.id:
            with suppress(BotoCoreError, ClientError):
                self.account.client("s3").delete_object(Bucket=self.outputs["bucket"], Key=self.visit.key)

    def waited(self, look: Callable[[], Any], pause: float = PAUSE_SECONDS) -> tuple[Any, float]:
        """What `look`, asked every `pause` seconds, gives as soon as it is something, and when; None if it never is."""
        began = self.clock()
        while (found := look()) is None and self.clock() - began < PATIENCE_SECONDS:
            self.pause(pause)
        return found, self.clock() - began
