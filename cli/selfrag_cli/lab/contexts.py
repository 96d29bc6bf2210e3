"""The passages that the writer of an answer was given, from its execution's history (pure)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from selfrag.domain.history import Step
from selfrag.domain.passages import Evidence, Passage
from selfrag.question.generate.citations import source_of


class _Written(NamedTuple):
    """A text and the passages that it was written from."""

    text: str
    passages: list[Passage]


def written_from(steps: Sequence[Step], response: Mapping[str, Any]) -> list[Passage]:
    """Return the passages as the writer of this answer was shown them, each once; none for a direct answer.

    An answer that grew by sentences, or for which several passages voted, has those of all its parts. Where the
    response has no writer's text, as in an abstention, they are those of the last attempt to write one.
    """
    written = [one for step in steps if step.name == "Generate" for one in _of_step(step)]
    answer, cited = str(response["answer"]), {one["passage_id"] for one in response["citations"]}
    whole = [one for one in written if one.text == answer and cited <= _ids(one)]
    parts = [one for one in written if one.text and one.text in answer and (cited & _ids(one) or not one.passages)]
    found = whole[-1:] or parts or written[-1:]
    return list({passage.passage_id: passage for one in found for passage in one.passages}.values())


def _ids(written: _Written) -> set[str]:
    return {passage.passage_id for passage in written.passages}


def _of_step(step: Step) -> Iterator[_Written]:
    given, result = step.given or {}, step.result if isinstance(step.result, dict) else {}
    passages = [] if given.get("mode") == "direct" else [_shown(one, given) for one in given.get("passages", [])]
    # The fine-tuned model writes an answer from each passage in one step.
    for one in result.get("written", []):
        yield _Written(one["answer"], [passage for passage in passages if passage.passage_id == one["passage_id"]])
    if "written" not in result:
        yield _Written(str(result.get("answer", "")), passages)


def _shown(passage: Mapping[str, Any], given: Mapping[str, Any]) -> Passage:
    """Return a passage with the text that the writer sees of it: the strips that were kept, or all."""
    strips = (given.get("strips") or {}).get(passage["passage_id"]) or passage.get("strips") or []
    whole = Evidence.model_validate({**passage, "strips": strips}, extra="ignore")
    shown = Passage.model_validate(passage, extra="ignore")
    if not strips:
        return shown
    return shown.model_copy(update={"text": "".join(source_of(whole).blocks), "rows": []})
