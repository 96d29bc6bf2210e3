"""Keys from Secrets Manager: read once for a task, and soon again after a rotation."""

from itertools import count
from types import SimpleNamespace

import pytest

from selfrag.adapters.secrets import secrets_manager
from selfrag.domain.errors import Misconfigured


def test_rotated_key_is_read_within_seconds_and_at_once_if_refused() -> None:
    numbers, seconds = count(1), [0.0]
    client = SimpleNamespace(get_secret_value=lambda SecretId: {"SecretString": f"{SecretId}-{next(numbers)}\n"})
    secret = secrets_manager(client, lambda: seconds[0])
    assert [secret("key", "SETTING"), secret("key", "SETTING")] == ["key-1", "key-1"]
    assert secret("key", "SETTING", anew=True) == "key-2"
    seconds[0] = 6.0
    assert secret("key", "SETTING") == "key-3"
    with pytest.raises(Misconfigured, match="SETTING must name the secret"):
        secret("", "SETTING")
