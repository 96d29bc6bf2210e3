"""Secrets in Secrets Manager, named by settings and never a part of them."""

from aws_lambda_powertools.utilities.parameters import SecretsProvider
from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

from selfrag.adapters.faults import typed
from selfrag.domain.errors import Misconfigured


def secret(provider: SecretsProvider, name: str, setting: str, *, anew: bool = False) -> str:
    """The secret with this name or ARN, which the setting gives; raises selfrag's typed errors.

    What was read is believed for some seconds, unless it is to be read `anew`.
    """
    if not name:
        raise Misconfigured(f"{setting} must name the secret that holds the key")
    try:
        return str(provider.get(name, force_fetch=anew)).strip()
    except GetParameterError as error:
        # Powertools raises it while it handles boto's own error, which says more.
        raise typed(
            error.__context__ if isinstance(error.__context__, Exception) else error, f"the secret {name}"
        ) from None
