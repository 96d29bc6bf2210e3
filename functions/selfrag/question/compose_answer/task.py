"""The task of ComposeAnswer: the final state of a question."""

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
    """The state of a question; `best` is the best checked answer, `draft` the latest.

    `statements` are queries that are draft sentences. Unless it `reflects`, the strategy returns unchecked answers.
    Reports that Plan could not process are at the end of the ledger. `passages` are those at hand, with shortened
    texts. `began_ms` is the start of the question. `unkept` is the error of storing a composed response; nothing is
    composed then. An answer's gaps are `doubtful` if a refused passage may fill them; `newer` maps older passages to
    their newest versions. `guarded` names the text that the guardrail blocked.
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
    def _merge_state(cls, event: dict[str, Any]) -> dict[str, Any]:
        """Merge the state from Plan (empty if its first run failed) and later entries."""
        state = event.get("state") or {}
        turn = state.get("turn", 0) + 1
        lost = [entry_of(report, turn) for report in REPORTS.validate_python(event.get("results", []))]
        return {**state, **event, "ledger": [*state.get("ledger", []), *event.get("ledger", []), *lost]}

    @property
    def problems(self) -> list[Entry]:
        """Return the steps without a result, except wasted speculative work.

        A flawed text may still be an answer or its beginning; without one, its flaw is its error.
        """
        return [
            entry
            for entry in self.ledger
            if not entry.waste and (entry.error or (entry.flaw and entry.step != "Generate"))
        ]
