"""`selfrag questions`: from a directory of documents to a first set of questions, checked by code."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, cycle, zip_longest
from typing import Any, Literal, get_args

from pydantic import BaseModel

from selfrag.bootstrap import questions
from selfrag.domain.calls import Limits
from selfrag.domain.errors import BudgetExceeded, TemporarilyUnavailable
from selfrag.domain.fields import MAX_QUESTION_CHARACTERS
from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import CANDIDATES, best
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import load_prompt
from selfrag.text.east_asian import RUN
from selfrag_cli.feedback.gold import QuestionRow
from selfrag_cli.lab.matching import match
from selfrag_cli.local.backends import chosen_backends
from selfrag_cli.local.index import local_parts, open_embedder, open_index
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.stack import opened_stores

Kind = Literal["single_fact", "several_facts", "follow_up", "unanswerable"]
# A passage, and another one of its document.
Piece = tuple[Passage, Passage | None]
Search = Callable[[str], list[Passage]]
# The step whose model writes: drafting is no step of a deployment.
STEP = "generate"
# The number of passages in which an answer is looked for to a question that is to have none.
PASSAGES = 5
# The most tries for each question.
TRIES = 2
# A shorter passage is a heading, or holds no fact to ask about; a letter of Chinese, Japanese or Korean says as much
# as about three of English.
LEAST_LETTERS = 80
_EAST_ASIAN_WEIGHT = 3
_SEED = 1


class DraftTurn(BaseModel):
    """A question, and the words of the passages that answer it, each a fact; none where there is no answer."""

    facts: list[str]
    question: str

    def row(self) -> QuestionRow:
        """Return the question as a row of a set, with the facts in a row as its answer."""
        answer = ("、" if RUN.search("".join(self.facts)) else ", ").join(self.facts)
        return {"question": self.question, "answer": answer, "answerable": True}


class DraftReply(BaseModel):
    """The shape of the model's reply: the questions in the order in which they are asked."""

    turns: list[DraftTurn]


class AnswerCheck(BaseModel):
    """The shape of the model's verdict; the words come first, so that it looks for them before it decides."""

    quote: str
    answered: bool


@dataclass(frozen=True)
class QuestionDraft:
    """A question of a kind, behind the one that it follows, and the passages that they are about."""

    kind: Kind
    turns: Sequence[DraftTurn]
    passages: Sequence[Passage]

    @property
    def facts(self) -> list[str]:
        """Return the facts of all turns."""
        return [fact for turn in self.turns for fact in turn.facts]

    def flaw(self) -> str | None:
        """Return the flaw of a question as far as code can tell; None for none.

        Words are compared as `match` compares an answer with the right one.
        """
        if not all(0 < len(turn.question.strip()) <= MAX_QUESTION_CHARACTERS for turn in self.turns):
            return "there is no question, or it is too long"
        if self.kind == "unanswerable":
            return "it has an answer" if self.facts else None
        if not all(turn.facts for turn in self.turns):
            return "it has no answer"
        if self.kind == "several_facts" and len(self.facts) < 2:
            return "it needs one fact only"
        if not all(any(match(passage.text, fact) for passage in self.passages) for fact in self.facts):
            return "the answer does not stand in the passage"
        # A question gives away neither its own facts nor those that a later one asks for.
        if any(
            match(turn.question, fact)
            for at, turn in enumerate(self.turns)
            for later in self.turns[at:]
            for fact in later.facts
        ):
            return "the question says the answer"
        return None

    def with_sources(self) -> "QuestionDraft":
        """Return the draft with only those of its passages that hold a fact; all of them where there is no fact."""
        sources = [passage for passage in self.passages if any(match(passage.text, fact) for fact in self.facts)]
        return replace(self, passages=sources or self.passages)

    def rows(self, number: int) -> list[QuestionRow]:
        """Return the rows of a set; this number is the id of an earlier question."""
        *earlier, last = self.turns
        if self.kind == "unanswerable":
            return [{"question": last.question, "answerable": False, "kind": self.kind}]
        sources: QuestionRow = {
            "documents": list(dict.fromkeys(passage.document for passage in self.passages)),
            "passages": [passage.text for passage in self.passages],
        }
        rows: list[QuestionRow] = [
            {"id": str(number), **turn.row(), **sources, "kind": "single_fact"} for turn in earlier
        ]
        facts: QuestionRow = {"facts": last.facts} if len(last.facts) > 1 else {}
        after: QuestionRow = {"after": str(number)} if earlier else {}
        return [*rows, {**last.row(), **facts, **sources, "kind": self.kind, **after}]


