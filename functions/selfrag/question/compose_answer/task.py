"""The task of ComposeAnswer: everything that the workflow gathered."""

from typing import Any

from pydantic import BaseModel, model_validator

from selfrag.domain.answers import Draft, Pass
from selfrag.domain.ledger import Entry
from selfrag.domain.passages import Passage
from selfrag.domain.questions import Filters
from selfrag.domain.scores.shown import Scores
from selfrag.domain.verdicts import RelevanceVerdict, RetrievalVerdict
from selfrag.plan.reports import REPORTS, entry_of
from selfrag.ports.guardrail import Side


class ComposeAnswerTask(BaseModel):
    """The state of a question; `best` is the best checked answer, `draft` the last one written.

    `statements` are the queries that are sentences of a draft. Unless it `reflects`, the strategy sends its answers out
    unchecked. Reports that no plan took in, because Plan failed, are at the end of the ledger. `passages` are the ones
    at hand, their texts cut. `began_ms` is when the question began. `unkept` is the error by which a response that was
    composed before could not be stored; nothing is composed then. What an answer does not say is `doubtful` if a
    passage that may say it was refused, and `newer` has the newest version of older passages. `guarded` is what the
    guardrail did not let pass.
    """

    id: str
    question: str = ""
    best: Draft = Draft()
    draft: Draft = Draft()
    min_utility: int = 3
    strategy: str = "self_rag"
    reflects: bool = True
    late: bool = False
    doubtful: bool = False
    documents: dict[str, str] = {}
    dates: dict[str, str] = {}
    newer: dict[str, str] = {}
    retrieval: RetrievalVerdict | None = None
    relevance: list[RelevanceVerdict] = []
    queries: list[str] = []
    statements: list[str] = []
    filters: Filters = Filters()
    text_hits: int | None = None
    ledger: list[Entry] = []
    passes: list[Pass] = []
    scores: Scores | None = None
    passages: list[Passage] = []
    execution_arn: str = ""
    began_ms: float = 0.0
    unkept: str = ""
    guarded: Side | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_state(cls, event: dict[str, Any]) -> dict[str, Any]:
        """Merge in the state that Plan returned (empty if its first run failed), and the entries after it."""
        state = event.get("state") or {}
        turn = state.get("turn", 0) + 1
        lost = [entry_of(report, turn) for report in REPORTS.validate_python(event.get("results", []))]
        return {**state, **event, "ledger": [*state.get("ledger", []), *event.get("ledger", []), *lost]}

    @property
    def problems(self) -> list[Entry]:
        """Return the steps without a result, wasted speculative work apart.

        A text with a flaw may still be an answer, or the beginning of one; without one, its flaw is its error.
        """
        return [
            entry
            for entry in self.ledger
            if not entry.waste and (entry.error or (entry.flaw and entry.step != "Generate"))
        ]
