"""False alarms of the check of numbers, dates and codes on labelled claims, and the changed numbers that it notices."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from selfrag.domain.passages import Passage
from selfrag.question.grade_support.fact_check import FactChecker
from selfrag.text.sentences import split_sentences
from selfrag_cli.terminal import print_line

PARAPHRASES = Path(__file__).with_name("paraphrases.psv")
# References such as "passage 2", and the numbers of items, have one.
_NUMBER = re.compile(r"\d{2,}")


@dataclass(frozen=True)
class Claim:
    """A claim of a set with its question and passages; `supported` is what people say."""

    text: str
    question: str
    passages: Sequence[str]
    supported: bool


def labelled(path: Path) -> Iterator[Claim]:
    """Read rows of `selfrag eval graders`, of which a label other than `supported` is none."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Claim(
            row["claim"], row.get("question", ""), row["passages"], row.get("label", "supported") == "supported"
        )


def paraphrased(path: Path = PARAPHRASES) -> dict[str, list[Claim]]:
    """Read our own right answers in other words, by their kind; they were written before any was checked."""
    by_kind: dict[str, list[Claim]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        kind, question, passage, claim = line.split("|")
        by_kind.setdefault(kind, []).append(Claim(claim, question, [passage], True))
    return by_kind


def translated(claims: Path, passages: Path) -> Iterator[Claim]:
    """Read sentences with answers of XQuAD in one language, and their paragraphs in another: people translated them."""
    paragraphs = zip(_paragraphs(claims), _paragraphs(passages), strict=True)
    for own, other in paragraphs:
        answers = {_sentence(own["context"], qa["answers"][0]["answer_start"]): qa["question"] for qa in own["qas"]}
        for sentence, question in answers.items():
            yield Claim(sentence, question, [other["context"]], True)


def figures(claims: Sequence[Claim], seed: int = 1) -> dict[str, int]:
    """Return the false alarms, the alarms on unsupported claims, and how many changed numbers are noticed."""
    chance, counts = (
        random.Random(seed),
        dict.fromkeys(("supported", "false", "other", "alarms", "changed", "caught"), 0),
    )
    for claim in claims:
        checker = FactChecker(claim.question, [_passage(text) for text in claim.passages])
        is_alarm = bool(checker.unfound(claim.text))
        counts["supported" if claim.supported else "other"] += 1
        counts["false" if claim.supported else "alarms"] += is_alarm
        numbers = list(_NUMBER.finditer(claim.text))
        if claim.supported and numbers and not is_alarm:
            number = chance.choice(numbers)
            other = str(int(number[0][-4:]) + chance.choice((1, 2, 3, 7, 10)))
            changed = claim.text[: number.start()] + number[0][:-4] + other + claim.text[number.end() :]
            counts["changed"] += 1
            counts["caught"] += bool(checker.unfound(changed))
    return counts


def _paragraphs(path: Path) -> list[dict[str, Any]]:
    data = json.loads(path.read_text(encoding="utf-8"))["data"]
    return [paragraph for article in data for paragraph in article["paragraphs"]]


def _sentence(text: str, place: int) -> str:
    end = 0
    for sentence in split_sentences(text):
        end += len(sentence)
        if place < end:
            return sentence
    return text


def _passage(text: str) -> Passage:
    return Passage(passage_id="p", document="d", text=text)


def main(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Rows of `bench labels`, or files of XQuAD (xquad.en.json ...).")
    ] = None,
) -> None:
    """Print a row for each kind of our paraphrases, for each file of labelled rows, and each pair of files of XQuAD."""
    files = files or []
    for kind, claims in paraphrased().items():
        print_line(json.dumps({"set": kind, **figures(claims)}, ensure_ascii=False))
    parallel = [file for file in files if file.suffix == ".json"]
    for file in (file for file in files if file.suffix == ".jsonl"):
        print_line(json.dumps({"set": file.stem, **figures(list(labelled(file)))}, ensure_ascii=False))
    for one, other in product(parallel, parallel):
        name = f"{one.stem.removeprefix('xquad.')} in {other.stem.removeprefix('xquad.')}"
        print_line(json.dumps({"set": name, **figures(list(translated(one, other)))}, ensure_ascii=False))


def run() -> None:
    """Run the command."""
    typer.run(main)
