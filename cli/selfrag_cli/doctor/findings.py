"""Checks and their findings: a sentence, and what to do about it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TypeVar

import httpx2
from botocore.exceptions import BotoCoreError, ClientError

from selfrag.domain.errors import SelfragError

Subject = TypeVar("Subject")
REFUSALS = {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "403", "Forbidden"}


class Severity(StrEnum):
    """The weight of a finding."""

    FINE = "fine"
    LOOK = "look"
    UNKNOWN = "unknown"
    BLOCKS = "blocks"


@dataclass(frozen=True)
class Finding:
    """One sentence, and what to do."""

    level: Severity
    says: str
    do: str = ""


# The functions of each check, by its name. Each runs, whatever becomes of those before it.
Checks = Mapping[str, Sequence[Callable[[Subject], Iterable[Finding]]]]


# Needs nothing done; works within a limit or at a price; could not be looked at; would fail or answer nothing.
fine = partial(Finding, Severity.FINE)
look = partial(Finding, Severity.LOOK)
unknown = partial(Finding, Severity.UNKNOWN)
blocks = partial(Finding, Severity.BLOCKS)


def examine(
    checks: Checks[Subject], subject: Subject, report: Callable[[str, Finding], None]
) -> list[tuple[str, Finding]]:
    """Run the checks and report each finding as it comes; ends at the first check if that one blocks.

    Returns all findings, each with the name of its check.
    """
    findings: list[tuple[str, Finding]] = []
    for name, runs in checks.items():
        for finding in (finding for run in runs for finding in _results(name, run, subject)):
            findings.append((name, finding))
            report(name, finding)
        if name == next(iter(checks)) and any(finding.level is Severity.BLOCKS for _, finding in findings):
            break
    return findings


def _results(name: str, run: Callable[[Subject], Iterable[Finding]], subject: Subject) -> Iterator[Finding]:
    """Run a function and yield its findings; a refused or unreachable service is a finding, too."""
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
