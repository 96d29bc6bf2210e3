"""What the workflow gathered for ComposeAnswer."""

from pydantic import BaseModel, ConfigDict

from selfrag.domain.answers import Citation
from selfrag.domain.ledger import Entry
from selfrag.domain.questions import Filters
from selfrag.domain.scores.shown import Scores
from selfrag.domain.verdicts import Critique, RelevanceVerdict, RetrievalVerdict


class Draft(Critique):
    """An answer and what the graders said of it; `direct` means that it was written without a search.

    One that is not `relevant` rests on a passage that was found not to be: it won under soft constraints.
    """

    # The workflow keeps more with a draft, such as its score.
    model_config = ConfigDict(extra="ignore")

    answer: str = ""
    citations: list[Citation] = []
    direct: bool = False
    cut: bool = False
    relevant: bool = True


class Task(BaseModel):
    """Everything that the workflow gathered; `best` is the best checked answer, `draft` the last one written.

    Where nothing `reflects`, the strategy has its answers go out as they were written.
    """

    id: str
    question: str = ""
    best: Draft = Draft()
    draft: Draft = Draft()
    min_utility: int = 3
    strategy: str = "self_rag"
    reflects: bool = True
    late: bool = False
    retrieval: RetrievalVerdict | None = None
    relevance: list[RelevanceVerdict] = []
    queries: list[str] = []
    filters: Filters = Filters()
    ledger: list[Entry] = []
    scores: Scores | None = None
    execution_arn: str = ""
    started_ms: float = 0.0

    @property
    def problems(self) -> list[tuple[str, str]]:
        """The steps that brought nothing, each with why."""
        return [(entry.step, entry.error) for entry in self.ledger if entry.error]
