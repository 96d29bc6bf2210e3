"""The page of a deployment, three questions (without a search, for the documents, for what they lack), and events."""

import time

from rich.console import Console
from rich.markup import escape

from selfrag.domain.questions import AskRequest
from selfrag_cli.listening import heard, started
from selfrag_cli.page import fault_of_page
from selfrag_cli.remote import ask_remote

QUESTIONS = (
    "What is 17 * 23?",
    "What do these documents say about leave?",
    "What is the home telephone number of the tallest customer?",
)


def smoke(console: Console, endpoint: str, api_key: str) -> bool:
    """Look at the page, ask the three questions and show how each ended; return whether all of it went well.

    Where the deployment streams events, the first question is asked once more and listened to.
    """
    fault = fault_of_page(endpoint)
    console.print(f"[bold]{escape(endpoint.rstrip('/'))}/[/]", soft_wrap=True)
    console.print(f"  The page {f'does not work: {fault}.' if fault else 'works.'}", soft_wrap=True)
    well = not fault
    for question in QUESTIONS:
        begun = time.monotonic()
        response = ask_remote(AskRequest(question=question), endpoint, api_key)
        seconds = time.monotonic() - begun
        well &= response["status"] != "failed"
        console.print(f"[bold]{escape(question)}[/]")
        console.print(f"  {response['status']} in {seconds:.1f} s: {escape(response['answer'])}")
        console.print(f"  {' → '.join(response['path'])}")
        console.print(f"  {response['execution']['console_url'] or response['execution']['arn']}", soft_wrap=True)
    # The answer that is there already tells whether the deployment streams, and costs nothing.
    if heard(f"{endpoint.rstrip('/')}/v1/questions/{response['id']}", api_key):
        begun = time.monotonic()
        events = heard(started(endpoint, api_key, QUESTIONS[0]), api_key)
        ended = events[-1:] == ["response"]
        well &= ended
        told = "to their end" if ended else "but their end did not come"
        console.print("[bold]The events of a question[/]")
        console.print(f"  {len(events)} came in {time.monotonic() - begun:.1f} s, {told}.", soft_wrap=True)
    return well
