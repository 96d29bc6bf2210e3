"""Three questions to a deployment: one that needs no search, one for the documents, one that they cannot hold."""

import time

from rich.console import Console
from rich.markup import escape

from cli.remote import ask_remote
from selfrag.domain.questions import AskRequest

QUESTIONS = (
    "What is 17 * 23?",
    "What do these documents say about leave?",
    "What is the home telephone number of the tallest customer?",
)


def smoke(console: Console, endpoint: str, api_key: str) -> bool:
    """Ask the three questions and show how each ended; whether all got a response that did not fail."""
    well = True
    for question in QUESTIONS:
        started = time.monotonic()
        response = ask_remote(AskRequest(question=question), endpoint, api_key)
        seconds = time.monotonic() - started
        well &= response["status"] != "failed"
        console.print(f"[bold]{escape(question)}[/]")
        console.print(f"  {response['status']} in {seconds:.1f} s: {escape(response['answer'])}")
        console.print(f"  {' → '.join(response['path'])}")
        console.print(f"  {response['execution']['console_url'] or response['execution']['arn']}", soft_wrap=True)
    return well
