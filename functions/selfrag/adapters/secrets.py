"""Secrets in Secrets Manager; settings only have their names."""

from typing import Any

from selfrag.adapters.faults import aws_faults
from selfrag.domain.errors import Misconfigured
from selfrag.ports.secrets import Secrets


def secrets_manager(client: Any) -> Secrets:
    """Return Secrets of Secrets Manager, by name or ARN; each is read once, and again where it is read `anew`."""
    values: dict[str, str] = {}

    def secret(name: str, setting: str, *, anew: bool = False) -> str:
        if not name:
            raise Misconfigured(f"{setting} must name the secret that holds the key")
        if anew or name not in values:
            with aws_faults(f"the secret {name}"):
                values[name] = str(client.get_secret_value(SecretId=name).get("SecretString", "")).strip()
        return values[name]

    return secret
