"""Public sets of labelled rows, by their names: where each is, and how its rows are read. None is part of selfrag."""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from cli.lab.graders.rows import Row
from selfrag.domain.errors import InvalidInput


@dataclass(frozen=True)
class PublicSet:
    """A file of a repository on GitHub, and the function that reads its rows."""

    repository: str
    commit: str
    path: str
    sha256: str
    read: Callable[[str], Iterator[Row]]

    @property
    def address(self) -> str:
        """Return where to load it from."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"


def is_set(name: str) -> bool:
    """Return whether a set, or the sets of one family, are called so."""
    return bool(_named(name))


def read_sets(name: str, directory: Path, limit: int | None = None) -> list[Row]:
    """Read the rows of a set, or of all sets of a family, from a directory; `limit` is for each.

    Raises InvalidInput for a file that is not there, with the command that brings it, and one of another digest.
    """
    return [row for each in _named(name) for row in _read(each, directory)[:limit]]


def _named(name: str) -> list[str]:
    return [each for each in SETS if each == name or each.startswith(f"{name}-")]


def _read(name: str, directory: Path) -> list[Row]:
    found = SETS[name]
    path = directory / f"{name}{Path(found.path).suffix}"
    if not path.exists():
        told = f"curl --fail --create-dirs --output {path} {found.address}"
        raise InvalidInput(f"{path} is not there. Its owners' terms hold for it; this brings it: {told}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != found.sha256:
        raise InvalidInput(f"{path} is not the file of {found.address}: its digest is another one.")
    return list(found.read(content.decode()))


def _wice(text: str) -> Iterator[Row]:
    """Read claims of Wikipedia; the chunks of a claim's sources that hold evidence are its passages.

    A few claims have chunks with different labels: the last one's counts.
    """
    labels = {"supported": "supported", "partially_supported": "partial", "not_supported": "unsupported"}
    rows = (json.loads(line) for line in text.splitlines())
    for _, chunks in groupby(rows, key=lambda row: row["meta"]["id"]):
        of_claim = list(chunks)
        last = of_claim[-1]
        passages = [" ".join(chunk["evidence"]) for chunk in of_claim]
        label, group = labels[last["label"]], last["meta"]["claim_title"]
        yield Row(claim=last["claim"], passages=passages, label=label, group=group, lang="en")


def _begin(text: str) -> Iterator[Row]:
    """Read answers in dialogues; what is generic is not supported either."""
    for row in csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        label = "supported" if row["begin_label"] == "Fully attributable" else "unsupported"
        question, passage = row["message"], row["knowledge"]
        yield Row(question=question, claim=row["response"], passages=[passage], label=label, group=passage, lang="en")


def _summ_edits(text: str) -> Iterator[Row]:
    """Read summaries in which a word or two may have been changed."""
    for row in json.loads(text):
        label = "supported" if row["label"] else "unsupported"
        yield Row(claim=row["summary"], passages=[row["doc"]], label=label, group=row["doc"], lang="en")


def _jnli(text: str) -> Iterator[Row]:
    """Read Japanese pairs of captions."""
    labels = {"entailment": "supported", "neutral": "unsupported", "contradiction": "contradicted"}
    for line in text.splitlines():
        row: dict[str, Any] = json.loads(line)
        label, group = labels[row["label"]], row["yjcaptions_id"].split("-")[0]
        yield Row(claim=row["sentence2"], passages=[row["sentence1"]], label=label, group=group, lang="ja")


_WICE = ("ryokamoi/wice", "ddeb6c183665e2a20c5f03c5aa07f03888b9870f")
_BEGIN = ("google/BEGIN-dataset", "6e65f0d5a1ed1b9574643a7640ff1678d4e979b5")
_SUMM_EDITS = ("salesforce/factualNLG", "0da1dfa62c783218d26208c1796d3a2605bec745")
_JGLUE = ("yahoojapan/JGLUE", "6f071c09316baae89c3d083a90985b4b1cb9968c")
_EVIDENCE = "code_and_resources/entailment_inputs/oracle_chunks/claim"
_DOMAINS = {
    "ectsum": "dc255beb81ff1194b9069dfe03c1f888e0c5357c117e304bb44baaaa381a718b",
    "news": "aa06a1998cf7bfe6e40f8a79e0c10a1f77528165d8659056202c0ed679191c8e",
    "podcast": "3d6c777190ff1cad633fed48b52856774e078d8a8b78ae00189df7abb506f8dc",
    "qmsumm": "011e2b70ba291d1a75d14526fcacb156f70cb6ed66b375143768389b6db67bff",
    "sales_call": "81381ad89c8e3dd8450ee6355f847e8b76cbb134e126d5568a79a33334bb1fef",
    "sales_email": "8267fffdd318e513bde0f7efbd9226f908f1a5a2944f783902fdd0d6b0b8ccef",
    "samsum": "1d65ca667e646c7cc1cde9e6b35bdf43531eeea9191c692a9ac9ec0aa84eb5b5",
    "scitldr": "b4d359277bafa11587505f0332797266b69c316c713db17376f0d99413e4b350",
}
SETS = {
    "wice-dev": PublicSet(
        *_WICE, f"{_EVIDENCE}/dev.jsonl", "ae33170930d690cb96cd46f097ec5658daaf7fd6700d6d2bf97644e3a8dfb2f9", _wice
    ),
    "wice-test": PublicSet(
        *_WICE, f"{_EVIDENCE}/test.jsonl", "234bb8c2ca4511ca078e49e07c895a2db61a581d03237e7e1ecb7c48c8510a3e", _wice
    ),
    "begin-wow-test": PublicSet(
        *_BEGIN, "wow/begin_test_wow.tsv", "d5c106a42042c3abd481563f1157e07c95c107dbcdf67f23564d874e8a4d6e7e", _begin
    ),
    **{
        f"summedits-{domain}": PublicSet(*_SUMM_EDITS, f"data/summedits/summedits_{domain}.json", digest, _summ_edits)
        for domain, digest in _DOMAINS.items()
    },
    "jnli-valid": PublicSet(
        *_JGLUE,
        "datasets/jnli-v1.3/valid-v1.3.json",
        "ca0353efc7c2eebfb6de4e13f16295053c8b1ee65e7b0849190c90426fbc495f",
        _jnli,
    ),
}
