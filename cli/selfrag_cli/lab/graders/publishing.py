"""The measured precision of IsSup, stored where answers are judged: on this laptop or in a deployment."""

from datetime import UTC, datetime

from selfrag.domain.errors import InvalidInput
from selfrag.domain.verdicts import Precision
from selfrag_cli.feedback.reading import dynamodb_in
from selfrag_cli.lab.graders.evaluation import WayReport
from selfrag_cli.local.stores.tables import opened_items
from selfrag_cli.local.stores.verdicts import LocalVerdicts

DAYS = 365


def published(way: WayReport, set_name: str, name: str, region: str | None) -> Precision:
    """Store the precision of a measured way for the deployment with this name, else for this laptop, and return it.

    Raises InvalidInput where no row passed, and selfrag's errors of the store.
    """
    if way.precision is None:
        raise InvalidInput("The grader passed no row, so there is no precision to publish.")
    share, interval, n = way.precision
    precision = Precision(
        share=share, low=interval.low, high=interval.high, n=n, day=datetime.now(UTC).date(), set=set_name
    )
    text = precision.model_dump_json()
    if name:
        # boto3 takes a while to load, and this laptop's store does not need it.
        from selfrag.adapters.verdicts import DynamoVerdicts

        DynamoVerdicts(dynamodb_in(region), f"{name}-verdicts", DAYS).put(way.measured_as, text)
    else:
        with opened_items() as items:
            LocalVerdicts(items, DAYS).put(way.measured_as, text)
    return precision
