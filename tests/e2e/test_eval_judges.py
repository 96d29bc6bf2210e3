"""`selfrag eval graders --judge`: a decision model, Claude and the cascade of both, side by side on the same rows."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Run
from tests.support.doubles.messages_api import fields_of
from tests.support.doubles.model_server import Body, ModelServer
from tests.support.doubles.systemone import SystemOneServer

PASSAGE = "Leave is 25 days a year, and it is paid."
# By claim: people's label, the decision model's probability of full support, and what Claude says.
CLAIMS: dict[str, tuple[str, float, str]] = {
    "Leave is 25 days.": ("supported", 0.97, "full"),
    "Leave is paid.": ("supported", 0.6, "full"),
    "Leave is granted every year.": ("supported", 0.04, "full"),
    "Leave is 26 days.": ("contradicted", 0.03, "contradicted"),
    "Leave is unpaid.": ("contradicted", 0.95, "contradicted"),
    "有給休暇は無給です。": ("unsupported", 0.4, "full"),
}
RATES = ("false_passes", "false_strips")
Labelled = Callable[..., str]


def probability_of(name: str, question: Mapping[str, Any], state: Any) -> dict[str, float]:
    claim = state["sentences"][name]
    full = CLAIMS[claim][1] if claim in CLAIMS else float(claim.split()[1].rstrip("%")) / 100
    return {"full": full, "partial": 0.0, "none": 1 - full, "contradicted": 0.0, "cannot_tell": 0.0}


def judge(body: Body) -> dict[str, Any]:
    claim = fields_of(body["messages"][-1])["answer"]
    return {"claims": [{"claim": claim, "support": CLAIMS[claim][2], "passages": [1], "missing": ""}]}


@pytest.fixture
def decider(monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemOneServer]:
    with SystemOneServer(probability_of) as running:
        monkeypatch.setenv("SELFRAG_DECIDER_URL", running.url)
        monkeypatch.setenv("SELFRAG_DECIDER_MODEL", "double")
        monkeypatch.setenv("SELFRAG_DECIDER_PRICE", "0.042")
        yield running


@pytest.fixture
def server(server: ModelServer) -> ModelServer:
    server.answers["grade_support"] = judge
    return server


@pytest.fixture
def labelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Labelled:
    """Return a writer of files of labelled rows."""
    monkeypatch.chdir(tmp_path)

    def write(rows: list[dict[str, Any]], name: str = "claims.jsonl") -> str:
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return name

    return write


@pytest.fixture
def claims(labelled: Labelled) -> str:
    return labelled([{"claim": claim, "passages": [PASSAGE], "label": label} for claim, (label, *_) in CLAIMS.items()])


@pytest.fixture
def many(labelled: Labelled) -> str:
    """Return a file of rows enough to adopt thresholds: the decision model is never wrong about them."""
    return labelled(
        [
            {"claim": f"Item {percent}% {number}.", "passages": [PASSAGE], "label": label}
            for percent, label in ((98, "supported"), (1, "unsupported"))
            for number in range(500)
        ],
        "many.jsonl",
    )


def test_judges_are_compared_side_by_side_by_their_errors(
    here: Run, server: ModelServer, decider: SystemOneServer, claims: str
) -> None:
    every = ("--judge", "decider", "--judge", "claude", "--judge", "cascade")
    ways = {way["name"]: way for way in here("eval", "graders", claims, *every, "--json").response["ways"]}
    assert list(ways) == ["decider", "claude", "cascade"]
    errors = {name: [(way[rate][0], way[rate][2]) for rate in RATES] for name, way in ways.items()}
    third = pytest.approx(1 / 3)
    assert errors["decider"] == [(third, 3), (third, 3)]
    assert errors["claude"] == [(third, 3), (0, 3)]
    assert errors["cascade"] == [(pytest.approx(2 / 3), 3), (third, 3)], "it has the errors that the model is sure of"


def test_a_comparison_that_broke_off_goes_on_without_paying_twice(
    here: Run, decider: SystemOneServer, claims: str
) -> None:
    def breaks(name: str, question: Mapping[str, Any], state: Any) -> dict[str, float]:
        if len(decider.requests) == 3:
            decider.mode = "400"
        return probability_of(name, question, state)

    decider.answers = breaks
    options = ("--judge", "decider", "--parallel", "1", "--json")
    assert here("eval", "graders", claims, *options).code != 0
    asked = {json.dumps(body["state"], sort_keys=True) for body in decider.requests[:3]}
    decider.requests.clear()
    decider.answers, decider.mode = probability_of, ""
    ended = here("eval", "graders", claims, *options)
    assert (ended.code, ended.response["judged"]) == (0, 6)
    assert len(decider.requests) == 3
    assert asked.isdisjoint(json.dumps(body["state"], sort_keys=True) for body in decider.requests)


def test_adopted_thresholds_apply_on_laptop_unless_environment_overrides_them(
    here: Run, server: ModelServer, decider: SystemOneServer, many: str, claims: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    confusion = here("eval", "graders", claims, "--json").response["ways"][0]["confusion"]
    assert confusion["supported"] == {"supported": 2, "unsupported": 1}
    assert {fields_of(body["messages"][-1])["answer"] for body in server.requests} == {
        "Leave is paid.",
        "有給休暇は無給です。",
    }, "with thresholds that are a guess, Claude judges the doubts"
    adoption = here("eval", "graders", many, "--adopt", "--json").response["adoption"]
    assert (adoption["grader"], adoption["held_out"]["false_passes"]["count"]) == ("cascade", 0)
    by_adopted = here("eval", "graders", claims, "--json").response["ways"][0]["confusion"]
    assert by_adopted["unsupported"] == {"unsupported": 1}, "the model is sure from 0.5 on"
    monkeypatch.setenv("SELFRAG_DECIDER_THRESHOLDS", '{"grade_support": {"upper": 1, "lower": 0}}')
    doubting = here("eval", "graders", claims, "--json").response["ways"][0]
    assert doubting["confusion"]["unsupported"] == {"supported": 1}
    monkeypatch.setenv("SELFRAG_GRADERS", '{"grade_support": "claude"}')
    assert "double" not in here("eval", "graders", claims, "--json").response["ways"][0]["model"]


def test_adopted_thresholds_are_written_for_terraform_where_a_file_is_named(
    here: Run, decider: SystemOneServer, many: str, tmp_path: Path
) -> None:
    assert here("eval", "graders", many, "--adopt", "graders.auto.tfvars.json").code == 0
    adopted = json.loads((tmp_path / "graders.auto.tfvars.json").read_text(encoding="utf-8"))
    assert adopted == {
        "graders": {"grade_support": "cascade"},
        "decider_thresholds": {"grade_support": {"upper": 0.5, "lower": 0.5}},
    }


def test_step_without_holding_threshold_falls_back_to_claude(
    here: Run, decider: SystemOneServer, claims: str, tmp_path: Path
) -> None:
    other = {
        "graders": {"grade_relevance": "cascade"},
        "decider_thresholds": {"grade_relevance": {"upper": 0.8, "lower": 0.2}},
    }
    (tmp_path / "adopted.json").write_text(json.dumps(other), encoding="utf-8")
    ended = here("eval", "graders", claims, "--adopt", "adopted.json")
    assert ended.code == 0
    assert "grade_support is judged by claude, because no threshold holds" in ended.err
    assert json.loads((tmp_path / "adopted.json").read_text(encoding="utf-8")) == {
        "graders": {"grade_relevance": "cascade", "grade_support": "claude"},
        "decider_thresholds": {"grade_relevance": {"upper": 0.8, "lower": 0.2}},
    }


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--judge", "jury"], "There is no judge 'jury'"),
        (["--judge", "decider", "--step", "grade_correctness"], "A decision model does not judge grade_correctness"),
        (["adopted.json"], "adopted.json would be written by --adopt"),
        (["--judge", "decider"], "SELFRAG_DECIDER_URL"),
    ],
)
def test_a_judge_that_cannot_be_is_refused_with_one_sentence(
    here: Run, server: ModelServer, claims: str, options: list[str], sentence: str
) -> None:
    refused = here("eval", "graders", claims, *options)
    assert (refused.code, sentence in refused.err, server.requests) == (2, True, [])


def test_malformed_judges_file_is_named_with_its_remedy(
    here: Run, decider: SystemOneServer, claims: str, tmp_path: Path
) -> None:
    (tmp_path / "adopted.json").write_text('{"graders": {"grade_support": "jury"}}', encoding="utf-8")
    ended = here("eval", "graders", claims, "--adopt", "adopted.json")
    assert ended.code != 0
    assert "adopted.json does not say who judges which step: delete it" in ended.err
