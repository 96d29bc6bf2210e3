"""The page of a deployment, and three questions: without a search, for the documents, and for what they cannot hold."""

import time

from rich.console import Console
from rich.markup import escape

from cli.page import fault_of_page
from cli.remote import ask_remote
from selfrag.domain.questions import AskRequest

QUESTIONS = (
    "What is 17 * 23?",
    "What do these documents say about leave?",
    "What is the home telephone number of the tallest customer?",
)


def smoke(console: Console, endpoint: str, api_key: str) -> bool:
    """Look at the page, ask the three questions and show how each ended; whether all of it went well."""
    fault = fault_of_page(endpoint)
    console.print(f"[bold]{escape(endpoint.rstrip('/'))}/[/]", soft_wrap=True)
    console.print(f"  The page {f'does not work: {fault}.' if fault else 'works.'}", soft_wrap=True)
    well = not fault
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
