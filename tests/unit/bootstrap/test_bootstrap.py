"""The composition root: parts are made once, and can be handed over."""

import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, get_args, get_type_hints

import pytest
from aws_lambda_powertools.utilities.idempotency import BasePersistenceLayer
from pydantic import BaseModel
from werkzeug.wrappers import Request, Response

from selfrag import bootstrap, ports
from selfrag.adapters.spending import DynamoSpending
from selfrag.bootstrap import api, decider, guardrail, ingestion, knowledge_base, questions, web
from selfrag.domain.calls import Limits
from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.domain.passages import Passage
from selfrag.ports.model import Prompt
from selfrag.ports.web import Domains
from selfrag.runtime import parts
from selfrag.runtime.clock import Clock
from selfrag.runtime.decider_settings import DeciderSettings
from tests.support.fakes import FakeClaude, FakeEmbedder, FakeIndex, MemoryCache, any_secret, cited, passage
from tests.support.loopback import Loopback

ROOT = Path(__file__).parents[3]
LOGIC = sorted(
    ".".join(file.relative_to(ROOT / "functions").with_suffix("").parts)
    for file in (ROOT / "functions").glob("selfrag/*/*/logic.py")
)


class Asked(BaseModel):
    """A task."""

    question: str


def test_a_part_is_made_once_until_it_is_forgotten() -> None:
    first = bootstrap.question_settings()
    assert bootstrap.question_settings() is first
    bootstrap.forget()
    assert bootstrap.question_settings() is not first


def test_override_lasts_until_its_block_ends_also_if_nested() -> None:
    outer, inner, manifest = object(), object(), object()
    with bootstrap.using(index=outer, manifest=manifest):  # type: ignore[typeddict-item]
        with bootstrap.using(index=inner):  # type: ignore[typeddict-item]
            assert (bootstrap.index(), ingestion.manifest()) == (inner, manifest)
        assert bootstrap.index() is outer
    with pytest.raises(Misconfigured, match="SELFRAG_COLLECTION_ENDPOINT"):
        bootstrap.index()


def protocols() -> set[type]:
    """Return the Protocols of ports/."""
    modules = [importlib.import_module(f"{ports.__name__}.{one.name}") for one in pkgutil.iter_modules(ports.__path__)]
    return {kind for module in modules for kind in vars(module).values() if Protocol in getattr(kind, "__bases__", ())}


def types_in(hint: Any) -> set[type]:
    """Return the classes that a type hint names, with those that they extend."""
    arguments = [one for argument in get_args(hint) for one in (argument if isinstance(argument, list) else [argument])]
    return set(getattr(hint, "__mro__", ())).union(*map(types_in, arguments))


def test_every_port_can_be_handed_over() -> None:
    # Parts names them without importing them.
    others = (Callable, Mapping, Limits, Prompt, Clock, DeciderSettings, BasePersistenceLayer, DynamoSpending)
    names: Any = {kind.__name__: kind for kind in (*protocols(), *others)}
    hints = get_type_hints(bootstrap.Parts, localns=names)
    assert {kind.__name__ for kind in protocols() - set().union(*map(types_in, hints.values()))} == set()


@pytest.mark.parametrize("name", bootstrap.Parts.__annotations__)
def test_a_part_that_is_handed_over_is_used(name: str) -> None:
    found = {
        getattr(module, name, None)
        for module in (bootstrap, questions, decider, guardrail, ingestion, api, web, knowledge_base)
    }
    (part,) = filter(callable, found)
    handed: Any = {name: object()}
    with bootstrap.using(**handed):
        assert part() is handed[name]


FOUND = passage(collection="c")
CLAIM = {"claim": "Leave is 25 days a year.", "support": "full", "passages": [1], "missing": ""}
# Tasks of the steps that call a service, with the model's reply.
TASKS: dict[str, tuple[dict[str, Any], Any]] = {
    "decide_retrieval": ({"question": "?"}, {"reason": "r", "decision": "yes"}),
    "retrieve": ({"queries": ["?"], "collections": ["c"], "top_k": 4}, None),
    "search_web": ({"query": "?", "top_k": 4}, None),
    "grade_relevance": ({"question": "?", "passage": FOUND.model_dump()}, {"reason": "r", "score": 0.9}),
    "generate": ({"question": "?", "passages": [FOUND.model_dump()]}, [cited("25 days.")]),
    "grade_support": ({"question": "?", "answer": "25 days.", "passages": [FOUND.model_dump()]}, {"claims": [CLAIM]}),
    "grade_utility": ({"question": "?", "answer": "25 days."}, {"reason": "r", "score": 5}),
    "rewrite_question": ({"question": "?", "queries": ["?"]}, {"reason": "r", "query": "leave"}),
}


@pytest.mark.parametrize("step", TASKS)
def test_a_step_whose_parts_are_handed_over_makes_no_client(step: str) -> None:
    task, says = TASKS[step]
    index: Any = FakeIndex(FOUND)
    handler = importlib.import_module(f"selfrag.question.{step}.handler").handler
    with bootstrap.using(
        claude=lambda limits: FakeClaude(says),
        verdicts=MemoryCache(),
        index=index,
        embedder=FakeEmbedder(),
        web=lambda deadline_ms: lambda query, max_results, domains: {"results": []},
    ):
        assert handler(task, None)["error"] is None
        assert parts._components.keys() <= {
            "question_settings", "decider_settings", "prompts", "clock", "knowledge_base",
        }  # fmt: skip


