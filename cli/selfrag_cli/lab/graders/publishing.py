"""The measured precision of IsSup, stored where answers are judged: on this laptop or in a deployment."""

from datetime import UTC, datetime

from selfrag.domain.errors import InvalidInput
from selfrag.domain.verdicts import Precision
from selfrag_cli.feedback.reading import dynamodb_in
from selfrag_cli.lab.graders.evaluation import Judged
from selfrag_cli.lab.graders.report import Report
from selfrag_cli.local.stores.tables import opened_items
from selfrag_cli.local.stores.verdicts import LocalVerdicts

KEPT_DAYS = 365


def published(report: Report, found: Judged, set_name: str, name: str, region: str | None) -> Precision:
    """Store the precision of a measured way for the deployment with this name, else for this laptop, and return it.

    Raises InvalidInput where no row passed, and selfrag's errors of the store.
    """
    figure, counts = report["figures"]["precision"], report["counts"]
    if figure is None:
        raise InvalidInput("The grader passed no row, so there is no precision to publish.")
    precision = Precision(
        share=figure["value"],
        low=figure["low"],
        high=figure["high"],
        n=counts["passed"] + counts["failing"] - counts["failed"],
        day=datetime.now(UTC).date(),
        set=set_name,
    )
    text = precision.model_dump_json()
    if name:
        # boto3 takes a while to load, and what is kept here does not need it.
        from selfrag.adapters.verdicts import DynamoVerdicts

        DynamoVerdicts(dynamodb_in(region), f"{name}-verdicts", KEPT_DAYS).put(found.measured_as, text)
    else:
        with opened_items() as items:
            LocalVerdicts(items, KEPT_DAYS).put(found.measured_as, text)
    return precision
