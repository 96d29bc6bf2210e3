"""The state of a question between two passes."""

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import ConfigDict

from selfrag.domain.answers import Draft, Pass
from selfrag.domain.base import Model
from selfrag.domain.ledger import Entry
from selfrag.domain.questions import Filters
from selfrag.domain.scores.shown import Scores
from selfrag.domain.steps import Beam, Brief, CandidateAnswers
from selfrag.domain.verdicts import RelevanceVerdict, RetrievalVerdict


class QuestionBrief(Brief):
    """The brief of a question with a deadline.

    `collections` are those of the question; the earlier turn may cover more than the filters name.
    """

    deadline_ms: float


class State(Model):
    """The state of a question under any strategy.

    `relevance` has the passage verdicts, `previous_relevance` those of the earlier answer's evidence. `best` is the
    best checked answer, `draft` the latest. `text_hits` is the highest full-text count of a query, null if the store
    does not count. `documents` and `dates` map passages, `newer` maps an older version to its newest, `seen` are
    earlier search results, `turn` is the current pass, and `passes` are all passes with reasons. `compared` is input
    for RankPaths and PickCandidate. `guarded` if the guardrail blocked the request.
    """

    model_config = ConfigDict(extra="ignore")

    brief: QuestionBrief
    strategy: str
    min_utility: int
    filters: Filters = Filters()
    reflects: bool = True
    previous_relevance: list[RelevanceVerdict] = []
    retrieval: RetrievalVerdict | None = None
    relevance: list[RelevanceVerdict] = []
    queries: list[str] = []
    documents: dict[str, str] = {}
    dates: dict[str, str] = {}
    newer: dict[str, str] = {}
    seen: list[str] = []
    bytes: int = 0
    text_hits: int | None = None
    draft: Draft = Draft()
    best: Draft = Draft()
    scores: Scores | None = None
    ledger: list[Entry] = []
    turn: int = 0
    passes: list[Pass] = []
    compared: Beam | CandidateAnswers | None = None
    guarded: Literal["request"] | None = None

    def newest_ids(self, passage_id: str) -> list[str]:
        """Return the ids of a passage and its newest version, if newer."""
        return [passage_id, *([self.newer[passage_id]] if passage_id in self.newer else [])]

    def merge_relevance(self, verdicts: Iterable[RelevanceVerdict | None]) -> Self:
        """Merge verdicts: the best per passage, in passage order."""
        graded = [verdict for verdict in (*self.relevance, *verdicts) if verdict]
        best = {verdict.passage_id: verdict for verdict in sorted(graded, key=lambda verdict: verdict.score or 0.0)}
        in_order = dict.fromkeys(verdict.passage_id for verdict in graded)
        return self.replace(relevance=[best[passage_id] for passage_id in in_order])

    def add_entries(self, entries: list[Entry]) -> Self:
        """Append ledger entries."""
        return self.replace(ledger=[*self.ledger, *entries])
