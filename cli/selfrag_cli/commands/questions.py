"""Commands for questions: ask, chat, trace."""

from typing import TYPE_CHECKING, Annotated

import typer

from selfrag.domain.errors import InvalidInput
from selfrag.domain.history import steps_of
from selfrag.domain.questions import AskRequest, read_request
from selfrag_cli.local.sources.source import DocumentSource
from selfrag_cli.options import ApiKey, AsJson, Collection, Docs, Endpoint, Filters, source_unless_deployed
from selfrag_cli.terminal import current_step, out, print_error, print_json, print_line, reading_progress, warn

if TYPE_CHECKING:
    from selfrag_cli.chat import Reply
    from selfrag_cli.local.stores.histories import ExecutionHistory

Policy = Annotated[str, typer.Option(help='Policy fields as JSON, such as {"speculate": "off"}.')]
Previous = Annotated[str, typer.Option(help="Id of the question that this one follows.")]


def ask(
    question: Annotated[str, typer.Argument(help="The question, at most 2,000 characters.")],
    docs: Docs = None,
    collection: Collection = "",
    as_json: AsJson = False,
    policy: Policy = "",
    previous: Previous = "",
    filters: Filters = "",
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="Also show each verdict, the path and the cost.")
    ] = False,
) -> None:
    """Answer a question from a directory of documents, a named collection, or a deployment's with --endpoint."""
    request = read_request(question, policy, previous, filters)
    source = source_unless_deployed(endpoint, docs, collection)
    response, steps = _answer(request, source, endpoint, api_key)
    from selfrag_cli.show.answers import show_response
    from selfrag_cli.show.traces import failure_notes

    if as_json:
        warn(failure_notes(steps))
        print_json(response)
    else:
        show_response(out, response, steps, verdicts)
    if response["status"] == "failed":
        raise typer.Exit(1)


def _answer(request: AskRequest, source: DocumentSource | None, endpoint: str, api_key: str) -> "Reply":
    """Return the response and steps; a deployment (without a source) shows none."""
    # Slow imports come after validation.
    if source is None:
        from selfrag_cli.deployment.remote import ask_remote

        return ask_remote(request, endpoint, api_key), []
    from selfrag_cli.local.asking import ask_question
    from selfrag_cli.local.backends import local_model_in_short, policy_fields
    from selfrag_cli.local.sources.sync import embed_in_background

    for line in local_model_in_short(policy_fields(request, source)["deadline_seconds"]):
        print_error(line)
    with reading_progress() as on_document:
        execution, report = ask_question(request, source, on_document, current_step)
    warn([*(report.brief_lines(source) if report else []), *embed_in_background(source.collection)])
    return execution.output or {}, steps_of(execution.history)


def chat(
    docs: Docs = None,
    collection: Collection = "",
    policy: Policy = "",
    previous: Previous = "",
    filters: Filters = "",
    endpoint: Endpoint = "",
    api_key: ApiKey = "",
) -> None:
    """Ask one question after another, each following the answer before it; /help in the chat lists its commands."""
    request = read_request("?", policy, previous, filters)
    source = source_unless_deployed(endpoint, docs, collection)
    from selfrag_cli.chat import Chat

    if source:
        from selfrag_cli.local.asking import search_passages
        from selfrag_cli.local.backends import check_services

        # An import of numpy that Ctrl-C interrupts cannot be repeated, so a search imports it before the first line.
        check_services()
        with reading_progress() as on_document:
            search_passages(request.question, source, request.filters, 1, on_document)
    print_line(f"Asking {source or endpoint}; /help lists the commands.")
    Chat(
        request,
        lambda each: _answer(each, source, endpoint, api_key),
        lambda response: trace(response["id"] if source else response["execution"]["arn"]),
    ).run()


def trace(
    question_id: Annotated[
        str,
        typer.Argument(
            metavar="[ID]",
            help="The id of a question; the last one if left out. Of a deployment: the ARN of its execution, which is "
            "read with your AWS credentials.",
        ),
    ] = "",
    full: Annotated[bool, typer.Option("--full", help="Also show the input and the result of each step.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the execution history as JSON.")] = False,
) -> None:
    """Show an execution as a timeline, a line a step with its verdict."""
    from selfrag_cli.show.traces import show_trace

    history: ExecutionHistory | None
    if question_id.startswith("arn:"):
        from selfrag_cli.deployment.executions import execution_of

        history = execution_of(question_id)
    else:
        from selfrag_cli.local.stores.histories import last_history

        history = last_history(question_id)
    if history is None:
        raise InvalidInput("There is no such execution here; ask a question first.")
    if as_json:
        print_json(history.events)
    else:
        show_trace(out, history, full=full)
