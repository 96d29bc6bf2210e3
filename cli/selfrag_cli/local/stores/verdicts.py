"""The verdict cache in the home."""

import time

from typing_extensions import override

from selfrag.ports.cache import VerdictCache
from selfrag.runtime.settings import Settings, read
from selfrag_cli.local.runner.tasks import item_of, values_of
from selfrag_cli.local.stores.tables import VERDICTS, Items


class LocalVerdicts(VerdictCache):
    """Verdicts by key, with the expiry of the settings."""

    def __init__(self, items: Items) -> None:
        self._items, self._seconds = items, read(Settings).verdict_ttl_days * 86_400

    @override
    def get(self, key: str) -> str | None:
        item = self._items.get(VERDICTS, key)
        return str(values_of(item)["verdict"]) if item else None

    @override
    def put(self, key: str, verdict: str) -> None:
        ends = int(time.time()) + self._seconds
        self._items.put(VERDICTS, item_of({"key": key, "verdict": verdict, "expires_at": ends}))
