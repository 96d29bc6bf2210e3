"""Checks and their findings: a sentence, and what to do about it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from selfrag.adapters.faults import code_of
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
    """One sentence, what to do, and how many questions a second it allows (None if it limits none)."""

    level: Severity
    says: str
    do: str = ""
    rate: float | None = None


@dataclass(frozen=True)
class Check(Generic[Subject]):
    """Functions under one name; `looks_at` begins the sentence of a failure, `actions` are IAM's of the caller.

    Each function runs, whatever becomes of those before it.
    """

    name: str
    looks_at: str
    actions: tuple[str, ...]
    runs: tuple[Callable[[Subject], Iterable[Finding]], ...]


@dataclass(frozen=True)
class Diagnosis:
    """All findings, each with the name of its check."""

    findings: Sequence[tuple[str, Finding]]

    @property
    def blocking(self) -> int:
        """Return the number of findings that block."""
        return sum(finding.level is Severity.BLOCKS for _, finding in self.findings)

    @property
    def first_limit(self) -> tuple[str, Finding] | None:
        """Return the finding that allows the fewest questions a second."""
        limited = [each for each in self.findings if each[1].rate is not None]
        return min(limited, key=lambda each: each[1].rate or 0, default=None)


def fine(says: str, rate: float | None = None) -> Finding:
    """Return a finding that needs nothing done."""
    return Finding(Severity.FINE, says, rate=rate)


def look(says: str, do: str, rate: float | None = None) -> Finding:
    """Return a finding of something that works within a limit or at a price."""
    return Finding(Severity.LOOK, says, do, rate)


def unknown(says: str, do: str = "") -> Finding:
    """Return a finding of something that the doctor could not look at."""
    return Finding(Severity.UNKNOWN, says, do)


def blocks(says: str, do: str) -> Finding:
    """Return a finding by which a deployment would fail, or would answer nothing."""
    return Finding(Severity.BLOCKS, says, do)


def examine(checks: Sequence[Check[Subject]], subject: Subject, report: Callable[[str, Finding], None]) -> Diagnosis:
    """Run the checks and report each finding as it comes; ends at the first check if that one blocks."""
    findings: list[tuple[str, Finding]] = []
    for check in checks:
        for finding in results_of(check, subject):
            findings.append((check.name, finding))
            report(check.name, finding)
        if check is checks[0] and any(finding.level is Severity.BLOCKS for _, finding in findings):
            break
    return Diagnosis(findings)


def results_of(check: Check[Subject], subject: Subject) -> Iterator[Finding]:
    """Run a check and yield its findings; a refused or unreachable service is a finding, too."""
    for run in check.runs:
        try:
            yield from run(subject)
        except ClientError as error:
            yield _refused(check, error)
        except BotoCoreError as error:
            yield unknown(f"{check.looks_at} could not be looked at: {type(error).__name__}.", "Try again later.")
        except SelfragError as error:
            yield unknown(f"{check.looks_at} could not be looked at: {error}", error.hint)


def _refused(check: Check[Subject], error: ClientError) -> Finding:
    code, operation = code_of(error), error.operation_name
    says = f"{check.looks_at} could not be looked at: {operation} was refused ({code})."
    if code in REFUSALS:
        return unknown(says, f"Allow your credentials {', '.join(check.actions)}, or look yourself.")
    return unknown(says, "Try again later, or look for it in the console.")
