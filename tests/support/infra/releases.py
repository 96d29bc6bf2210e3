"""A release that changes what steps hand each other comes and goes while questions are asked and documents loaded."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.command import Command, Ended
from tests.support.infra.emulator import Stack
from tests.support.infra.sources import FIRST, SECOND, change, packages_of
from tests.support.infra.traffic import QUESTIONS, Traffic, traffic

QUESTION, LATE = QUESTIONS[0], "documents/late.md"
# At least so many while a release comes or goes.
QUESTIONS_ASKED, DOCUMENTS_LOADED = 8, 3
# The resources of a release; the others do not depend on it.
RELEASE = ("aws_lambda_alias.ask", "aws_sfn_alias.machine")


def a_release_comes_and_goes(stack: Stack, sources: Path, directory: Path) -> str:
    """Deploy other sources, go back and return to them; returns what came in the meantime."""
    selfrag = command(directory, stack)
    alone = Traffic(stack)
    assert release_of(alone.ask(QUESTION)) == FIRST

    change(sources, stack.directory)
    packages_of(sources, stack.packages)
    deployed = changed_over(stack, lambda: stack.apply(*RELEASE), SECOND)
    back = changed_over(stack, lambda: went_back(selfrag("rollback", "--region", "us-east-1")), FIRST)
    refused = selfrag("rollback", "--region", "us-east-1")
    assert (refused.code, "there is none before it to go back to" in refused.err) == (2, True)

    stack.apply(*RELEASE)
    assert release_of(alone.ask(QUESTION)) == SECOND, "terraform makes the newest release live again"
    return f"a release deployed while {deployed}; gone back from while {back}: none failed or mixed"


def changed_over(stack: Stack, change: Callable[[], None], release: str) -> str:
    """Change over to a release while questions are asked and documents loaded; returns how many."""
    with traffic(stack, questions=QUESTIONS_ASKED, documents=DOCUMENTS_LOADED) as coming:
        coming.ask(QUESTION)
        change()
        assert release_of(coming.ask(QUESTION)) == release
        assert ready(coming.load(LATE, f"# Late\n\nLoaded {release}.\n"))
    asked = Counter(release_of(response) for response in coming.responses)
    assert set(asked) == {FIRST, SECOND}, "before and after"
    assert [ended for ended in coming.ingested if not ready(ended)] == []
    assert (asked.total() >= QUESTIONS_ASKED, len(coming.ingested) >= DOCUMENTS_LOADED) == (True, True)
    shared = " and ".join(f"{count} {each}" for each, count in sorted(asked.items()))
    return f"{asked.total()} questions ({shared}) and {len(coming.ingested)} documents came"


def went_back(ended: Ended) -> None:
    """Check the command's message after a rollback."""
    assert ended.code == 0, ended.err
    assert "Release 1 is live; it was release 2." in ended.out


def command(directory: Path, stack: Stack) -> Callable[..., Ended]:
    """Return the command as an operator runs it."""
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_ENDPOINT_URL": stack.aws}
    return Command(directory, tuple(keys.items()))


def ready(execution: dict[str, Any]) -> bool:
    """Return whether a document was ingested."""
    return execution["status"] == "SUCCEEDED" and json.loads(execution["output"])["status"] == "ready"


def release_of(response: dict[str, Any]) -> str:
    """Return the one release that made every step of an answer."""
    assert response["status"] == "answered", response
    [release] = {warning for warning in response["usage"]["warnings"] if warning in (FIRST, SECOND)}
    return release
