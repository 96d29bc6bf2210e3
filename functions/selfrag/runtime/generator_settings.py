"""The settings of the fine-tuned model's server, which most deployments leave empty."""

from typing import Annotated

from pydantic import AfterValidator, Field

from selfrag.domain.scores.vocabulary import IDS
from selfrag.runtime.settings import FromEnvironment

# The paper's published model.
SELFRAG_MODEL = "selfrag/selfrag_llama2_7b"


def _token_ids(overrides: dict[str, int]) -> dict[str, int]:
    """Return all tokens with their ids; raises ValueError for an unknown token, and for a shared id."""
    if unknown := sorted(overrides.keys() - IDS.keys()):
        raise ValueError(f"no such token: {', '.join(unknown)}; the tokens are {', '.join(IDS)}")
    ids = {**IDS, **overrides}
    if len(set(ids.values())) < len(ids):
        raise ValueError("two tokens have the same id")
    return ids


class GeneratorSettings(FromEnvironment):
    """The place of the fine-tuned Self-RAG model: a vLLM server by URL.

    `generator_secret` names the server's API key, "" if it needs none. `generator_model` is the name that the model is
    served under, and `generator_token_ids` are the ids of its tokens that differ from those of the 7B model.
    """

    generator_url: str = ""
    generator_secret: str = ""
    generator_model: str = ""
    generator_timeout_seconds: float = Field(default=20.0, gt=0)
    generator_token_ids: Annotated[dict[str, int], AfterValidator(_token_ids)] = Field(
        default={}, validate_default=True
    )

    @property
    def configured(self) -> bool:
        """Return whether there is a server."""
        return bool(self.generator_url)

    @property
    def generator_name(self) -> str:
        """Return the model's name in requests and reports."""
        return self.generator_model or SELFRAG_MODEL
