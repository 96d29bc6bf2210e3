"""The command about feedback."""

from typing import Annotated

import typer

from selfrag_cli.options import Collection, FeedbackOf, Region
from selfrag_cli.terminal import print_row, warn


def feedback(
    name: FeedbackOf = "",
    region: Region = None,
    collection: Collection = "",
    corrected: Annotated[bool, typer.Option("--corrected", help="Leave out answers that people only rated useful.")] = (
        False
    ),
    claims: Annotated[bool, typer.Option("--claims", help="Print labelled claims, for eval graders.")] = False,
) -> None:
    """Print people's feedback on answers as a question set (JSON Lines); a deployment's takes AWS credentials."""
    from selfrag_cli.feedback.claims import claim_rows
    from selfrag_cli.feedback.gold import question_set
    from selfrag_cli.feedback.reading import read_feedback

    items = read_feedback(name, region, collection)
    for line in claim_rows(items) if claims else question_set(items, corrected):
        print_row(line)
    if not items:
        warn(["No answer has feedback yet; people give it on the page, or by the API."])
    if claims:
        return
    if follow_ups := sum(bool(each.previous) for each in items):
        warn([f"{follow_ups} on follow-up questions left out, which ask something else without the question before."])
