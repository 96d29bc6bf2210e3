"""Public sets of labelled rows, by their names, and the readers of their files. None is part of selfrag."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TypedDict

from selfrag.domain.errors import InvalidInput
from selfrag.text.sentences import split_sentences
from selfrag_cli.lab.graders.rows import LabelledRow

_ENTAILED = {"entailment": "supported", "neutral": "unsupported", "contradiction": "contradicted"}


@dataclass(frozen=True)
class PublicSet:
    """A file of a repository on GitHub, at one commit, and the function that reads its rows."""

    repository: str
    commit: str
    path: str
    sha256: str
    read: Callable[[str], Iterator[LabelledRow]]

    @property
    def address(self) -> str:
        """Return where to load it from."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"

    def text(self, directory: Path, name: str) -> str:
        """Read the file from a directory, where it has this name and its own suffix.

        Raises InvalidInput if the file is missing, with the command that brings it, and if its digest is another one.
        """
        path = directory / f"{name}{Path(self.path).suffix}"
        if not path.exists():
            command = f"curl --fail --create-dirs --output {path} {self.address}"
            raise InvalidInput(f"{path} is not there. Its owners' terms hold for it; this brings it: {command}")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise InvalidInput(f"{path} is not the file of {self.address}: its digest is another one.")
        return content.decode()


def read_set(name: str, directory: Path) -> list[LabelledRow]:
    """Read the rows of a set from a directory.

    Raises InvalidInput for another name, a file that is missing, with the command that brings it, or another digest.
    """
    if name not in SETS:
        raise InvalidInput(f"{name} is no file, and no public set; the sets are {', '.join(SETS)}.")
    return list(SETS[name].read(SETS[name].text(directory, name)))


def wice(text: str) -> Iterator[LabelledRow]:
    """Read claims of Wikipedia; the chunks of a claim's sources that hold evidence are its passages.

    A few claims have chunks with different labels: the last one's counts.
    """
    labels = {"supported": "supported", "partially_supported": "partial", "not_supported": "unsupported"}
    rows = (json.loads(line) for line in text.splitlines())
    for _, group in groupby(rows, key=lambda row: row["meta"]["id"]):
        chunks = list(group)
        passages = [" ".join(chunk["evidence"]) for chunk in chunks]
        yield LabelledRow(claim=chunks[-1]["claim"], passages=passages, label=labels[chunks[-1]["label"]])


def jnli(text: str) -> Iterator[LabelledRow]:
    """Read Japanese pairs of captions."""
    for row in map(json.loads, text.splitlines()):
        yield LabelledRow(claim=row["sentence2"], passages=[row["sentence1"]], label=_ENTAILED[row["label"]])


def klue(text: str) -> Iterator[LabelledRow]:
    """Read Korean pairs of sentences."""
    for row in json.loads(text):
        yield LabelledRow(claim=row["hypothesis"], passages=[row["premise"]], label=_ENTAILED[row["gold_label"]])


class _Mark(TypedDict):
    """What people marked in a text, from character to character."""

    label_type: str
    start: int
    end: int


def faith_judge(text: str) -> Iterator[LabelledRow]:
    """Read sentences of answers, each a claim with the label of what people marked in it.

    A sentence of fewer than three words, such as the head of a list, is no claim.
    """
    for case in map(json.loads, text.splitlines()):
        question, whole = case["source"]["question"], case["source"]["passages"]
        passages = [part.strip() for part in re.split(r"^passage \d+:", whole, flags=re.MULTILINE) if part.strip()]
        for response in case["responses"]:
            start = 0
            for sentence in split_sentences(response["response"]):
                end = start + len(sentence)
                if len(sentence.split()) > 2:
                    label = _marked(response["labels"], start, end)
                    yield LabelledRow(question=question, claim=sentence.strip(), passages=passages, label=label)
                start = end


def _marked(spans: Sequence[_Mark], start: int, end: int) -> str:
    """Return the worst mark in a stretch of a text, from character to character."""
    kinds = [span["label_type"] for span in spans if span["start"] < end and start < span["end"]]
    if any("Conflict" in kind for kind in kinds):
        return "contradicted"
    return "unsupported" if kinds else "supported"


_WICE = ("ryokamoi/wice", "ddeb6c183665e2a20c5f03c5aa07f03888b9870f")
_EVIDENCE = "code_and_resources/entailment_inputs/oracle_chunks/claim"
SETS = {
    "wice-dev": PublicSet(
        *_WICE,
        f"{_EVIDENCE}/dev.jsonl",
        "ae33170930d690cb96cd46f097ec5658daaf7fd6700d6d2bf97644e3a8dfb2f9",
        wice,
    ),
    "wice-test": PublicSet(
        *_WICE,
        f"{_EVIDENCE}/test.jsonl",
        "234bb8c2ca4511ca078e49e07c895a2db61a581d03237e7e1ecb7c48c8510a3e",
        wice,
    ),
    "jnli-valid": PublicSet(
        "yahoojapan/JGLUE",
        "6f071c09316baae89c3d083a90985b4b1cb9968c",
        "datasets/jnli-v1.3/valid-v1.3.json",
        "ca0353efc7c2eebfb6de4e13f16295053c8b1ee65e7b0849190c90426fbc495f",
        jnli,
    ),
    "klue-nli-dev": PublicSet(
        "KLUE-benchmark/KLUE",
        "3efd98708a40ff49251fddde35453f8fbb11f536",
        "klue_benchmark/klue-nli-v1.1/klue-nli-v1.1_dev.json",
        "0699db82be17766b26e199864e6260443e17ec6e91d1870e876419e388f245b1",
        klue,
    ),
    "faithjudge-qa": PublicSet(
        "vectara/FaithJudge",
        "ca35eb45d0d32cffd5ddc2d6513c4e8342cb9f5d",
        "eval_data/ragtruth_qa.jsonl",
        "72db1847b6f5102102d55ed8094c14abcfeeebeca37bbee8ed72d1e0041c6b62",
        faith_judge,
    ),
}