class QuestionWriter:
    """Asks Claude for at most `most` dollars in all; None for no limit.

    `search` finds the best passages for a question, by which one without an answer is checked.
    """

    def __init__(self, claude: Callable[[Limits], Claude], search: Search, most: float | None) -> None:
        self._claude, self._search, self._most = claude, search, most
        self._to_write, self._to_answer = load_prompt(__name__, "write.md"), load_prompt(__name__, "answer.md")
        self.spent = 0.0

    def draft(self, kind: Kind, passage: Passage, other: Passage | None) -> QuestionDraft | str:
        """Return a checked question about a passage, or why there is none; `other` is one of the same document.

        Raises BudgetExceeded if the sum is spent, TemporarilyUnavailable if the model does not reply.
        """
        passages = [passage, other] if kind == "several_facts" and other else [passage]
        material = [{"number": number, **_shown(passage)} for number, passage in enumerate(passages, start=1)]
        reply = self._judge(self._to_write, {"kind": kind, "passages": material}, DraftReply)
        if reply.verdict is None:
            return f"the reply is {reply.flaw}"
        turns = [DraftTurn(question=" ".join(turn.question.split()), facts=turn.facts) for turn in reply.verdict.turns]
        if len(turns) != (2 if kind == "follow_up" else 1):
            return "the passage does not lend itself to the kind"
        draft = QuestionDraft(kind, turns, passages)
        if flaw := draft.flaw():
            return flaw
        if kind == "unanswerable" and self._may_have_answer(draft):
            return "a passage that the search finds may answer it"
        return draft.with_sources()

    def _may_have_answer(self, draft: QuestionDraft) -> bool:
        """Return whether the best passages of a search may answer the question; also where there is no verdict."""
        question = draft.turns[-1].question
        passages = {passage.passage_id: passage for passage in [*self._search(question), *draft.passages]}
        fields = {"question": question, "passages": list(map(_shown, passages.values()))}
        reply = self._judge(self._to_answer, fields, AnswerCheck)
        return reply.verdict is None or reply.verdict.answered

    def _judge(self, prompt: Any, fields: Mapping[str, object], shape: Any) -> Judgement[Any]:
        left = None if self._most is None else self._most - self.spent
        # An earlier reply about the same passages is not paid again.
        reply = self._claude(Limits(budget_usd=left)).judge(STEP, prompt, fields, shape)
        self.spent += sum(call.cost_usd or 0.0 for call in reply.usage["calls"])
        if reply.flaw == "unavailable":
            raise TemporarilyUnavailable(reply.cause)
        return reply


def _shown(passage: Passage) -> dict[str, object]:
    return {"document": passage.document, "title": passage.title, "text": passage.text}


@dataclass
class DraftingResult:
    """The drafts, the reasons for dropped tries, and the reason for an early end, if any."""

    drafts: list[QuestionDraft] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    ended: str = ""


def drafted(
    count: int, pieces: Iterable[Piece], writer: QuestionWriter, progress: Callable[[int], object]
) -> DraftingResult:
    """Draft `count` questions, or as many as the passages give; the kinds take turns."""
    outcome, seen = DraftingResult(), set[tuple[str, ...]]()
    for _, kind, piece in zip(range(TRIES * count), cycle(get_args(Kind)), pieces, strict=False):
        try:
            draft = writer.draft(kind, *piece)
        except (BudgetExceeded, TemporarilyUnavailable) as error:
            outcome.ended = str(error)
            break
        texts = () if isinstance(draft, str) else tuple(turn.question for turn in draft.turns)
        if isinstance(draft, str) or texts in seen:
            outcome.dropped[draft if isinstance(draft, str) else "it is asked already"] += 1
        else:
            seen.add(texts)
            outcome.drafts.append(draft)
        progress(len(outcome.drafts))
        if len(outcome.drafts) == count:
            break
    return outcome


def sampled(passages: Sequence[Passage]) -> Iterator[Piece]:
    """Yield each passage that is long enough, with another one of its document if there is one.

    Documents take turns, their passages by chance: the order is the same for the same documents.
    """
    rng = random.Random(_SEED)  # noqa: S311 (a choice of passages, no secret)
    by_document: dict[str, list[Passage]] = defaultdict(list)
    for passage in sorted(passages, key=lambda passage: (passage.document, passage.passage_id)):
        if len(passage.text) + (_EAST_ASIAN_WEIGHT - 1) * sum(map(len, RUN.findall(passage.text))) >= LEAST_LETTERS:
            by_document[passage.document].append(passage)
    documents = list(by_document.values())
    rng.shuffle(documents)
    for of_document in documents:
        rng.shuffle(of_document)
    pieces = [
        list(zip(of_document, [*of_document[1:], of_document[0] if of_document[1:] else None], strict=True))
        for of_document in documents
    ]
    yield from (piece for piece in chain.from_iterable(zip_longest(*pieces)) if piece)


@contextmanager
def writer_for(place: Place, max_cost: float | None) -> Iterator[QuestionWriter]:
    """Yield the writer that the settings name, over the stores of the home."""
    with (
        chosen_backends(place) as backends,
        opened_stores(backends.environment, backends.secrets, {**local_parts(), **backends.parts}),
    ):
        index, embedder, bounds = open_index(), open_embedder(), Bounds([place.collection])

        def search(question: str) -> list[Passage]:
            vector = embedder.query(question)
            return best(index.search(question, vector, CANDIDATES, bounds), PASSAGES, embedder.spread_floor)

        yield QuestionWriter(questions.model(STEP), search, max_cost)
