"""`selfrag questions`: from a directory of documents to a first set of questions."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, cycle, zip_longest
from typing import Any, get_args

from pydantic import BaseModel

from selfrag.bootstrap import questions
from selfrag.domain.calls import Limits
from selfrag.domain.errors import BudgetExceeded, TemporarilyUnavailable
from selfrag.domain.passages import Bounds, Passage
from selfrag.ports.index import CANDIDATES, best
from selfrag.ports.model import Claude, Judgement
from selfrag.ports.prompts import load_prompt
from selfrag.text.east_asian import RUN
from selfrag_cli.lab.drafting.drafts import DraftTurn, Kind, QuestionDraft, flaw_of, with_sources
from selfrag_cli.local.backends import chosen_backends
from selfrag_cli.local.index import local_parts, open_embedder, open_index
from selfrag_cli.local.sources.place import Place
from selfrag_cli.local.stack import opened_stores

Search = Callable[[str], list[Passage]]
# The step whose model writes: drafting is no step of a deployment.
STEP = "generate"


class WrittenTurn(BaseModel):
    """A question, and the words of the passages that answer it."""

    facts: list[str]
    question: str


class DraftReply(BaseModel):
    """The shape of the model's reply: the questions in the order in which they are asked."""

    turns: list[WrittenTurn]


class AnswerCheck(BaseModel):
    """The shape of the model's verdict; the words come first, so that it looks for them before it decides."""

    quote: str
    answered: bool


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
        fields = {
            "kind": kind,
            "passages": [
                {"number": number, "document": p.document, "title": p.title, "text": p.text}
                for number, p in enumerate(passages, start=1)
            ],
        }
        reply = self._within().judge(STEP, self._to_write, fields, DraftReply)
        self._pay(reply)
        if reply.verdict is None:
            return f"the reply is {reply.flaw}"
        turns = [DraftTurn(" ".join(turn.question.split()), tuple(turn.facts)) for turn in reply.verdict.turns]
        if len(turns) != (2 if kind == "follow_up" else 1):
            return "the passage does not lend itself to the kind"
        draft = QuestionDraft(kind, turns[-1], tuple(passages), turns[0] if len(turns) > 1 else None)
        if flaw := flaw_of(draft):
            return flaw
        if kind == "unanswerable" and self._may_have_answer(draft):
            return "a passage that the search finds may answer it"
        return with_sources(draft)

    def _may_have_answer(self, draft: QuestionDraft) -> bool:
        """Return whether the best passages of a search may answer the question; also where there is no verdict."""
        passages = _distinct([*self._search(draft.turn.question), *draft.passages])
        shown = [{"document": p.document, "title": p.title, "text": p.text} for p in passages]
        fields = {"question": draft.turn.question, "passages": shown}
        reply = self._within().judge(STEP, self._to_answer, fields, AnswerCheck)
        self._pay(reply)
        return reply.verdict is None or reply.verdict.answered

    def _within(self) -> Claude:
        left = None if self._most is None else self._most - self.spent
        # An earlier reply about the same passages is not paid again.
        return self._claude(Limits(budget_usd=left))

    def _pay(self, reply: Judgement[Any]) -> None:
        self.spent += sum(call.cost_usd or 0.0 for call in reply.usage["calls"])
        if reply.flaw == "unavailable":
            raise TemporarilyUnavailable(reply.cause)


def _distinct(passages: Sequence[Passage]) -> list[Passage]:
    return list({passage.passage_id: passage for passage in passages}.values())


# A passage, and another one of its document.
Piece = tuple[Passage, Passage | None]
# The number of passages in which an answer is looked for to a question that is to have none.
PASSAGES = 5
# The most tries for each question.
TRIES = 2
# A shorter passage is a heading, or holds no fact to ask about; a letter of Chinese, Japanese or Korean says as much
# as about three of English.
LEAST_LETTERS = 80
_EAST_ASIAN_WEIGHT = 3
_SEED = 1


@dataclass
class DraftingResult:
    """The drafts, the reasons for dropped tries, and the reason for an early end, if any."""

    drafts: list[QuestionDraft] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    ended: str = ""


def drafted(
    count: int, pieces: Iterable[Piece], writer: QuestionWriter, progress: Callable[[int], None]
) -> DraftingResult:
    """Draft `count` questions, or as many as the passages give; the kinds take turns."""
    outcome, seen = DraftingResult(), set[tuple[str, ...]]()
    tries = zip(range(TRIES * count), cycle(get_args(Kind)), pieces, strict=False)
    for _, kind, piece in tries:
        try:
            draft = writer.draft(kind, *piece)
        except (BudgetExceeded, TemporarilyUnavailable) as error:
            outcome.ended = str(error)
            break
        if isinstance(draft, QuestionDraft) and draft.questions in seen:
            draft = "it is asked already"
        if isinstance(draft, QuestionDraft):
            seen.add(draft.questions)
            outcome.drafts.append(draft)
        else:
            outcome.dropped[draft] += 1
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
        if _weight(passage.text) >= LEAST_LETTERS:
            by_document[passage.document].append(passage)
    documents = list(by_document.values())
    rng.shuffle(documents)
    for of_document in documents:
        rng.shuffle(of_document)
    pieces = [_with_next(of_document) for of_document in documents]
    yield from (piece for piece in chain.from_iterable(zip_longest(*pieces)) if piece)


def _with_next(passages: Sequence[Passage]) -> list[Piece]:
    if len(passages) == 1:
        return [(passages[0], None)]
    return list(zip(passages, [*passages[1:], passages[0]], strict=True))


def _weight(text: str) -> int:
    return len(text) + (_EAST_ASIAN_WEIGHT - 1) * sum(map(len, RUN.findall(text)))


def passages_of(place: Place) -> list[Passage]:
    """Return all passages of a place that is in step."""
    return open_index().all_of(place.collection)


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
