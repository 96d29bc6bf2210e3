"""Secrets in Secrets Manager; settings only have their names."""

import math
import time
from collections.abc import Callable
from typing import Any

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import Misconfigured
from selfrag.ports.secrets import Secrets

# Shares a read among the clients of a task; a rotated key is used by the next question.
_FRESH_SECONDS = 5.0


def secrets_manager(client: Any, now: Callable[[], float] = time.monotonic) -> Secrets:
    """Return Secrets of Secrets Manager, by name or ARN; each is cached for seconds, unless it is read `anew`."""
    values: dict[str, tuple[float, str]] = {}

    def secret(name: str, setting: str, *, anew: bool = False) -> str:
        if not name:
            raise Misconfigured(f"{setting} must name the secret that holds the key")
        read_at, value = values.get(name, (-math.inf, ""))
        if anew or now() - read_at > _FRESH_SECONDS:
            with aws_faults(f"the secret {name}"):
                value = str(client.get_secret_value(SecretId=name).get("SecretString", "")).strip()
            values[name] = now(), value
        return value

    return secret
