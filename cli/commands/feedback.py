"""The command about feedback."""

from typing import Annotated

import typer

from cli.options import Collection
from cli.terminal import print_row, warn


def feedback(
    name: Annotated[str, typer.Option(help="Name of a deployment; this laptop's feedback if left out.")] = "",
    region: Annotated[str | None, typer.Option(help="Its region; that of your AWS configuration if left out.")] = None,
    collection: Collection = "",
    corrected: Annotated[bool, typer.Option("--corrected", help="Leave out answers that were only called useful.")] = (
        False
    ),
) -> None:
    """Print what people said of answers as a question set (JSON Lines); a deployment's needs AWS credentials."""
    from cli.feedback.gold import question_set
    from cli.feedback.reading import dynamodb_in, feedback_here, feedback_of_deployment

    given = feedback_of_deployment(dynamodb_in(region), name) if name else feedback_here()
    wanted = [each for each in given if not collection or collection in each.collections]
    for line in question_set(wanted, corrected):
        print_row(line)
    if follow_ups := sum(bool(each.previous) for each in wanted):
        warn([f"{follow_ups} on follow-up questions left out, which ask something else without the question before."])
