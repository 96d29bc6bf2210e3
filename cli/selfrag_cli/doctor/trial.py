"""A document in, questions about it, and the document out again, over the API and the bucket's events."""

from collections.abc import Iterator
from typing import Any

from selfrag_cli.doctor.api import body_of, said
from selfrag_cli.doctor.deployment import PATIENCE_SECONDS, Deployment
from selfrag_cli.doctor.findings import Finding, blocks, fine, look, unknown

RUNNING, FAILED = "running", "failed"
BY_WORDS_ALONE = "full text alone"
# Until the collection shows the document, more tries for an answer would cost more than the answer.
POLICY = {"web_search": False, "max_rewrites": 0}
SECONDS_BETWEEN_QUESTIONS = 15
# A cold question should leave some of the 25 s that POST /v1/ask has.
SLOW_SECONDS = 20
MORE_MEMORY = "Look at the slowest steps on the dashboard, and give them more `memory`."
# The reply to a question that is still at work when the gateway's time is over.
ACCEPTED = 202
# What S3 says of a file whose address was used before.
PRECONDITION_FAILED = 412


def upload(deployment: Deployment) -> Iterator[Finding]:
    """Upload the document to an address of the API, as its page would, and wait until it is ready."""
    visit, api = deployment.visit, deployment.api
    given = api.post("/v1/documents", {"key": visit.key, "size": len(visit.text.encode())})
    if given.status_code != 201:
        yield blocks(f"The API gave no address to upload {visit.key}: {said(given)}", "Look at the logs of `ask`.")
        return
    visit.id = given.json()["id"]
    target = given.json()["upload"]
    sent = api.upload(target, visit.text)
    if not sent.is_success:
        yield blocks(f"The bucket refused {visit.key}: status {sent.status_code}.", "Look at the role of `ask`.")
        return
    again = api.upload(target, visit.text)
    if again.status_code != PRECONDITION_FAILED:
        yield look(
            f"The bucket took {visit.key} a second time at the same address: status {again.status_code}, not 412.",
            "Report it: an address should be good for one file.",
        )
    if deployment.has_key and sent.headers.get("access-control-allow-origin") not in ("*", api.origin):
        yield look(
            f"A page at {api.origin} cannot send files to the bucket.",
            f'Set `upload_origins = ["{api.origin}"]`.',
        )

    def status() -> tuple[str, str] | None:
        body = body_of(api.get(f"/v1/documents/{visit.id}"))
        return (body["status"], body["reason"]) if body.get("status") in ("ready", FAILED) else None

    found, seconds = deployment.poll_until(status)
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


def question(deployment: Deployment) -> Iterator[Finding]:
    """Ask about the document until it is found, then once with warm functions and once for later."""
    if not deployment.visit.is_ready:
        yield unknown("There is no document to ask about.", "Mend what upload says.")
        return
    problem, cold = "", 0.0

    def answer() -> dict[str, Any] | None:
        nonlocal problem, cold
        began = deployment.clock()
        reply = deployment.api.post("/v1/ask", _body(deployment))
        cold = cold or deployment.clock() - began
        body, problem = body_of(reply), said(reply)
        return body if deployment.visit.number in body.get("answer", "") else None

    response, seconds = deployment.poll_until(answer, SECONDS_BETWEEN_QUESTIONS)
    if response is None:
        yield blocks(
            f"The document was not answered from within {PATIENCE_SECONDS} s; the last reply was {problem}",
            "Look at the execution of the question in the console, and at the key of Claude.",
        )
        return
    says = (
        f"The first question took {cold:.1f} s, and the document was answered from {seconds:.0f} s after it was ready."
    )
    if link := response.get("execution", {}).get("console_url"):
        says += f" Its execution: {link}"
    yield fine(says) if cold < SLOW_SECONDS else look(says, MORE_MEMORY)
    yield _search(response)
    yield _warm(deployment)
    yield _later(deployment)


def removal(deployment: Deployment) -> Iterator[Finding]:
    """Delete the document over the API and wait until the manifest no longer has it."""
    visit, api = deployment.visit, deployment.api
    if not visit.is_ready:
        return
    deleted = api.delete(f"/v1/documents/{visit.id}")
    if deleted.status_code != ACCEPTED:
        yield blocks(f"The API did not delete {visit.key}: {said(deleted)}", "Look at the logs of `ask`.")
        return
    # The API shows no document that was removed.
    found, seconds = deployment.poll_until(
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


def fetched(deployment: Deployment, asked: dict[str, Any]) -> tuple[dict[str, Any] | None, float, int, str]:
    """Ask a question for later; return its response, the seconds, the polls, and why it was not started."""
    began = deployment.clock()
    started = deployment.api.post("/v1/questions", asked)
    if started.status_code != ACCEPTED:
        return None, 0.0, 0, said(started)
    polls = 0

    def end() -> dict[str, Any] | None:
        nonlocal polls
        polls += 1
        body = body_of(deployment.api.get(started.headers["location"]))
        return None if body.get("status", RUNNING) == RUNNING else body

    response, _ = deployment.poll_until(end)
    return response, deployment.clock() - began, polls, ""


def _search(response: dict[str, Any]) -> Finding:
    """Return whether the collection took a search by vector beside one by words, in one `_msearch`."""
    if BY_WORDS_ALONE in " ".join(response["usage"]["warnings"]):
        return look("The question was searched by full text alone.", "Titan was too busy: see `selfrag doctor`.")
    return fine("The collection takes `knn` within `_msearch`: the question was searched by vector and by words.")


def _warm(deployment: Deployment) -> Finding:
    began = deployment.clock()
    reply = deployment.api.post("/v1/ask", _body(deployment))
    seconds = deployment.clock() - began
    if reply.status_code == ACCEPTED:
        return look("The same question took longer than POST /v1/ask waits, with warm functions.", MORE_MEMORY)
    if body_of(reply).get("status", FAILED) == FAILED:
        return blocks(f"The question failed the second time: {said(reply)}", "Look at its execution in the console.")
    usage = body_of(reply)["usage"]
    return fine(
        f"The same question took {seconds:.1f} s with warm functions: {usage['model_calls']} calls of the model, "
        f"{usage['cached_verdicts']} cached verdicts."
    )


def _later(deployment: Deployment) -> Finding:
    response, seconds, polls, problem = fetched(deployment, _body(deployment))
    if problem:
        return blocks(f"POST /v1/questions started nothing: {problem}", "Look at the logs of `ask`.")
    if response is None or response["status"] == FAILED:
        return blocks(
            f"A question for later did not end well within {seconds:.0f} s.",
            "Look at the Standard machine's execution.",
        )
    return fine(f"A question for later was answered after {seconds:.1f} s and {polls} polls.")


def _body(deployment: Deployment) -> dict[str, Any]:
    return {"question": deployment.visit.question, "policy": POLICY}
