"""Probe of a model with the steps' code: a small verdict, a cited passage, and features that its server ignored."""

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import partial
from typing import Any

from selfrag.adapters.claude.capabilities import Capabilities
from selfrag.adapters.claude.cost_budget import CostBudget
from selfrag.adapters.claude.profiles import Feature
from selfrag.adapters.decider import SystemOneDecider, decider_client
from selfrag.adapters.model import ServiceModel
from selfrag.adapters.outbound import host_of, http_client_for, read_json
from selfrag.adapters.reflection_tokens import ReflectionDecider, completions_client
from selfrag.bootstrap.questions import service_of
from selfrag.domain.decisions import YES
from selfrag.domain.errors import Misconfigured, RequestRejected, SelfragError, TemporarilyUnavailable
from selfrag.domain.passages import Evidence
from selfrag.domain.steps import GenerateResult, GenerateTask
from selfrag.judging.prompts import load_prompt
from selfrag.judging.questions import load_questions
from selfrag.ports.model import Prompt
from selfrag.ports.recent import Recent
from selfrag.question.generate import logic as generate
from selfrag.question.grade_relevance import logic as grade_relevance
from selfrag.runtime.circuit_breaker import CircuitBreaker
from selfrag.runtime.clock import Clock
from selfrag.runtime.decider_settings import DeciderProtocol
from selfrag.runtime.pace import Pace
from selfrag.runtime.settings import Settings
from selfrag_cli.models.access import hint_of

# A self-hosted server may have to load its model first.
SECONDS, LOCAL_SECONDS = 20.0, 180.0
WRITER, GRADER = "generate", "grade_relevance"
PASSAGE = Evidence(passage_id="p", document="leave.md", title="Leave", text="Everybody has 25 days of leave a year.")
UNRELATED = Evidence(passage_id="u", document="gym.md", title="Gym", text="The gym is in the cellar of house B.")
QUESTION = "How many days of leave do I have?"
_OTHER = "Choose another model, or another server for it."
_OTHER_ID = "Choose another id in `models`, or another region: the model catalog of Bedrock's console lists both."
_SLOW = "Choose a smaller model or a faster machine: a question has 180 seconds in all."
_NUMBERED = "Name the server with SELFRAG_MODEL and SELFRAG_MODEL_URL, by which passages go as numbered sentences."
# Request fields by feature; those with another name in the chat-completions API.
_FIELDS: dict[Feature, str] = {
    "json_schema": "output_config", "forced_tool": "tool_choice", "offered_tool": "tools", "words": "JSON in words",
    "thinking": "thinking", "effort": "effort", "hour": "ttl",
}  # fmt: skip
_CHAT_FIELDS: dict[Feature, str] = {"json_schema": "response_format", "effort": "reasoning_effort"}
# Default window of a decision model.
_DECIDER_WINDOW = 4096
# Sources of a model's window: the model list of Anthropic, vLLM and llama.cpp; Ollama's list of loaded models.
_LIST, _LOADED = "/v1/models?limit=1000", "/api/ps"
_WINDOWS = ("max_input_tokens", "max_model_len", "n_ctx", "context_length")


@dataclass
class ModelReport:
    """A model at its server, and its capabilities; None and "" mean untested or unknown.

    `verdict` is the request field that produced a verdict in `seconds`; `citations` is the format of the cited sources;
    `gaps` are ignored, dropped or refused features; `decisions` are the probabilities of yes for a passage with an
    answer and one without. `error` explains failing questions, with advice as its hint.
    """

    model: str
    server: str = ""
    reachable: bool = False
    present: bool | None = None
    verdict: str = ""
    citations: str = ""
    gaps: tuple[str, ...] = ()
    window_tokens: int | None = None
    seconds: float | None = None
    decisions: tuple[float, float] | None = None
    error: SelfragError | None = None


def probe(config: Settings, model: str, steps: Set[str], key: str, region: str | None = None) -> ModelReport:
    """Probe a model for these steps: a verdict unless they only write, and an answer if they write."""
    report = ModelReport(model)
    try:
        _Probe(config, report, key, region).run(steps)
    except SelfragError as error:
        report.error = error
        if config.model and isinstance(error, TemporarilyUnavailable):
            error.hint = _SLOW if report.reachable else "Start the server, or name another one in SELFRAG_MODEL_URL."
        elif config.model_provider == "bedrock":
            error.hint = hint_of(error) or _OTHER_ID
        elif isinstance(error, RequestRejected):
            error.hint = _NUMBERED if config.model_base_url else _OTHER
    return report


def probe_decider(
    url: str, key: str, model: str, window_tokens: int, protocol: DeciderProtocol = "systemone"
) -> ModelReport:
    """Return a decision model's confidence for a passage with an answer and one without."""
    report = ModelReport(model, host_of(url))
    connect: Any = partial(completions_client if protocol == "completions" else decider_client, url, key)
    kind = ReflectionDecider if protocol == "completions" else SystemOneDecider
    judge = kind(connect, url, model, window_tokens, 0.0, partial(_pace, SECONDS), CircuitBreaker(model, Clock().now))
    questions = {"relevant": load_questions(grade_relevance.__name__)["relevant"]}

    def sure_of(passage: Evidence) -> float:
        decisions = judge.ask(GRADER, {"question": QUESTION, "passage": passage.quoted()}, questions)
        if decisions.answers is None:
            raise Misconfigured(f"{model} gives no decision: {decisions.cause}")
        report.present = True
        return decisions.answers["relevant"][YES]

    try:
        read_json(http_client_for(url), url.rstrip("/").removesuffix("/v1") + _LIST)
        report.reachable = True
        report.decisions = sure_of(PASSAGE), sure_of(UNRELATED)
    except SelfragError as error:
        error.hint = "docs/evaluation.md says what it needs."
        report.error = error
    return report


