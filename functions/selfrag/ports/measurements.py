"""Measured precision of a grader, in the verdict cache under a key of what judges: another judge has another key."""

from collections.abc import Callable
from threading import Lock

from pydantic import BaseModel, ValidationError

from selfrag.domain.errors import SelfragError
from selfrag.domain.verdicts import Precision
from selfrag.ports.cache import VerdictCache, verdict_key
from selfrag.ports.grading import Grader

# Time in which a measurement is not read again, in seconds.
FRESH_SECONDS = 60.0


def measurement_key(grader: Grader, shape: type[BaseModel]) -> str:
    """Return the key of a grader's measurement, by its prompt, its model and the judges that are asked before."""
    first = {"first": grader.identity}
    return f"precision#{verdict_key(grader.claude, grader.step, grader.prompt, shape, first)}"


class Measurements:
    """The measurements in a verdict cache, each read once a minute; one that cannot be read is left out.

    `cache` makes the cache, `now` returns seconds, and `on_failure` receives each error of the cache.
    """

    def __init__(
        self, cache: Callable[[], VerdictCache], now: Callable[[], float], on_failure: Callable[[SelfragError], None]
    ) -> None:
        self._cache, self._now, self._on_failure = cache, now, on_failure
        self._precisions: dict[str, tuple[float, Precision | None]] = {}
        self._reading = Lock()

    def precision(self, key: str) -> Precision | None:
        """Return the precision under this key, or None if none was measured."""
        with self._reading:
            read_at, precision = self._precisions.get(key, (float("-inf"), None))
            if self._now() - read_at > FRESH_SECONDS:
                precision = self._read(key)
                self._precisions[key] = (self._now(), precision)
        return precision

    def _read(self, key: str) -> Precision | None:
        try:
            text = self._cache().get(key)
            return None if text is None else Precision.model_validate_json(text, extra="ignore")
        except SelfragError as error:
            self._on_failure(error)
        except ValidationError:
            pass  # another version wrote it
        return None