def test_values_built_from_replaced_part_are_dropped_with_it() -> None:
    before = bootstrap.question_settings()
    with bootstrap.using(index=SimpleNamespace()):  # type: ignore[typeddict-item]
        within = bootstrap.question_settings()
        assert within is not before
    assert bootstrap.question_settings() is not within


@pytest.fixture
def lambda_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process look like a starting Lambda."""
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "selfrag-retrieve")


def test_clients_are_created_at_lambda_start_and_lazily_elsewhere(request: pytest.FixtureRequest) -> None:
    made: list[str] = []
    bootstrap.warm(lambda: made.append("on a laptop"))
    request.getfixturevalue("lambda_starts")
    bootstrap.warm(lambda: made.append("in a Lambda"))
    assert made == ["in a Lambda"]


@pytest.mark.usefixtures("lambda_starts")
def test_client_that_fails_at_start_raises_at_first_use() -> None:
    bootstrap.warm(bootstrap.index, questions.claude_client, bootstrap.embedder)
    with pytest.raises(Misconfigured, match="SELFRAG_COLLECTION_ENDPOINT"):
        bootstrap.index()
    with pytest.raises(Misconfigured, match="SELFRAG_MODEL_SECRET"):
        questions.claude_client()
    assert "embedder" in parts._components


@pytest.mark.usefixtures("lambda_starts")
def test_client_that_failed_at_start_is_created_once_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    bootstrap.warm(api.api_settings)
    for machine in ("EXPRESS", "STANDARD"):
        monkeypatch.setenv(f"SELFRAG_{machine}_MACHINE_ARN", "arn:aws:states:eu-west-1:1:stateMachine:questions")
    assert api.api_settings().express_machine_arn


@pytest.mark.usefixtures("lambda_starts")
def test_a_fault_of_our_own_at_the_start_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        bootstrap.warm(lambda: 1 / 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SELFRAG_MODELS", "{bad"),
        ("SELFRAG_MODELS", '{"generat": "x"}'),
        ("SELFRAG_PRICES", '{"x": [1]}'),
        ("SELFRAG_MODEL_PROVIDER", "azure"),
        ("SELFRAG_WEB_TIMEOUT_SECONDS", "0"),
    ],
)
def test_unusable_setting_is_named_whatever_its_error(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=name):
        bootstrap.question_settings()


@pytest.mark.parametrize("logic", LOGIC)
def test_a_step_is_counted_by_the_name_of_its_folder(logic: str, emitted: Any) -> None:
    handler = importlib.import_module(logic.removesuffix("logic") + "handler").handler
    with suppress(Exception):
        handler({}, None)
    assert ("Latency", (("step", logic.split(".")[-2]),)) in emitted()


def test_unreadable_event_is_caller_fault_and_hides_values() -> None:
    handler = bootstrap.step("a_step", Asked)(lambda task: task)
    with pytest.raises(InvalidInput, match=r"cannot read its input: question$") as refused:
        handler({"question": ["a secret"]}, None)
    assert "secret" not in str(refused.value)


def test_validation_error_inside_step_is_not_caller_fault() -> None:
    def work(task: Asked) -> Asked:
        Passage.model_validate({"passage_id": "p", "document": "d", "text": "t", "colour": "red"})
        return task

    with pytest.raises(ValueError, match="colour") as failed:
        bootstrap.step("a_step", Asked)(work)({"question": "?"}, None)
    assert not isinstance(failed.value, InvalidInput)


def loaded_by(*modules: str) -> set[str]:
    """Return the modules, and their packages, that a process loads which imports these modules."""
    program = f"import sys, importlib\nfor name in {modules}: importlib.import_module(name)\nprint(*sys.modules)"
    path = {"PYTHONPATH": str(ROOT / "functions")}
    ended = subprocess.run([sys.executable, "-c", program], env=path, capture_output=True, text=True, check=True)
    names = set(ended.stdout.split())
    return names | {name.split(".")[0] for name in names}


def test_no_logic_loads_an_sdk_or_what_reads_settings() -> None:
    graders = ("grade_relevance", "grade_support", "grade_utility")
    assert {f"selfrag.question.{step}.logic" for step in graders} < set(LOGIC)
    loaded = loaded_by(*LOGIC)
    assert {"selfrag.question", "selfrag.ingestion", "pydantic"} <= loaded
    assert loaded & {"anthropic", "boto3", "botocore", "opensearchpy", "httpx2", "pydantic_settings"} == set()


def test_no_handler_imports_an_sdk_outside_a_lambda() -> None:
    loaded = loaded_by(*(name.replace(".logic", ".handler") for name in LOGIC))
    assert loaded & {"anthropic", "boto3", "opensearchpy", "httpx2"} == set()


def test_consecutive_web_searches_reuse_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    connections: list[str] = []

    def found(request: Request) -> Response:
        connections.append(request.environ["REMOTE_PORT"])
        return Response('{"results": []}', content_type="application/json")

    with Loopback(found) as service, bootstrap.using(secrets=any_secret):
        monkeypatch.setenv("SELFRAG_WEB_BASE_URL", service.url)
        for _ in range(2):
            web.web()(None)("sea state 6", 3, Domains())
    first, second = connections
    assert first == second
