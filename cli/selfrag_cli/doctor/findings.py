"""Checks and findings: a sentence with advice."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

import httpx2
from botocore.exceptions import BotoCoreError, ClientError

from selfrag.domain.errors import SelfragError

Subject = TypeVar("Subject")
REFUSALS = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "403", "Forbidden"}


Severity = Literal["fine", "look", "unknown", "blocks"]


@dataclass(frozen=True)
class Finding:
    """A sentence and advice."""

    level: Severity
    says: str
    do: str = ""


# Check functions by name; each runs regardless of the others' results.
Checks = Mapping[str, Sequence[Callable[[Subject], Iterable[Finding]]]]


# No action needed; limited or with a cost; not checkable; would fail or not answer.
fine = partial(Finding, "fine")
warning = partial(Finding, "look")
unknown = partial(Finding, "unknown")
blocks = partial(Finding, "blocks")


def examine(
    checks: Checks[Subject], subject: Subject, report: Callable[[str, Finding], None]
) -> list[tuple[str, Finding]]:
    """Run the checks and report findings as they come; stop if the first check blocks.

    Returns all findings with their check's name.
    """
    findings: list[tuple[str, Finding]] = []
    for name, runs in checks.items():
        for finding in (finding for run in runs for finding in _results(name, run, subject)):
            findings.append((name, finding))
            report(name, finding)
        if name == next(iter(checks)) and any(finding.level == "blocks" for _, finding in findings):
            break
    return findings


def _results(name: str, run: Callable[[Subject], Iterable[Finding]], subject: Subject) -> Iterator[Finding]:
    """Run a function and yield its findings; refused and unreachable services become findings, too."""
    says = f"The check of {name} broke off"
    try:
        yield from run(subject)
    except ClientError as error:
        reply = error.response["Error"]
        is_refused = reply["Code"] in REFUSALS
        do = "Allow your credentials this call, or look yourself." if is_refused else "Try again later."
        yield unknown(f"{says}: {error.operation_name} was refused ({reply['Code']}): {reply['Message']}", do)
    except (BotoCoreError, httpx2.HTTPError, httpx2.InvalidURL) as error:
        yield unknown(f"{says}: {type(error).__name__}.", "Try again later.")
    except SelfragError as error:
        yield unknown(f"{says}: {error}", error.hint)
