"""A deployment as a large organisation demands it: bounded roles, a private API, a network, hundreds of collections.

The emulator stores boundaries, endpoints and networks and enforces none of them.
"""

from pathlib import Path

import boto3
import httpx2
import pytest

from tests.support.doubles.titan_double import FORBIDDEN, GUARDRAIL, VERSION
from tests.support.infra.asking import COLLECTION, at, finished, patient_client, until_all_are
from tests.support.infra.compatible import CHAT, RESPONSES, outcomes
from tests.support.infra.deployment import deployed

CHOICES = {
    "permissions_boundary": "arn:aws:iam::000000000000:policy/boundary",
    "role_path": "/apps/selfrag/",
    "endpoint_type": "PRIVATE",
    "api_vpc_endpoint_ids": ["vpce-1"],
    "network": "all",
    "subnet_ids": ["subnet-1"],
    "security_group_ids": ["sg-1"],
    "guardrail": {"id": GUARDRAIL, "version": VERSION},
    "collections": [*(f"team-{number}" for number in range(299)), COLLECTION],
}
DOCUMENT = f"{COLLECTION}/sick-leave.md"
ASKED = {"question": "From which day of sickness is a doctor's note needed?", "filters": {"collections": [COLLECTION]}}


@pytest.mark.long
def test_a_private_deployment_within_bounds_answers_from_the_last_of_300_collections(tmp_path: Path) -> None:
    with deployed(tmp_path, **CHOICES) as deployment:
        stack = deployment.stack
        resources = stack.resources()
        functions = [each for address, each in resources.items() if address.startswith("aws_lambda_function.")]
        assert {str(each["vpc_config"][0]["subnet_ids"]) for each in functions} == {"['subnet-1']"}
        roles = [each for address, each in resources.items() if address.startswith("aws_iam_role.")]
        assert {(each["path"], each["permissions_boundary"]) for each in roles} == {
            (CHOICES["role_path"], CHOICES["permissions_boundary"])
        }
        assert stack.changes() == {}
        assert httpx2.get(stack.url("/v1/health")).json() == {"status": "ok"}
        text = "# Sick leave\n\nA doctor's note is needed from the fourth day of sickness.\n"
        boto3.client("s3", **at(stack)).put_object(Bucket=stack.outputs()["bucket"], Key=DOCUMENT, Body=text.encode())
        until_all_are(stack, {DOCUMENT: "ready"})
        with patient_client(stack) as api:
            started = api.post(stack.url("/v1/questions"), json={**ASKED, "policy": {"deadline_seconds": 240}})
            answer = finished(api, stack.url(started.headers["location"].removeprefix("/live")))
            refused = api.post(stack.url("/v1/ask"), json={**ASKED, "question": f"What is {FORBIDDEN}?"}).json()
        chats = outcomes(stack, f"What is {FORBIDDEN}?", "guardrail")
        assert chats == {CHAT: ("abstained", "content_filter"), RESPONSES: ("abstained", "completed")}
        assert answer["status"] == "answered", answer
        assert (refused["status"], refused["reflection"]["guarded"]) == ("abstained", "request"), refused
        assert set(deployment.titan.sources) == {"INPUT", "OUTPUT"}
        assert [citation["document"] for citation in answer["citations"]] == [DOCUMENT]
