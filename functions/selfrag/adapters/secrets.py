"""Secrets in Secrets Manager; settings only have their names."""

from typing import Any

from aws_lambda_powertools.utilities.parameters import SecretsProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from selfrag.adapters.faults import to_typed
from selfrag.domain.errors import Misconfigured
from selfrag.ports.secrets import Secrets


def secrets_manager(client: Any) -> Secrets:
    """Return Secrets of Secrets Manager, by name or ARN; each is cached for seconds, unless it is read `anew`."""
    provider = SecretsProvider(boto3_client=client)

    def secret(name: str, setting: str, *, anew: bool = False) -> str:
        if not name:
            raise Misconfigured(f"{setting} must name the secret that holds the key")
        try:
            return str(provider.get(name, force_fetch=anew)).strip()
        except GetParameterError as error:
            # Powertools raises it while it handles boto's own error, which says more.
            cause = error.__context__ if isinstance(error.__context__, Exception) else error
            raise to_typed(cause, f"the secret {name}") from None

    return secret
