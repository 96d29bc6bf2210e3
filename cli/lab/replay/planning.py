"""What a replay changes, what it may cost, and the run of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cli.lab.replay.judging import judging
from cli.lab.replay.replaying import Replay, Tell, to_judge
from cli.lab.replay.report import Found
from cli.lab.replay.traces import GRADERS, Trace
from cli.lab.runs.budget import Budget
from cli.lab.runs.prompts import read_prompt, read_step
from cli.lab.runs.tasks import TOKENS
from selfrag import bootstrap
from selfrag.domain.calls import price_of
from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.ports.prompts import Prompt
from selfrag.runtime.models import FIRST

# A verdict is begun only if it may cost so many times what one usually does.
MARGIN = 10


@dataclass(frozen=True)
class Changes:
    """Prompts and models in place of the graders' own, by their folders."""

    prompts: Mapping[str, Prompt]
    models: Mapping[str, str]

    @classmethod
    def of(cls, prompts: Sequence[str], models: Sequence[str]) -> "Changes":
        """Of `STEP=FILE` and `STEP=MODEL`; raises InvalidInput with one sentence."""
        read = [read_prompt(text, tuple(GRADERS.values())) for text in prompts]
        wanted = "a step and a model: --model grade_support=claude-opus-5-5"
        named = [read_step(text, (*GRADERS.values(), FIRST), wanted) for text in models]
        for steps in ([step for step, _, _ in read], [step for step, _ in named]):
            for step in steps:
                if steps.count(step) > 1:
                    raise InvalidInput(f"{step} can be changed in one way at a time.")
        return cls({step: prompt for step, _, prompt in read}, dict(named))

    @property
    def steps(self) -> set[str]:
        """The folders of the steps that judge otherwise."""
        return {*self.prompts, *("grade_support" if step == FIRST else step for step in self.models)}


def replayed(
    traces: Sequence[Trace],
    changes: Changes,
    parallel: int,
    max_cost: float | None,
    say: Callable[[str], None],
    tell: Tell,
) -> Found:
    """Judge traces again, for so many dollars at most, None for no limit; `say` hears what is about to be done.

    Raises Misconfigured for a service or a model that cannot be, or a limit without prices, and InvalidInput for a
    limit that buys nothing.
    """
    wanted = to_judge(traces, changes.steps)
    with judging(traces, changes.prompts, changes.models) as judges:
        new = {name: step for name, step in wanted.items() if judges.is_new(step)}
        steps = [GRADERS[step.name] for step in new.values()]
        told = ", ".join(f"{steps.count(step)} by {step}" for step in dict.fromkeys(steps)) or "none"
        say(f"{len(wanted)} verdicts, of which {len(steps)} may be asked for: {told}")
        budget = None if max_cost is None else Budget(max_cost, 0.0, MARGIN * max(map(_usual, {*steps}), default=0.0))
        if budget and budget.least > budget.most:
            raise InvalidInput(f"A verdict is only begun with {budget.least:.4f} dollars left, so that none is cut.")
        # What costs nothing comes first, so that no limit keeps it away.
        first = {name: step for name, step in wanted.items() if name not in new}
        return Found(traces, wanted, Replay(judges, parallel, budget, tell).run({**first, **new}))


def _usual(step: str) -> float:
    """What a verdict usually costs in dollars, by the models and prices of the settings."""
    settings = bootstrap.settings()
    _, read, written = TOKENS[step]
    asked = [
        settings.models[name] for name in (step, FIRST if step == "grade_support" else step) if name in settings.models
    ]
    prices = [price_of(model, settings.prices) for model in dict.fromkeys(asked)]
    if None in prices:
        raise Misconfigured("--max-cost needs the price of every model: give it in SELFRAG_PRICES.")
    return sum(read * price[0] + written * price[1] for price in prices if price) / 1_000_000
