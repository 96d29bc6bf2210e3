"""Uses a generated client, `selfrag_client` in the current directory, and prints what came as which type.

    .venv-clients/bin/python tests/support/clients/generated.py URL

It imports nothing of selfrag, which is not installed there.
"""

import asyncio
import json
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))

from selfrag_client import AuthenticatedClient, Client
from selfrag_client.api.default import ask, give_feedback, health, list_documents, show_question, upload_document
from selfrag_client.models import (
    AnswerResponse,
    AskRequest,
    FeedbackRequest,
    Filters,
    Policy,
    UploadRequest,
)


def refusal(reply: Any) -> list[Any]:
    """Return the status, the class and the beginning of the sentence."""
    return [int(reply.status_code), type(reply.parsed).__name__, reply.parsed.detail.partition(":")[0]]


def told(url: str, key: str) -> dict[str, Any]:
    """Each thing that was asked, and what came."""
    client = AuthenticatedClient(url, token=key, prefix="", auth_header_name="x-api-key", timeout=60)
    patient = Policy(web_search=False, top_k=2)
    request = AskRequest("How much does the harbour crane lift?", policy=patient)
    answer = asyncio.run(ask.asyncio(client=client, body=request, idempotency_key="one"))
    client = AuthenticatedClient(url, token=key, prefix="", auth_header_name="x-api-key", timeout=60)
    kept = give_feedback.sync(answer.id, client=client, body=FeedbackRequest(useful=True))
    (document,) = list_documents.sync(client=client, limit=1).documents
    backwards = AskRequest("How much?", filters=Filters(since=date(2026, 2, 1), until=date(2026, 1, 1)))
    return {
        "answer": type(answer).__name__,
        "status": repr(answer.status).partition(":")[0].strip("<"),
        "support": repr(answer.reflection.support.level).partition(":")[0].strip("<"),
        "score": type(answer.reflection.utility.score).__name__,
        "span": type(answer.citations[0].answer_span).__name__,
        "page": answer.citations[0].page,
        "same again": show_question.sync(answer.id, client=client)
        == answer
        == AnswerResponse.from_dict(answer.to_dict()),
        "kept until": type(kept.expires_at).__name__ if kept.expires_at > datetime.now(UTC) else "",
        "updated": type(document.updated_at).__name__,
        "refused": refusal(ask.sync_detailed(client=client, body=backwards)),
        "unknown": refusal(show_question.sync_detailed("none", client=client)),
        "unread": refusal(upload_document.sync_detailed(client=client, body=UploadRequest(key="x", size=1))),
        "health": int(health.sync_detailed(client=Client(url)).status_code),
    }


if __name__ == "__main__":
    print(json.dumps(told(*sys.argv[1:])))
