"""All checks of the doctor, in their order. A new one is a function that yields findings, and a line here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cli.doctor import (
    key,
    limits,
    machine_version,
    models,
    names,
    permissions,
    release,
    services,
    trial,
)
from cli.doctor.account import Account
from cli.doctor.deployment import Deployment
from cli.doctor.findings import Check, Finding, Level, Subject, found_by
from cli.doctor.quotas import Quotas

# The first says whether anything else can be looked at.
ACCOUNT: tuple[Check[Account], ...] = (
    Check("who", "Who you are", ("sts:GetCallerIdentity",), (limits.who,)),
    Check("concurrency", "Lambda's limit", ("lambda:GetAccountSettings",), (limits.concurrency,)),
    Check("quotas", "Service Quotas", Quotas.ACTIONS, (limits.embeddings, limits.claude)),
    Check("models", "A model", ("bedrock:InvokeModel",), (models.embedding, models.claude)),
    Check(
        "region",
        "A service of the region",
        ("states:StartSyncExecution", "aoss:GetAccountSettings", "textract:GetDocumentTextDetection"),
        (services.synchronous, services.collections, services.textract, services.collector),
    ),
    Check("alarms", "The reader of alarms", (), (services.alarms,)),
    Check("key", "The key's policy", ("kms:GetKeyPolicy",), (key.policy,)),
    Check(
        "machine-version",
        "A machine's version",
        (
            "iam:CreateRole",
            "iam:DeleteRole",
            "iam:PassRole",
            "states:CreateStateMachine",
            "states:DeleteStateMachine",
            "states:PublishStateMachineVersion",
            "states:StartSyncExecution",
        ),
        (machine_version.version,),
    ),
    Check("api-logs", "API Gateway's logging role", ("apigateway:GET",), (services.logging_role,)),
    Check(
        "names",
        "A kind of names",
        ("iam:ListRoles", "s3:ListBucket", "secretsmanager:DescribeSecret", "logs:DescribeLogGroups"),
        (names.roles, names.buckets, names.secrets, names.log_groups),
    ),
)
DEPLOYED: tuple[Check[Deployment], ...] = (
    Check("who", "Who you are", ("sts:GetCallerIdentity",), (lambda deployment: limits.who(deployment.account),)),
    Check("secrets", "The secrets", ("secretsmanager:DescribeSecret",), (release.secrets,)),
    Check(
        "release",
        "The live release",
        ("lambda:GetAlias", "lambda:ListVersionsByFunction", "states:DescribeStateMachineAlias"),
        (release.release,),
    ),
    Check(
        "permissions",
        "The rights of the roles",
        (
            "iam:SimulatePrincipalPolicy",
            "states:DescribeStateMachine",
            "secretsmanager:DescribeSecret",
            "aoss:GetAccessPolicy",
            "bedrock:GetInferenceProfile",
        ),
        (permissions.simulated, permissions.data_access),
    ),
    Check("upload", "A document", ("apigateway:GET", "s3:DeleteObject"), (trial.upload,)),
    Check("question", "A question", (), (trial.question,)),
    Check("removal", "The document's removal", (), (trial.removal,)),
)


@dataclass(frozen=True)
class Diagnosis:
    """All findings, each with the name of its check."""

    findings: Sequence[tuple[str, Finding]]

    @property
    def blocking(self) -> int:
        """Return the number of findings that block."""
        return sum(finding.level is Level.BLOCKS for _, finding in self.findings)

    @property
    def first_limit(self) -> tuple[str, Finding] | None:
        """Return the finding that allows the fewest questions a second."""
        limited = [each for each in self.findings if each[1].rate is not None]
        return min(limited, key=lambda each: each[1].rate or 0, default=None)


def examine(checks: Sequence[Check[Subject]], subject: Subject, report: Callable[[str, Finding], None]) -> Diagnosis:
    """Run the checks and report each finding as it comes; ends at the first check if that one blocks."""
    findings: list[tuple[str, Finding]] = []
    for check in checks:
        for finding in found_by(check, subject):
            findings.append((check.name, finding))
            report(check.name, finding)
        if check is checks[0] and any(finding.level is Level.BLOCKS for _, finding in findings):
            break
    return Diagnosis(findings)
