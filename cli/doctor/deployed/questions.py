"""A question about the document: cold, warm, followed, and seen in the console."""

from collections.abc import Iterator
from typing import Any

from cli.doctor.deployed.api import body_of, said
from cli.doctor.deployed.subject import PATIENCE_SECONDS, Deployment
from cli.doctor.findings import Finding, blocks, fine, look, unknown

RUNNING, FAILED = "running", "failed"
BY_WORDS_ALONE = "full text alone"
# While the document is not seen yet, nothing else is to be tried for it: that would cost more than the answer.
POLICY = {"web_search": False, "max_rewrites": 0}
BY_THE_MODEL = {"strategy": "candidates", "generator": "selfrag", "retrieval": "never"}
SECONDS_BETWEEN_QUESTIONS = 15
# A cold question should leave some of the 25 s that POST /v1/ask has.
SLOW_SECONDS = 20
MORE_MEMORY = "Look at the slowest steps on the dashboard, and give them more `memory`."
# The reply to a question that is still at work when the gateway's time is over.
ACCEPTED = 202


def found(deployment: Deployment) -> Iterator[Finding]:
    """Ask until the document is found: the first reply is cold, and tells how long it takes to be seen."""
    if not deployment.visit.is_ready:
        yield unknown("There is no document to ask about.", "Mend what document-in says.")
        return
    problem, cold = "", 0.0

    def answer() -> dict[str, Any] | None:
        nonlocal problem, cold
        began = deployment.clock()
        reply = deployment.api.post("/v1/ask", _asked(deployment))
        cold = cold or deployment.clock() - began
        body, problem = body_of(reply), said(reply)
        return body if deployment.visit.number in body.get("answer", "") else None

    response, seconds = deployment.waited(answer, SECONDS_BETWEEN_QUESTIONS)
    if response is None:
        yield blocks(
            f"The document was not answered from within {PATIENCE_SECONDS} s; the last reply was {problem}",
            "Look at the execution of the question in the console, and at the key of Claude.",
        )
        return
    deployment.answer = response
    says = (
        f"The first question took {cold:.1f} s, and the document was answered from {seconds:.0f} s after it was ready."
    )
    if cold < SLOW_SECONDS:
        yield fine(says)
    else:
        yield look(says, MORE_MEMORY)


def by_vector(deployment: Deployment) -> Iterator[Finding]:
    """Whether the collection took a search by vector beside one by words, in one `_msearch`."""
    if not deployment.answer:
        return
    warnings = " ".join(deployment.answer["usage"]["warnings"])
    if BY_WORDS_ALONE in warnings:
        yield look("The question was searched by full text alone.", "Titan was too busy: see `selfrag doctor`.")
    else:
        yield fine("The collection takes `knn` within `_msearch`: the question was searched by vector and by words.")


def warm(deployment: Deployment) -> Iterator[Finding]:
    """The same question again."""
    if not deployment.answer:
        return
    began = deployment.clock()
    reply = deployment.api.post("/v1/ask", _asked(deployment))
    seconds = deployment.clock() - began
    if reply.status_code == ACCEPTED:
        yield look("The same question took longer than POST /v1/ask waits, with warm functions.", MORE_MEMORY)
        return
    if body_of(reply).get("status", FAILED) == FAILED:
        yield blocks(f"The question failed the second time: {said(reply)}", "Look at its execution in the console.")
        return
    usage = body_of(reply)["usage"]
    yield fine(
        f"The same question took {seconds:.1f} s with warm functions: {usage['model_calls']} calls of the model, "
        f"{usage['cached_verdicts']} verdicts remembered."
    )


def later(deployment: Deployment) -> Iterator[Finding]:
    """A question that is fetched later, by polling."""
    if not deployment.answer:
        return
    response, seconds, polls, problem = _fetched(deployment, _asked(deployment))
    if problem:
        yield blocks(f"POST /v1/questions started nothing: {problem}", "Look at the logs of `ask`.")
        return
    if response is None or response["status"] == FAILED:
        yield blocks(
            f"A question for later did not end well within {seconds:.0f} s.",
            "Look at the Standard machine's execution.",
        )
        return
    yield fine(f"A question for later was answered after {seconds:.1f} s and {polls} polls.")


def by_the_model(deployment: Deployment) -> Iterator[Finding]:
    """A question without a search to the fine-tuned model, if there is one: the steps have to reach it."""
    if not deployment.choices.has_generator:
        return
    response, seconds, _, problem = _fetched(deployment, {"question": "What is 2 + 2?", "policy": BY_THE_MODEL})
    if problem:
        yield blocks(
            f"The fine-tuned model was not asked: {problem}", "Run `make deploy` again; docs/generator.md helps."
        )
    elif response is None or response["status"] == FAILED:
        told = "" if response is None else f": {response.get('answer', '')}"
        yield blocks(
            f"A question to the fine-tuned model failed after {seconds:.0f} s{told}",
            "See what generator-endpoint and generator-server found, then the log of the function generate.",
        )
    else:
        yield fine(f"The fine-tuned model answered a question after {seconds:.1f} s.")


def console(deployment: Deployment) -> Iterator[Finding]:
    """The link to the Express execution, which only a person can follow."""
    if link := deployment.answer.get("execution", {}).get("console_url"):
        yield look("The link of an answer should show its Express execution in the console.", f"Open {link}")


def _fetched(deployment: Deployment, asked: dict[str, Any]) -> tuple[dict[str, Any] | None, float, int, str]:
    """The response to a question for later, after how many seconds and polls, and why it was not started."""
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

    response, _ = deployment.waited(end)
    return response, deployment.clock() - began, polls, ""


def _asked(deployment: Deployment) -> dict[str, Any]:
    return {"question": deployment.visit.question, "policy": POLICY}
