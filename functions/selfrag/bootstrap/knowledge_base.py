"""The optional knowledge base that replaces the collection."""

from typing import TYPE_CHECKING

from pydantic import Field

from selfrag import bootstrap
from selfrag.runtime.parts import part
from selfrag.runtime.settings import FromEnvironment, read

if TYPE_CHECKING:
    from selfrag.ports.embedder import Embedder
    from selfrag.ports.index import PassageIndex


class KnowledgeBaseSettings(FromEnvironment):
    """The id or ARN of a Bedrock knowledge base (empty for none), its collection, and its user.

    Without a collection, each document names its own.
    """

    knowledge_base_id: str = Field(default="", pattern=r"^([0-9a-zA-Z]{10}|arn:aws[a-z-]*:bedrock:.+)?$")
    knowledge_base_collection: str = ""
    knowledge_base_user_id: str = ""


@part("knowledge_base")
def knowledge_base() -> "PassageIndex | None":
    """Connect to the knowledge base; None without one."""
    config = read(KnowledgeBaseSettings)
    if not config.knowledge_base_id:
        return None
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.knowledge_base import KnowledgeBase

    return KnowledgeBase(
        make_client("knowledge_base"),
        config.knowledge_base_id,
        config.knowledge_base_collection,
        config.knowledge_base_user_id,
    )


def search_parts() -> "tuple[PassageIndex, Embedder | None]":
    """Return the index and its query embedder; a knowledge base embeds queries itself."""
    base = knowledge_base()
    return (base, None) if base else (bootstrap.index(), bootstrap.embedder())
