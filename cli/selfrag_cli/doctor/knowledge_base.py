"""The knowledge base that questions search: one search of it, by the code of the functions."""

from collections.abc import Iterator

from selfrag.adapters.knowledge_base import KnowledgeBase
from selfrag.domain.errors import SelfragError
from selfrag.domain.passages import Bounds
from selfrag_cli.doctor.account import Account
from selfrag_cli.doctor.findings import Finding, blocks, fine, look
from selfrag_cli.models.probe import QUESTION


def knowledge_base(account: Account) -> Iterator[Finding]:
    """Search the knowledge base for a passage that can be cited, in the deployment's collections."""
    choice = account.choices.knowledge_base
    if choice is None:
        return
    client = account.client("bedrock-agent-runtime")
    base = KnowledgeBase(client, choice.id, choice.collection or "", choice.user_id or "")
    collections = [choice.collection] if choice.collection else account.choices.collections
    try:
        candidates = base.search(QUESTION, None, 1, Bounds(collections))
    except SelfragError as error:
        yield blocks(
            f"The knowledge base {choice.id} cannot be searched in {account.region}: {error}.",
            "Name a knowledge base of this region in `knowledge_base`; your credentials need its permission.",
        )
        return
    if candidates.by_vector:
        yield fine(f"The knowledge base {choice.id} finds passages that can be cited.")
    else:
        yield look(
            f"The knowledge base {choice.id} finds nothing to cite in: {', '.join(collections)}.",
            "Sync its data source, and give each document the attribute `collection`, or name the one collection.",
        )
