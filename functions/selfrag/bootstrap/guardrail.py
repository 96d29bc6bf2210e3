"""The optional guardrail."""

from typing import TYPE_CHECKING

from pydantic import Field

from selfrag.runtime.parts import part
from selfrag.runtime.settings import FromEnvironment, read

if TYPE_CHECKING:
    from selfrag.ports.guardrail import Guardrail


class GuardrailSettings(FromEnvironment):
    """The id (or the ARN) of a guardrail of Bedrock, empty for none, and its version."""

    guardrail_id: str = ""
    guardrail_version: str = Field(default="DRAFT", pattern=r"^(DRAFT|[1-9]\d{0,7})$")


@part("guardrail")
def guardrail() -> "Guardrail | None":
    """Make the check of requests and answers; None without one."""
    config = read(GuardrailSettings)
    if not config.guardrail_id:
        return None
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.guardrail import BedrockGuardrail

    return BedrockGuardrail(make_client("guardrail"), config.guardrail_id, config.guardrail_version)
