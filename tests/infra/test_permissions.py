"""docs/permissions.md says what each role may do: the AWS calls of full runs, none missing and none never used."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.local.aws.definitions import INGESTION
from cli.local.aws.resources import DOCUMENTS_TABLE, TABLES
from cli.local.aws.stack import deployed_handlers
from tests.support.roles.recorded import Calls
from tests.support.roles.roles import decided
from tests.support.roles.runs import every_path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "permissions.md").read_text(encoding="utf-8")
Pairs = set[tuple[str, str]]


def rows(heading: str) -> Pairs:
    """The (who, action) pairs of the table under a heading."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"^\| `([\w*]+)` \| (`[^|]+`) \|", section, re.M)
    return {(who, action) for who, actions in found for action in re.findall(r"`([^`]+)`", actions)}


@pytest.fixture(scope="module")
def recorded() -> Iterator[Calls]:
    with every_path(decided()) as calls:
        yield calls


def test_every_call_that_is_made_is_allowed_and_every_call_that_is_allowed_is_made(
    recorded: Calls, record_property: Callable[[str, str], None]
) -> None:
    # What is asked for in the collection is the business of its data access policy.
    made = {(who, action) for who, action, resource in recorded if not resource.startswith("index/")}
    assert made == rows("Calls of the code")
    callers = len({who for who, _ in made})
    figures = f"{len(made)} kinds of AWS calls by {callers} callers recorded: none missing, none never used"
    record_property("figures", figures)


def test_each_table_secret_and_function_is_used_by_those_that_the_page_names(recorded: Calls) -> None:
    def users(resource: str) -> set[str]:
        return {who for who, _, arn in recorded if arn.endswith(resource)}

    verdicts, answers = TABLES["verdicts_table"][0], TABLES["answers_table"][0]
    assert users(f"table/{verdicts}") == {"grade_relevance", "grade_support", "grade_utility"}
    assert users(f"table/{answers}") == {"ask", "workflow"}
    assert users("table/selfrag-requests") == {"ask"}
    assert users("selfrag/tavily-random") == {"search_web"}
    manifest = {"ask", "claim_document", "index_passages", "remove_passages", "record_document"}
    assert users(f"table/{DOCUMENTS_TABLE}") == manifest
    for machine, *definition in (("workflow",), ("ingestion", INGESTION)):
        invoked = {arn.rpartition(":selfrag-")[2] for who, _, arn in recorded if who == machine and ":function:" in arn}
        assert invoked == {*deployed_handlers(*definition)}


def test_no_action_is_a_wildcard() -> None:
    allowed = rows("Calls of the code") | rows("Calls of AWS itself")
    assert len(allowed) > 20
    assert not [action for _, action in allowed if "*" in action]
