"""The evaluation's machine: a question from a file, and the same file once more."""

import json
from collections.abc import Iterator
from typing import Any

from cli.doctor.deployed.executions import ended, started
from cli.doctor.deployed.subject import Deployment
from cli.doctor.findings import Finding, blocks, fine

# The question needs no document and costs little.
ITEM = {
    "id": "doctor",
    "variant": "doctor",
    "question_id": "doctor",
    "question": "What is 2 + 2?",
    "policy": {"web_search": False},
}


def asked_once(deployment: Deployment) -> Iterator[Finding]:
    """Two executions of one run, of which the second has to find what the first has paid for."""
    run = f"doctor-{deployment.visit.word}"
    bucket = str(deployment.outputs["bucket"]).replace("-documents-", "-work-")
    s3 = deployment.account.client("s3")
    s3.put_object(Bucket=bucket, Key=f"evaluations/{run}/questions.jsonl", Body=f"{json.dumps(ITEM)}\n".encode())
    first, seconds = _counted(deployment, run)
    again, _ = _counted(deployment, run)
    kept = s3.get_object(Bucket=bucket, Key=f"evaluations/{run}/results/{ITEM['id']}.json")["Body"].read()
    read = json.loads(kept)
    if first == again == (1, 0) and isinstance(read, dict) and read["response"]["id"] == f"{run}-{ITEM['id']}-0":
        yield fine(f"An evaluation asked a question in {seconds:.0f} s, and found its answer when it ran again.")
        return
    yield blocks(
        f"An evaluation of one question counted (asked, failed) {first}, then {again}, and kept {str(read)[:60]}.",
        "Open the machine in the console, and use --endpoint in place of --machine until it is mended.",
    )


def _counted(deployment: Deployment, run: str) -> tuple[tuple[Any, Any], float]:
    """How many questions an execution asked, and how many of them failed; None for one that did not end well."""
    found, seconds = ended(deployment, started(deployment, "evaluation", {"run": run}))
    output = json.loads(found.get("output") or "{}")
    return (output.get("asked"), output.get("failed")), seconds
