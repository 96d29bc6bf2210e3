"""The doctor: every check in its order, what it found, and what follows from all of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cli.doctor.account import limits, titan
from cli.doctor.account.subject import Account
from cli.doctor.findings import Check, Finding, Level, Subject, found_by
from cli.doctor.quotas import Quotas

Told = Callable[[str, Finding], None]

# The first tells whether anything else can be looked at.
ACCOUNT: tuple[Check[Account], ...] = (
    Check("who", "Who you are", ("sts:GetCallerIdentity",), limits.who),
    Check("concurrency", "Lambda's limit", ("lambda:GetAccountSettings",), limits.concurrency),
    Check("titan-quota", "The quota of Titan Text Embeddings V2", Quotas.ACTIONS, titan.pace),
    Check("titan-access", "Titan Text Embeddings V2", ("bedrock:InvokeModel",), titan.access),
)


@dataclass(frozen=True)
class Diagnosis:
    """All findings, each with the name of its check."""

    findings: Sequence[tuple[str, Finding]]

    @property
    def blocking(self) -> int:
        """How many of them block."""
        return sum(finding.level is Level.BLOCKS for _, finding in self.findings)

    @property
    def first_limit(self) -> tuple[str, Finding] | None:
        """The finding that allows the fewest questions a second."""
        limits = [each for each in self.findings if each[1].rate is not None]
        return min(limits, key=lambda each: each[1].rate or 0, default=None)


def examine(checks: Sequence[Check[Subject]], subject: Subject, tell: Told) -> Diagnosis:
    """Run the checks and tell of each finding as it comes; ends at the first check if that one blocks."""
    findings: list[tuple[str, Finding]] = []
    for check in checks:
        for finding in found_by(check, subject):
            findings.append((check.name, finding))
            tell(check.name, finding)
        if check is checks[0] and any(finding.level is Level.BLOCKS for _, finding in findings):
            break
    return Diagnosis(findings)
