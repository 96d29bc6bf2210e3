"""Questions whose answers have a wrong number in every second case, before judges of several kinds.

Run it for a table: `python -m tests.support.wrong_numbers 50`.
"""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from selfrag import bootstrap
from selfrag.domain.calls import ModelCall
from selfrag.domain.decisions import DecisionQuestion
from selfrag.ports.decider import Decisions
from selfrag.ports.model import CitedBlocks, Judgement, ModelText, Prompt, Source, TextBlock
from selfrag.runtime.decider_settings import DeciderSettings
from selfrag.runtime.models import PROFILES
from selfrag_cli.local.stack import QUESTION, deployed_handlers
from tests.support.fakes import FakeEmbedder, FakeIndex, MemoryCache, passage
from tests.support.questions import response_to

STRATEGIES = ("self_rag", "adaptive", "candidates", "segments")
_NAMES = [f"{first}{last}" for first in ("Ar", "Bel", "Cor", "Dun", "Esk") for last in (
    "mouth", "field", "worth", "holm", "stead", "combe", "ridge", "marsh", "thorpe", "dale",
)]  # fmt: skip
_GRADERS = ("decide_retrieval", "grade_relevance", "grade_support", "grade_utility")
_MEASURED = {step: {"upper": 0.9, "lower": 0.1} for step in _GRADERS}


@dataclass(frozen=True)
class Judges:
    """The judges' settings and behaviour: a decision model and how it judges support, whether it is right, and how
    sure.

    A `gullible` Claude finds that each passage fully supports each answer.
    """

    settings: Mapping[str, Any]
    right: float = 1.0
    probability: float = 0.95
    knows_facts: bool = True
    gullible: bool = False


JUDGES = {
    "no decider": Judges({}),
    "no decider, Claude always full": Judges({}, gullible=True),
    "cascade, right": Judges({"decider_thresholds": _MEASURED}),
    "cascade, right half the time": Judges({"decider_thresholds": _MEASURED}, right=0.5),
    "cascade, always full": Judges({"decider_thresholds": _MEASURED}, knows_facts=False),
    "cascade, not measured, always full": Judges({}, knows_facts=False),
    "thrifty, right": Judges({"profile": "thrifty"}),
    "thrifty, right half the time": Judges({"profile": "thrifty"}, right=0.5),
    "thrifty, always full": Judges({"profile": "thrifty"}, knows_facts=False),
    "thrifty, full at .45": Judges({"profile": "thrifty"}, knows_facts=False, probability=0.45),
}


@dataclass
class Row:
    """The outcomes of a row: wrong numbers that went out as answered, right ones lost, calls, decisions and dollars."""

    wrong: int = 0
    lost: int = 0
    calls: int = 0
    decisions: int = 0
    usd: float = 0.0
    cited_wrong: int = 0


def seats(number: int) -> int:
    """Return the number of seats that the documents name."""
    return 217 + 37 * number


def run(name: str, count: int, strategy: str = "self_rag", *, stubborn: bool = False) -> Row:
    """Ask this many questions with these judges; a `stubborn` writer repeats errors that it should correct."""
    judges, row = JUDGES[name], Row()
    passages = [passage(f"p{n}", _fact(n, seats(n)), collection="c") for n in range(count)]
    config = DeciderSettings(decider_url="http://127.0.0.1:9", decider_model="d", **judges.settings)
    parts: dict[str, Any] = {"embedder": FakeEmbedder(), "verdicts": MemoryCache()}
    parts["decider_settings"] = DeciderSettings() if name.startswith("no decider") else config
    for number in range(count):
        index: Any = FakeIndex(passages[number], passages[(number + 1) % count])
        model, decider = Model(number, stubborn=stubborn, gullible=judges.gullible), Decider(number, judges)
        policy = {"web_search": False, "deadline_seconds": 100, "cache": False, "strategy": strategy}
        asked = {"question": f"How many seats does the lido {_NAMES[number]} have?", "collections": ["c"]}
        with bootstrap.using(
            **parts, index=index, claude=lambda limits, m=model: m, decider=lambda limits, d=decider: d
        ):
            response = response_to({**asked, "policy": policy}, deployed_handlers(QUESTION))
        answered, right = response["status"] == "answered", f" {seats(number)} seats" in response["answer"]
        row.wrong += answered and not right
        row.lost += number % 2 == 0 and not (answered and right)
        row.cited_wrong += not right and bool(response["citations"])
        row.calls += response["usage"]["model_calls"]
        row.decisions += response["usage"]["decisions"]
        row.usd += response["usage"]["cost_usd"]
    return row


