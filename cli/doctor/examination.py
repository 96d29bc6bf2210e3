"""The doctor: every check in its order, what it found, and what follows from all of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cli.doctor.account import claude, collection, gateway, hosting, limits, machines, names, recognition, titan
from cli.doctor.account.subject import Account
from cli.doctor.deployed import documents, evaluation, generator, page, parts, permissions, questions, reindexing
from cli.doctor.deployed.subject import Deployment
from cli.doctor.findings import Check, Finding, Level, Subject, found_by
from cli.doctor.quotas import Quotas

Told = Callable[[str, Finding], None]

# The first tells whether anything else can be looked at.
ACCOUNT: tuple[Check[Account], ...] = (
    Check("who", "Who you are", ("sts:GetCallerIdentity",), limits.who),
    Check("concurrency", "Lambda's limit", ("lambda:GetAccountSettings",), limits.concurrency),
    Check("titan-quota", "The quota of Titan Text Embeddings V2", Quotas.ACTIONS, titan.pace),
    Check("titan-access", "Titan Text Embeddings V2", ("bedrock:InvokeModel",), titan.access),
    Check("claude-quota", "The quota of Claude", Quotas.ACTIONS, claude.pace),
    Check("claude-access", "Claude on Bedrock", ("bedrock:InvokeModel",), claude.access),
    Check("machine-limits", "The limits of Step Functions", Quotas.ACTIONS, machines.limits),
    Check("express", "The synchronous start", ("states:StartSyncExecution",), machines.synchronous),
    Check("collection-units", "The limits of OpenSearch Serverless", ("aoss:GetAccountSettings",), collection.units),
    Check("textract", "Amazon Textract", ("textract:GetDocumentTextDetection",), recognition.there),
    Check("generator-quota", "SageMaker's quota", Quotas.ACTIONS, hosting.quota),
    Check("api-logs", "API Gateway's logging role", ("apigateway:GET",), gateway.logging_role),
    Check("api-throttle", "What the API lets in", (), gateway.throttle),
    Check("roles", "Names of roles", ("iam:ListRoles",), names.taken("roles", names.roles)),
    Check("buckets", "Names of buckets", ("s3:ListBucket",), names.taken("buckets", names.buckets)),
    Check("secrets", "Names of secrets", ("secretsmanager:DescribeSecret",), names.secrets),
    Check("machines", "Names of machines", ("states:ListStateMachines",), names.taken("machines", names.machines)),
    Check("tables", "Names of tables", ("dynamodb:ListTables",), names.taken("tables", names.tables)),
    Check("logs", "Names of log groups", ("logs:DescribeLogGroups",), names.taken("log groups", names.log_groups)),
    Check(
        "collection",
        "The collection's name",
        ("aoss:BatchGetCollection",),
        names.taken("collections", names.collections),
    ),
)

_MACHINE = ("states:StartExecution", "states:DescribeExecution")
DEPLOYED: tuple[Check[Deployment], ...] = (
    Check("who", "Who you are", ("sts:GetCallerIdentity",), lambda deployment: limits.who(deployment.account)),
    Check("secret-values", "The secrets", ("secretsmanager:DescribeSecret",), parts.secrets),
    Check("functions", "The functions", ("lambda:GetFunctionConfiguration",), parts.functions),
    Check(
        "permissions",
        "What each role may do",
        ("iam:SimulatePrincipalPolicy", "states:DescribeStateMachine", "secretsmanager:DescribeSecret"),
        permissions.simulated,
    ),
    Check(
        "data-access",
        "The collection's data access policy",
        ("aoss:GetAccessPolicy", "secretsmanager:DescribeSecret"),
        permissions.data_access,
    ),
    Check(
        "generator-endpoint",
        "The endpoint of the fine-tuned model",
        ("sagemaker:DescribeEndpoint", "sagemaker:DescribeInferenceComponent"),
        generator.in_service,
    ),
    Check("generator-server", "The server of the fine-tuned model", ("sagemaker:InvokeEndpoint",), generator.server),
    Check("document-in", "A document", ("apigateway:GET", "s3:DeleteObject"), documents.put_in),
    Check("page", "The page", (), page.opened),
    Check("methods", "The methods of the API", (), page.methods),
    Check("open-throttle", "The limits of what needs no key", (), page.throttle),
    Check("question", "A question", (), questions.found),
    Check("msearch", "The search by vector", (), questions.by_vector),
    Check("question-again", "The same question", (), questions.warm),
    Check("question-later", "A question for later", (), questions.later),
    Check("console-link", "The link to the console", (), questions.console),
    Check("generator-question", "A question to the fine-tuned model", (), questions.by_the_model),
    Check("evaluation", "An evaluation", (*_MACHINE, "s3:PutObject", "s3:GetObject"), evaluation.asked_once),
    Check("document-out", "The document's removal", (), documents.take_out),
    Check("empty-prefix", "A reindexing of nothing", _MACHINE, reindexing.over_nothing),
    Check(
        "redrive",
        "A redrive",
        (*_MACHINE, "states:StopExecution", "states:RedriveExecution"),
        reindexing.redriven,
    ),
    Check("overload", "A question too many", ("lambda:GetFunctionConcurrency",), parts.overload),
    Check("undelivered", "The queue of events", ("sqs:GetQueueUrl", "sqs:GetQueueAttributes"), parts.undelivered),
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
