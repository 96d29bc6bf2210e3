"""All checks of the doctor, in their order. A new one is a function that yields findings, and a line here."""

from selfrag_cli.doctor import deployer, deployment, knowledge_base, models, names, quotas, region
from selfrag_cli.doctor.account import Account, identity
from selfrag_cli.doctor.deployment import Deployment
from selfrag_cli.doctor.findings import Check

# The first says whether anything else can be looked at.
ACCOUNT: tuple[Check[Account], ...] = (
    Check("identity", "Your identity", ("sts:GetCallerIdentity",), (identity,)),
    Check("permissions", "Your permissions", ("iam:SimulatePrincipalPolicy", "iam:GetRole"), (deployer.permissions,)),
    Check("concurrency", "Lambda's limit", ("lambda:GetAccountSettings",), (quotas.concurrency,)),
    Check("quotas", "Service Quotas", quotas.ACTIONS, (quotas.embeddings, quotas.claude)),
    Check("models", "A model", ("bedrock:InvokeModel",), (models.embedding, models.claude, models.decider)),
    Check("guardrail", "The guardrail", ("bedrock:ApplyGuardrail",), (models.guardrail,)),
    Check("knowledge-base", "The knowledge base", ("bedrock:Retrieve",), (knowledge_base.knowledge_base,)),
    Check(
        "region",
        "A service of the region",
        ("states:StartSyncExecution", "aoss:GetAccountSettings", "textract:GetDocumentTextDetection"),
        (region.synchronous, region.collections, region.textract),
    ),
    Check("api-logs", "API Gateway's logging role", ("apigateway:GET",), (region.logging_role,)),
    Check(
        "names",
        "A kind of names",
        ("iam:GetRole", "s3:ListBucket", "secretsmanager:DescribeSecret", "logs:DescribeLogGroups"),
        (names.roles, names.buckets, names.secrets, names.log_groups),
    ),
)
DEPLOYED: tuple[Check[Deployment], ...] = (
    Check("identity", "Your identity", ("sts:GetCallerIdentity",), (lambda deployed: identity(deployed.account),)),
    Check("health", "The health", ("apigateway:GET",), (deployment.health,)),
    Check("upload", "A document", ("apigateway:GET", "s3:DeleteObject"), (deployment.upload,)),
    Check("scan", "A scanned page", ("s3:DeleteObject",), (deployment.scan,)),
    Check("question", "A question", (), (deployment.question,)),
    Check("metrics", "The metrics of executions", ("cloudwatch:ListMetrics",), (deployment.metrics,)),
)
