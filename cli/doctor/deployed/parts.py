"""Whether the parts of the deployment are ready: secrets, functions, and the queue of what was not delivered."""

from collections.abc import Iterator

from cli.doctor.account.names import functions as deployed_functions
from cli.doctor.deployed.subject import Deployment
from cli.doctor.findings import Finding, blocks, fine, look

CURRENT = "AWSCURRENT"


def secrets(deployment: Deployment) -> Iterator[Finding]:
    """Whether each secret has a value; none is read."""
    client = deployment.account.client("secretsmanager")
    for name in deployment.choices.secrets:
        stages = client.describe_secret(SecretId=name).get("VersionIdsToStages", {})
        if any(CURRENT in of_version for of_version in stages.values()):
            yield fine(f"The secret {name} has a value.")
        else:
            yield blocks(
                f"The secret {name} has no value.",
                f"Set it: terraform output secret_commands prints the command for {name.rpartition('/')[2]}.",
            )


def functions(deployment: Deployment) -> Iterator[Finding]:
    """Whether each function can be called."""
    client, waiting = deployment.account.client("lambda"), []
    for name in deployed_functions():
        found = client.get_function_configuration(FunctionName=f"{deployment.name}-{name}")
        if found.get("State", "Active") not in ("Active", "Inactive"):
            waiting.append(f"{name} is {found['State']}: {found.get('StateReason', 'no reason is given')}")
        elif found.get("LastUpdateStatus", "Successful") != "Successful":
            waiting.append(f"the last update of {name} is {found['LastUpdateStatus']}")
    if waiting:
        yield blocks(
            f"Not every function can be called: {'; '.join(waiting)}.", "Wait a minute, or `make deploy` again."
        )
    else:
        yield fine("Every function can be called.")


def undelivered(deployment: Deployment) -> Iterator[Finding]:
    """Whether events of the bucket wait that started nothing."""
    client = deployment.account.client("sqs")
    url = client.get_queue_url(QueueName=f"{deployment.name}-undelivered")["QueueUrl"]
    wanted = "ApproximateNumberOfMessages"
    count = int(client.get_queue_attributes(QueueUrl=url, AttributeNames=[wanted])["Attributes"][wanted])
    if count:
        yield look(
            f"{count} objects came or went without an execution that was started for them.",
            "The alarm `undelivered` says what to do.",
        )
    else:
        yield fine("Every event of the bucket has started an execution.")


def overload(deployment: Deployment) -> Iterator[Finding]:
    """How to try what happens when `ask` has no free copy; only a person may, for it refuses everyone's questions."""
    function = f"--region {deployment.account.region} --function-name {deployment.name}-ask"
    found = deployment.account.client("lambda").get_function_concurrency(FunctionName=f"{deployment.name}-ask")
    copies = found.get("ReservedConcurrentExecutions")
    undo = "delete-function-concurrency" if copies is None else "put-function-concurrency"
    as_before = "" if copies is None else f" --reserved-concurrent-executions {copies}"
    yield look(
        "A question for which `ask` has no free copy should be refused with 429; that is for you to try, for meanwhile "
        "all questions are.",
        f"Run `aws lambda put-function-concurrency {function} --reserved-concurrent-executions 0`, ask, and then "
        f"`aws lambda {undo} {function}{as_before}`.",
    )
