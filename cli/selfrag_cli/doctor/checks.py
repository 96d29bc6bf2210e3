"""All checks of the doctor in order. To add one, write a function that yields findings and list it here."""

from selfrag_cli.doctor import deployed, models, names, quotas, region
from selfrag_cli.doctor.account import Account, identity
from selfrag_cli.doctor.deployed import Deployment
from selfrag_cli.doctor.findings import Checks
from selfrag_cli.doctor.permissions import permissions

# The first is a prerequisite of the others.
FREE: Checks[Account] = {
    "identity": (identity,),
    "permissions": (permissions,),
    "concurrency": (quotas.concurrency,),
    "quotas": (quotas.embeddings, quotas.claude),
    "region": (region.check_express, region.collections, region.textract),
    "api-logs": (region.logging_role,),
    "names": (names.roles, names.buckets, names.secrets, names.log_groups, names.collection),
}
ACCOUNT: Checks[Account] = {**FREE, "models": (models.embedding, models.claude, models.decider)}
DEPLOYED: Checks[Deployment] = {
    "identity": (lambda deployment: identity(deployment.account),),
    "page": (deployed.page,),
    "health": (deployed.health,),
    "index": (deployed.indexed,),
    "upload": (deployed.upload,),
    "question": (deployed.question,),
}
