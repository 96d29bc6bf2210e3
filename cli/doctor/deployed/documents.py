"""A document in, and out again, over the API and the bucket's events."""

from collections.abc import Iterator

from cli.doctor.deployed.api import body_of, said
from cli.doctor.deployed.subject import MEDIA_TYPE, PATIENCE_SECONDS, Deployment
from cli.doctor.findings import Finding, blocks, fine

FAILED = "failed"


def put_in(deployment: Deployment) -> Iterator[Finding]:
    """Upload the document by a form of the API and wait until it is ready."""
    visit, api = deployment.visit, deployment.api
    size = len(visit.text.encode())
    given = api.post("/v1/documents", {"key": visit.key, "size": size})
    if given.status_code != 201:
        yield blocks(f"The API gave no form to upload {visit.key}: {said(given)}", "Look at the logs of `ask`.")
        return
    visit.id = given.json()["id"]
    sent = api.upload(given.json()["upload"], visit.key.rpartition("/")[2], visit.text, MEDIA_TYPE)
    if not sent.is_success:
        yield blocks(f"The bucket refused {visit.key}: status {sent.status_code}.", "Look at the role of `ask`.")
        return
    visit.is_readable = sent.headers.get("access-control-allow-origin") in ("*", api.origin)

    def status() -> tuple[str, str] | None:
        body = body_of(api.get(f"/v1/documents/{visit.id}"))
        return (body["status"], body["reason"]) if body.get("status") in ("ready", FAILED) else None

    found, seconds = deployment.waited(status)
    if found is None:
        yield blocks(
            f"{visit.key} was not ready after {PATIENCE_SECONDS} s.",
            "Look at the executions of the ingestion's machine, and at the queue of events that were not delivered.",
        )
    elif found[0] == FAILED:
        yield blocks(f"{visit.key} failed: {found[1]}", "Look at the execution of the ingestion's machine.")
    else:
        visit.is_ready = True
        yield fine(f"A document was ready {seconds:.0f} s after its upload.")


def take_out(deployment: Deployment) -> Iterator[Finding]:
    """Delete the document over the API and wait until the manifest says that it is removed."""
    visit, api = deployment.visit, deployment.api
    if not visit.is_ready:
        return
    deleted = api.delete(f"/v1/documents/{visit.id}")
    if deleted.status_code != 202:
        yield blocks(f"The API did not delete {visit.key}: {said(deleted)}", "Look at the logs of `ask`.")
        return
    # The API shows no document that was removed.
    found, seconds = deployment.waited(
        lambda: True if api.get(f"/v1/documents/{visit.id}").status_code == 404 else None
    )
    if found is None:
        yield blocks(
            f"{visit.key} was not removed after {PATIENCE_SECONDS} s.",
            "Look at the executions of the ingestion's machine.",
        )
        return
    visit.id = ""
    yield fine(f"The document was removed {seconds:.0f} s after it was deleted.")
