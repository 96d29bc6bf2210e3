"""Public sets of labelled rows, as files for `selfrag eval graders`. None is part of selfrag."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from selfrag.text.sentences import split_sentences
from selfrag_cli.terminal import print_line

Row = dict[str, Any]
_ENTAILED = {"entailment": "supported", "neutral": "unsupported", "contradiction": "contradicted"}
_WICE = {"supported": "supported", "partially_supported": "partial", "not_supported": "unsupported"}


def wice(claims: str) -> Iterator[Row]:
    """Read claims of Wikipedia, whose passages are the chunks of their sources that hold evidence.

    A few claims have chunks with different labels: the last one's counts.
    """
    rows = (json.loads(line) for line in claims.splitlines())
    for name, chunks in groupby(rows, key=lambda row: row["meta"]["id"]):
        of_claim = list(chunks)
        yield {
            "id": name,
            "lang": "en",
            "claim": of_claim[-1]["claim"],
            "passages": [" ".join(chunk["evidence"]) for chunk in of_claim],
            "label": _WICE[of_claim[-1]["label"]],
        }


def jnli(text: str) -> Iterator[Row]:
    """Read Japanese pairs of captions."""
    for number, row in enumerate(map(json.loads, text.splitlines())):
        label, texts = _ENTAILED[row["label"]], {"claim": row["sentence2"], "passages": [row["sentence1"]]}
        yield {"id": f"jnli-{number}", "lang": "ja", "label": label, **texts}


def klue(text: str) -> Iterator[Row]:
    """Read Korean pairs of sentences."""
    for row in json.loads(text):
        label, texts = _ENTAILED[row["gold_label"]], {"claim": row["hypothesis"], "passages": [row["premise"]]}
        yield {"id": row["guid"], "lang": "ko", "label": label, **texts}


def faith_judge(text: str) -> Iterator[Row]:
    """Read sentences of RAGTruth's answers: what people marked in a sentence says whether it is supported.

    One of fewer than three words, such as the head of a list, is none.
    """
    for case in map(json.loads, text.splitlines()):
        source = case["source"]
        passages = re.split(r"^passage \d+:", source["passages"], flags=re.MULTILINE)
        texts = {"question": source["question"], "passages": [each.strip() for each in passages if each.strip()]}
        for response, written in enumerate(case["responses"]):
            start = 0
            for sentence in split_sentences(written["response"]):
                end = start + len(sentence)
                if len(sentence.split()) > 2:
                    name = f"{case['source_id']}-{response}-{start}"
                    label = _marked(written["labels"], start, end)
                    yield {"id": name, "lang": "en", "claim": sentence.strip(), "label": label, **texts}
                start = end


def fool_me_twice(text: str) -> Iterator[Row]:
    """Read claims that players wrote to deceive, with the sentences of Wikipedia that support or refute them."""
    for row in map(json.loads, text.splitlines()):
        label = {"SUPPORTS": "supported", "REFUTES": "contradicted"}[row["label"]]
        passages = [evidence["text"] for evidence in row["gold_evidence"]]
        yield {"id": row["id"], "lang": "en", "claim": row["text"], "passages": passages, "label": label}


def _marked(spans: Sequence[Mapping[str, Any]], start: int, end: int) -> str:
    """Return the worst that is marked in a stretch of a text."""
    kinds = [span["label_type"] for span in spans if span["start"] < end and start < span["end"]]
    if any("Conflict" in kind for kind in kinds):
        return "contradicted"
    return "unsupported" if kinds else "supported"


@dataclass(frozen=True)
class LabelledSet:
    """A repository of GitHub with its commit, its files, and the function that reads the rows of their texts."""

    repository: str
    commit: str
    files: tuple[str, ...]
    read: Callable[..., Iterator[Row]]


SETS = {
    "wice-test": LabelledSet(
        "ryokamoi/wice",
        "ddeb6c183665e2a20c5f03c5aa07f03888b9870f",
        ("code_and_resources/entailment_inputs/oracle_chunks/claim/test.jsonl",),
        wice,
    ),
    "faithjudge-qa": LabelledSet(
        "vectara/FaithJudge",
        "ca35eb45d0d32cffd5ddc2d6513c4e8342cb9f5d",
        ("eval_data/ragtruth_qa.jsonl",),
        faith_judge,
    ),
    "fool-me-twice-dev": LabelledSet(
        "google-research/fool-me-twice",
        "d9db753e5acf91c0d9bf543db327ab655661eb94",
        ("dataset/dev.jsonl",),
        fool_me_twice,
    ),
    "jnli-valid": LabelledSet(
        "yahoojapan/JGLUE",
        "6f071c09316baae89c3d083a90985b4b1cb9968c",
        ("datasets/jnli-v1.3/valid-v1.3.json",),
        jnli,
    ),
    "klue-nli-dev": LabelledSet(
        "KLUE-benchmark/KLUE",
        "3efd98708a40ff49251fddde35453f8fbb11f536",
        ("klue_benchmark/klue-nli-v1.1/klue-nli-v1.1_dev.json",),
        klue,
    ),
}


def main(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(SETS)}.")],
    clone: Annotated[Path, typer.Argument(help="A clone of its repository.")],
) -> None:
    """Print the rows of a public set, for `selfrag eval graders`."""
    if name not in SETS:
        raise typer.BadParameter(f"there is no set {name}: there are {', '.join(SETS)}.")
    labelled = SETS[name]
    try:
        texts = [(clone / file).read_text(encoding="utf-8") for file in labelled.files]
    except OSError as error:
        url = f"https://github.com/{labelled.repository}"
        raise typer.BadParameter(f"{error.filename} is not there: `git clone {url}`, at {labelled.commit}.") from error
    for row in labelled.read(*texts):
        print_line(json.dumps(row, ensure_ascii=False))


def run() -> None:
    """Run the command."""
    typer.run(main)
