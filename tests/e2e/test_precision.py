"""The precision of "fully supported" in an answer: what `eval graders --publish` measured of those who judge it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Run
from tests.e2e.test_api import ASK, serving_api
from tests.support.doubles.model_server import ModelServer

PASSAGE = "Leave is 25 days a year."


@pytest.fixture
def claims(tmp_path: Path) -> str:
    """Return a file of four claims that the model all calls supported, of which people call three so."""
    rows = [
        {"claim": f"{PASSAGE} {n}", "passages": [PASSAGE], "label": "supported" if n else "partial"} for n in range(4)
    ]
    file = tmp_path / "policies.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(file)


def is_measured(response: dict[str, Any]) -> None:
    support = response["reflection"]["support"]
    assert support["level"] == "fully_supported"
    precision = support["precision"]
    assert precision.pop("low") == pytest.approx(0.3006, abs=1e-4), "Wilson's, of 3 in 4"
    assert precision.pop("high") == pytest.approx(0.9544, abs=1e-4)
    assert precision == {"share": 0.75, "n": 4, "day": f"{datetime.now(UTC):%Y-%m-%d}", "set": "policies"}


def test_an_answer_on_the_laptop_has_the_precision_of_its_check_once_that_was_published(
    here: Run, server: ModelServer, claims: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "leave.md").write_text(f"# Leave\n\n{PASSAGE}\n", encoding="utf-8")
    ask = ("ask", "--docs", str(documents), "--json", "--", "How long is leave?")
    assert here(*ask).response["reflection"]["support"]["precision"] is None
    assert here("eval", "graders", claims).code == 0
    assert here(*ask).response["reflection"]["support"]["precision"] is None, "what is not published is not shown"
    published = here("eval", "graders", claims, "--publish")
    assert (published.code, "75% of such answers held, n = 4 (30% to 95%; policies" in published.err) == (0, True)
    is_measured(here(*ask).response)
    assert "supported (75% of such answers held, n = 4)" in here(*(word for word in ask if word != "--json")).out
    monkeypatch.setenv("SELFRAG_MODELS", '{"grade_support": "claude-opus-5-5"}')
    other = here(*ask).response["reflection"]["support"]
    assert (other["level"], other["precision"]) == ("fully_supported", None), "it was measured of another second grader"


def test_an_answer_of_a_deployment_has_the_precision_that_its_operator_published(
    here: Run, server: ModelServer, claims: str
) -> None:
    publish = ("eval", "graders", claims, "--publish", "--name", "selfrag", "--region", "us-east-1")
    with serving_api(server) as api:
        assert here(*publish).code == 0
        is_measured(api.post("/v1/ask", json=ASK).json())
    with serving_api(server) as api:
        before = api.post("/v1/ask", json=ASK).json()["reflection"]["support"]
    assert (before["level"], before["precision"]) == ("fully_supported", None)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--publish", "--step", "grade_utility"], "--publish is for grade_support"),
        (["--name", "selfrag"], "--name and --region say where to"),
    ],
)
def test_what_cannot_be_published_is_refused_before_anything_is_judged(
    here: Run, server: ModelServer, claims: str, options: list[str], sentence: str
) -> None:
    refused = here("eval", "graders", claims, *options)
    assert (refused.code, sentence in refused.err, server.requests) == (2, True, [])


def test_where_the_check_passes_nothing_there_is_nothing_to_publish(
    here: Run, server: ModelServer, claims: str
) -> None:
    server.answers["grade_support"] = lambda body: {
        "claims": [{"claim": "c", "support": "none", "passages": [], "missing": ""}]
    }
    refused = here("eval", "graders", claims, "--publish")
    assert (refused.code, "passed no row" in refused.err) == (2, True)
