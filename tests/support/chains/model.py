"""A scripted model of the port Claude: it answers, judges and rewrites only from its input.

It reads "The RELATION of NAME is NAME." in passages, and "What is the R3 of the R2 of the R1 of NAME?" in questions.
"""

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from selfrag.domain.calls import ModelCall, cost_usd
from selfrag.ports.model import CitedBlocks, Judgement, ModelText, Prompt, Source, TextBlock
from selfrag.runtime.models import PROFILES

_FACT = re.compile(r"[Tt]he (\w+) of ((?:Project )?[A-Z]\w+) is ([A-Z\d][\w ]*)\.")
_QUESTION = re.compile(r"What is the (.+) of ((?:Project )?[A-Z]\w+)\?")
# Characters for a token, as the bench of the rows counts them.
_PER_TOKEN = 4


@dataclass(frozen=True)
class Fact:
    """A stated relation, and the number of its source."""

    relation: str
    subject: str
    value: str
    source: int

    @property
    def sentence(self) -> str:
        """Return it as a sentence."""
        return f"The {self.relation} of {self.subject} is {self.value}."


@dataclass(frozen=True)
class ChainModel:
    """The model; `phrases` makes it name search phrases, and `use` is its rating of an incomplete answer.

    Without `gaps` it gives no answer where a part is missing.
    """

    phrases: bool = True
    gaps: bool = True
    use: int = 3

    def model_of(self, step: str) -> str:
        """Return the model of a step."""
        return PROFILES["balanced"][step]

    def judge(self, step: str, prompt: Prompt, fields: Mapping[str, Any], shape: type[BaseModel]) -> Judgement[Any]:
        """Return a verdict."""
        verdict = getattr(self, step.removesuffix("_first"))(fields)
        named = {name: value for name, value in verdict.items() if name in shape.model_fields}
        return Judgement(shape.model_validate(named), None, call=self._call(step, prompt, fields, named))

    def write(self, step: str, prompt: Prompt, sources: Sequence[Source], fields: Mapping[str, Any]) -> ModelText:
        """Return an answer: each fact of the chain in the sources, cited, and the gap."""
        texts = ["".join(source.blocks) for source in sources]
        relations, subject = _asked(fields["question"])
        path, lacking = follow(relations, subject, [*texts, fields.get("so_far", "")])
        own = [fact for fact in path if fact.source < len(texts)]
        segments = [TextBlock(f"{fact.sentence} ", (CitedBlocks(fact.source, 0, 1),)) for fact in own]
        if fields["task"] == "segment":
            segments = segments[:1] or [TextBlock("NO_ANSWER")]
        elif not path or (lacking and not self.gaps):
            segments = [TextBlock("NO_ANSWER")]
        elif lacking:
            phrase = f"[{lacking[0]} of {lacking[1]}]" if self.phrases else ""
            gap = f"NOT_SAID{phrase}: The documents do not say what the {lacking[0]} of {lacking[1]} is."
            segments.append(TextBlock(gap))
        call = self._call(step, prompt, {"sources": texts, **fields}, [one.text for one in segments])
        return ModelText(tuple(segments), None, call=call)

    def decide_retrieval(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Search for every question; an answer that grows is complete once it ends the chain."""
        relations, subject = _asked(fields["question"])
        ends = fields.get("so_far") and not follow(relations, subject, [fields["so_far"]])[1]
        return {
            "reason": "A fact is asked for.", "decision": "complete" if ends else "yes", "aggregate": False,
            "complexity": "complex" if len(relations) > 1 else "simple", "query": fields["question"],
        }  # fmt: skip

    def grade_relevance(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Score by the rubric: a fact about what question or query names is a part, about anything else 0.3."""
        relations, subject = _asked(fields["question"])
        named = {subject, *re.findall(r"[A-Z]\w+", fields.get("query", ""))}
        scores = [
            0.8 if fact.relation in relations and fact.subject in named else 0.3
            for fact in facts([fields["passage"]["text"]])
        ]
        strips = [{"strip": strip["strip"], "score": 0.9} for strip in fields.get("strips", [])]
        return {"reason": "A relation is stated.", "score": max(scores, default=0.0), "strips": strips}

    def grade_support(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Support each sentence that a passage states."""
        stated = facts([passage["text"] for passage in fields["passages"]])
        claims = []
        for fact in facts([fields["answer"].replace(" [uncited]", "")]):
            holding = [one.source + 1 for one in stated if one.sentence == fact.sentence]
            support = "full" if holding else "none"
            claims.append({"claim": fact.sentence, "support": support, "passages": holding[:1], "missing": ""})
        return {"claims": claims or [{"claim": "Nothing.", "support": "none", "passages": [], "missing": ""}]}

    def grade_utility(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Find an answer that ends the chain of full use."""
        relations, subject = _asked(fields["question"])
        path, lacking = follow(relations, subject, [fields["answer"]])
        return {"reason": "The chain ends.", "score": 1 if not path else self.use if lacking else 5}

    def rewrite_question(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Ask for the first fact that the passages lack; without them only for the question in other words."""
        relations, subject = _asked(fields["question"])
        lacking = follow(relations, subject, [passage["text"] for passage in fields.get("passages", [])])[1]
        asked = f"{lacking[0]} of {lacking[1]}" if lacking else ""
        blind = f"{' '.join(reversed(relations))} {subject} ({len(fields['queries'])})"
        return {"reason": "The next link.", "query": blind if not asked or asked in fields["queries"] else asked}

    def _call(self, step: str, prompt: Prompt, asked: Any, reply: Any) -> ModelCall:
        now = time.time()
        sent = len(prompt.text) + len(json.dumps(asked, default=str))
        call = ModelCall(
            step=step, model=self.model_of(step), started_at=now, ended_at=now, stop_reason="end_turn",
            input_tokens=sent // _PER_TOKEN, output_tokens=len(json.dumps(reply)) // _PER_TOKEN,
        )  # fmt: skip
        return call.model_copy(update={"cost_usd": cost_usd(call, {})})


def facts(texts: Iterable[str]) -> list[Fact]:
    """Return the facts that texts state."""
    return [Fact(*found.groups(), number) for number, text in enumerate(texts) for found in _FACT.finditer(text)]


def follow(relations: Sequence[str], subject: str, texts: Iterable[str]) -> tuple[list[Fact], tuple[str, str] | None]:
    """Return the facts of a chain as far as texts state them, and the relation and the name that come next."""
    stated = {(fact.relation, fact.subject): fact for fact in reversed(facts(texts))}
    path: list[Fact] = []
    for relation in relations:
        fact = stated.get((relation, subject))
        if fact is None:
            return path, (relation, subject)
        path.append(fact)
        subject = fact.value
    return path, None


def _asked(question: str) -> tuple[list[str], str]:
    """Return the relations of a question in the order in which they are followed, and where they begin."""
    found = _QUESTION.match(question)
    if found is None:
        raise ValueError(f"not a question of this world: {question!r}")
    return list(reversed(found[1].split(" of the "))), found[2]