class Model:
    """A writer whose number is wrong in every second question until corrected, and a judge."""

    def __init__(self, number: int, *, stubborn: bool, gullible: bool) -> None:
        self._number, self._stubborn, self._gullible = number, stubborn, gullible

    def model_of(self, step: str) -> str:
        """Return the model of a step."""
        return PROFILES["balanced"][step]

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> ModelText:
        """Return the number of seats, cited, or that nothing says it."""
        named = [n for n, source in enumerate(sources) if _NAMES[self._number] in "".join(source.blocks)]
        if not named or fields.get("so_far"):
            return ModelText((TextBlock("NO_ANSWER"),), None, call=_call(step, self.model_of(step)))
        is_wrong = self._number % 2 == 1 and (self._stubborn or not fields.get("failed_claims"))
        text = _fact(self._number, seats(self._number) + 7 * is_wrong)
        return ModelText(
            (TextBlock(text, (CitedBlocks(named[0], 0, 1),)),), None, call=_call(step, self.model_of(step))
        )

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[BaseModel]) -> Judgement[Any]:
        """Return the right verdict, or that of a gullible judge."""
        verdicts: dict[str, Any] = {
            "decide_retrieval": {
                "reason": "r", "decision": "complete" if fields.get("so_far") else "yes", "complexity": "complex",
                "query": "", "aggregate": False,
            },
            "grade_utility": {"reason": "r", "score": 5},
            "rewrite_question": {"reason": "r", "query": f"seats of {_NAMES[self._number]}"},
        }  # fmt: skip
        if step == "grade_relevance":
            verdicts[step] = {"reason": "r", "score": 0.9 * (_NAMES[self._number] in fields["passage"]["text"])}
        if step.startswith("grade_support"):
            claim = fields["answer"].replace(" [uncited]", "")
            numbers = [p["number"] for p in fields["passages"] if claim in p["text"]]
            other = [p["number"] for p in fields["passages"] if _NAMES[self._number] in p["text"]]
            support = "full" if numbers or self._gullible else "contradicted" if other else "none"
            verdicts[step] = {
                "claims": [{"claim": claim, "support": support, "passages": numbers or other, "missing": ""}]
            }
        named = {key: value for key, value in verdicts[step].items() if key in shape.model_fields}
        return Judgement(shape.model_validate(named), None, call=_call(step, self.model_of(step)))


class Decider:
    """A decision model: sure of every step, and of support as its row says."""

    model = "d"

    def __init__(self, number: int, judges: Judges) -> None:
        self._number, self._judges = number, judges

    def ask(self, step: str, state: Mapping[str, Any], questions: Mapping[str, DecisionQuestion]) -> Decisions:
        """Return the probabilities of each question's options."""
        answers = {name: self._answer(name, state, question.options) for name, question in questions.items()}
        return Decisions(answers=answers, call=_call(step, self.model, decision=True))

    def _answer(self, name: str, state: Mapping[str, Any], options: Sequence[str]) -> dict[str, float]:
        judges, own = self._judges, _NAMES[self._number]
        best, sure = next(each for each in ("yes", "5", "full", "complex", "complete") if each in options), 0.95
        if name == "aggregate" or (name == "relevant" and own not in state["passage"]["text"]):
            best = "no"
        if name == "continuation":
            best = "complete" if state.get("so_far") else "yes"
        if "full" in options:
            holds = any(state["sentences"][name] in each["text"] for each in state["passages"].values())
            is_right = judges.right == 1.0 or self._number // 2 % 2 == 0
            best, sure = "full" if not judges.knows_facts or holds == is_right else "contradicted", judges.probability
        rest = (1 - sure) / (len(options) - 1)
        return {option: sure if option == best else rest for option in options}


def _fact(number: int, value: int) -> str:
    return f"The lido {_NAMES[number]} has {value} seats."


def _call(step: str, model: str, *, decision: bool = False) -> ModelCall:
    now = time.time()
    return ModelCall(
        step=step, model=model, started_at=now, ended_at=now, stop_reason="end_turn", input_tokens=1000,
        output_tokens=50, cost_usd=0.00005 if decision else 0.0005 if "haiku" in model else 0.002, decision=decision,
    )  # fmt: skip


def main(count: int) -> None:
    """Print the table as JSON lines."""
    for strategy in STRATEGIES:
        for name in JUDGES:
            row = run(name, count, strategy)
            print(json.dumps({"strategy": strategy, "judges": name, "of": count, **vars(row)}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
