"""What anybody meets at the door of the API: the page, every method answered, and no more than so many requests."""

from collections.abc import Iterator

from cli.doctor.deployed.subject import Deployment
from cli.doctor.findings import Finding, blocks, fine, look
from cli.page import fault_of_page

NOT_ALLOWED, TOO_MANY = 405, 429
# Of these, one after another, more come than 10 at once and 2 a second.
REQUESTS = 60


def opened(deployment: Deployment) -> Iterator[Finding]:
    """Whether the page comes whole and lets its script run, and may read what S3 answers to an upload."""
    if not deployment.has_key:
        yield fine('There is no page with auth = "iam", for a browser cannot sign.')
        return
    if fault := fault_of_page(deployment.api.endpoint):
        yield blocks(f"The page does not work: {fault}.", "Look at the logs of `ask`, and at what is before the API.")
        return
    yield fine("The page comes whole, and its policy lets it run.")
    if deployment.visit.id and not deployment.visit.is_readable:
        yield look(
            f"A page at {deployment.api.origin} does not see what S3 answers to its uploads.",
            f'Set `upload_origins = ["{deployment.api.origin}"]`.',
        )


def methods(deployment: Deployment) -> Iterator[Finding]:
    """Whether a method that a path does not take is answered with those that it takes."""
    reply = deployment.api.put("/v1/health")
    if reply.status_code == NOT_ALLOWED and "GET" in reply.headers.get("allow", ""):
        yield fine("A method that a path does not take is refused with those that it takes.")
    else:
        yield look(
            f"PUT /v1/health should be refused with 405 and `Allow`; it was answered with {reply.status_code}.",
            "Look at the methods of the API in the console of API Gateway.",
        )


def throttle(deployment: Deployment) -> Iterator[Finding]:
    """Whether what anybody may ask is refused to who asks too often."""
    if any(deployment.api.get("/v1/health").status_code == TOO_MANY for _ in range(REQUESTS)):
        yield fine("Who asks for what needs no key too often is refused.")
    else:
        yield look(
            f"{REQUESTS} requests of GET /v1/health were all answered; it should take 10 at once and 2 a second.",
            "Look at the limits of the stage's methods, in its page of the console of API Gateway.",
        )
