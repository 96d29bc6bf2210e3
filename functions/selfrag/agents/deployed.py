"""A deployment's functions as the service of agents."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
from typing_extensions import override

from selfrag.agents.services import AgentCaller, AgentService, call_api
from selfrag.api.edge.callers import caller_of
from selfrag.api.edge.gateway_event import GatewayEvent
from selfrag.api.edge.problems import ProblemError
from selfrag.api.lifecycle import authorized_collections
from selfrag.bootstrap import api
from selfrag.domain.errors import InvalidInput, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest, Filters
from selfrag.domain.steps import RetrieveTask
from selfrag.runtime.settings import AgentSettings, read

# API Gateway waits 29 s from the arrival of a request; the rest is for a last look at the question, and for the reply.
WAIT_SECONDS = 24.0
LOOK_SECONDS = 1.0


class DeployedService(AgentService):
    """The functions of a deployment, which are invoked for the caller of one request to API Gateway."""

    def __init__(self, event: GatewayEvent) -> None:
        self._event, self._functions, self._config = event, api.functions(), read(AgentSettings)
        context = event.get("requestContext", {})
        self._ends = context.get("requestTimeEpoch", 1000 * time.time()) / 1000 + WAIT_SECONDS
        self._call = partial(call_api, partial(self._functions, self._config.ask_function), context)

    @override
    async def ask(self, request: AskRequest, caller: AgentCaller) -> Mapping[str, Any]:
        response = self._call("POST", "/v1/questions", body=request.model_dump_json(exclude_unset=True))
        path = f"/v1/questions/{response['id']}"
        while response["status"] == "running" and time.time() < self._ends:
            await anyio.sleep(LOOK_SECONDS)
            try:
                response = self._call("GET", path)
            except TemporarilyUnavailable:
                continue
        return response

    @override
    async def get(self, path: str, query: Mapping[str, object], caller: AgentCaller) -> Mapping[str, Any]:
        return self._call("GET", path, query)

    @override
    async def search(self, query: str, filters: Filters, top_k: int) -> Mapping[str, Any]:
        try:
            # As of a question: the same collections, and the same right.
            collections = authorized_collections(
                AskRequest(question=query, filters=filters), caller_of(self._event, api.bindings(), "ask")
            )
        except ProblemError as problem:
            raise InvalidInput(f"{problem.detail} {problem.hint}") from None
        task = RetrieveTask(queries=[query], top_k=top_k, collections=collections, filters=filters)
        passages: Mapping[str, Any] = self._functions(self._config.retrieve_function, task.model_dump(mode="json"))
        return passages