class _Probe:
    """Requests to a model; their results go into the report."""

    def __init__(self, config: Settings, report: ModelReport, key: str, region: str | None) -> None:
        self._config, self._report, self._key = config, report, key
        self._service = service_of(config, report.model)
        self._capabilities = Capabilities(first_profile=self._service.profile)
        self._client = self._service.connect(config, key, region)
        self._url = str(self._client.base_url)
        report.server = host_of(self._url)

    def run(self, steps: Set[str]) -> None:
        """Send these steps' requests; raises the error of a failed one."""
        report, local = self._report, bool(self._config.model)
        entries = _entries(self._service.read(self._client, _LIST))
        report.reachable = True
        if entries and not any(_is(entry, report.model) for entry in entries):
            report.present = False
        try:
            if steps - {WRITER}:
                self._judge()
            if WRITER in steps:
                self._write()
        finally:
            lost = (f"{deed} {self._field(feature)}" for deed, feature in self._capabilities.lost)
            report.gaps = (*lost, *report.gaps)
            report.window_tokens = _window(report.model, entries + _entries(self._service.read(self._client, _LOADED)))
            if local and report.present and entries and not any(_is(entry, report.model) for entry in entries):
                report.gaps += (f"ignores the name, and has {_name_of(entries[0])}",)
        if local or (self._config.model_base_url and self._config.model_provider == "anthropic"):
            report.decisions = probe_decider(self._url, self._key, report.model, _DECIDER_WINDOW).decisions

    def _judge(self) -> None:
        fields = {"question": QUESTION, "passage": PASSAGE.quoted()}
        prompt = self._prompt(grade_relevance.__name__)
        judged = self._model().judge(GRADER, prompt, fields, grade_relevance.Relevance)
        if judged.call is None:
            raise TemporarilyUnavailable(judged.cause)
        report, way = self._report, self._capabilities.profile_for(self._report.model).way
        report.present, report.seconds = True, judged.call.ended_at - judged.call.started_at
        if judged.flaw:
            report.error = _make_error(f"{report.model} gave no verdict: its reply was {judged.flaw}", _OTHER)
        else:
            report.verdict = self._field(way)

    def _write(self) -> None:
        report, written = self._report, self._write_answer([PASSAGE])
        if not written.calls:
            raise TemporarilyUnavailable(written.cause)
        report.present = True
        if written.citations:
            report.citations = "search results" if self._service.cites else "numbered sentences"
        elif self._service.cites and _tokens(written) <= _tokens(self._write_answer([])):
            report.gaps += ("drops passages",)
            words = f"{report.model} is not shown the passages, which its server drops"
            report.error = report.error or _make_error(words, _NUMBERED)
        else:
            words = f"{report.model} answers without citations, which every answer needs"
            report.error = report.error or _make_error(words, _OTHER)

    def _write_answer(self, passages: list[Evidence]) -> GenerateResult:
        task = GenerateTask(question=QUESTION, passages=passages)
        return generate.generate(task, self._model(), self._prompt(generate.__name__))

    def _model(self) -> ServiceModel:
        models = dict.fromkeys((GRADER, WRITER), self._report.model)
        pace = _pace(LOCAL_SECONDS if self._config.model or self._config.model_base_url else SECONDS)
        return self._service(self._client, models, pace, CostBudget(None, {}), self._capabilities)

    def _prompt(self, module: str) -> Prompt:
        prompt = load_prompt(module)
        return (self._config.model and prompt.local) or prompt

    def _field(self, feature: Feature) -> str:
        return (_CHAT_FIELDS if self._config.model else {}).get(feature, _FIELDS[feature])


def _make_error(words: str, hint: str) -> Misconfigured:
    error = Misconfigured(words)
    error.hint = hint
    return error


class _NoRecord:
    """An empty record of recent calls."""

    def record_call(self, step: str, model: str) -> Recent:
        return Recent()

    def record_refusal(self, model: str, seconds: float) -> None:
        pass


def _pace(seconds: float) -> Pace:
    return Pace(Clock(), _NoRecord(), seconds, (Clock().now() + seconds) * 1000, seconds)


def _tokens(written: GenerateResult) -> int:
    """Return the input tokens of an answer's last call, cached ones included."""
    call = written.calls[-1]
    return call.input_tokens + call.cache_read_input_tokens + call.cache_creation_input_tokens


def _entries(reply: Any) -> list[dict[str, Any]]:
    """Return the models in a list: `data`, or `models` for Ollama's loaded ones."""
    models = (reply.get("data") or reply.get("models")) if isinstance(reply, dict) else None
    return [model for model in models if isinstance(model, dict)] if isinstance(models, list) else []


def _name_of(entry: dict[str, Any]) -> str:
    return str(entry.get("id") or entry.get("name"))


def _is(entry: dict[str, Any], model: str) -> bool:
    """Return whether an entry is this model; Ollama omits `latest`, Anthropic the date."""
    return model in (_name_of(entry), re.split(r":latest$|-\d{8}$", _name_of(entry))[0])


def _window(model: str, entries: list[dict[str, Any]]) -> int | None:
    """Return the context window from the model's entries, or from a single entry of any name."""
    for entry in [entry for entry in entries if len(entries) == 1 or _is(entry, model)]:
        meta = entry.get("meta")
        fields = {**(meta if isinstance(meta, dict) else {}), **entry}
        for name in _WINDOWS:
            if isinstance(fields.get(name), int):
                return int(fields[name])
    return None
