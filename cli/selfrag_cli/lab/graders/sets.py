"""Public sets of labelled rows, by their names: where each is, and how its rows are read. None is part of selfrag."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from selfrag_cli.lab.graders import readers
from selfrag_cli.lab.graders.rows import Row
from selfrag_cli.lab.public_file import PublicFile


@dataclass(frozen=True)
class PublicSet(PublicFile):
    """A file, and the function that reads its rows."""

    read: Callable[[str], Iterator[Row]]


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
    return list(SETS[name].read(SETS[name].text(directory, name)))


_WICE = ("ryokamoi/wice", "ddeb6c183665e2a20c5f03c5aa07f03888b9870f")
_BEGIN = ("google/BEGIN-dataset", "6e65f0d5a1ed1b9574643a7640ff1678d4e979b5")
_SUMM_EDITS = ("salesforce/factualNLG", "0da1dfa62c783218d26208c1796d3a2605bec745")
_JGLUE = ("yahoojapan/JGLUE", "6f071c09316baae89c3d083a90985b4b1cb9968c")
_FAITH_JUDGE = ("vectara/FaithJudge", "ca35eb45d0d32cffd5ddc2d6513c4e8342cb9f5d")
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
        *_WICE,
        f"{_EVIDENCE}/dev.jsonl",
        "ae33170930d690cb96cd46f097ec5658daaf7fd6700d6d2bf97644e3a8dfb2f9",
        readers.wice,
    ),
    "wice-test": PublicSet(
        *_WICE,
        f"{_EVIDENCE}/test.jsonl",
        "234bb8c2ca4511ca078e49e07c895a2db61a581d03237e7e1ecb7c48c8510a3e",
        readers.wice,
    ),
    "begin-wow-test": PublicSet(
        *_BEGIN,
        "wow/begin_test_wow.tsv",
        "d5c106a42042c3abd481563f1157e07c95c107dbcdf67f23564d874e8a4d6e7e",
        readers.begin,
    ),
    **{
        f"summedits-{domain}": PublicSet(
            *_SUMM_EDITS, f"data/summedits/summedits_{domain}.json", digest, readers.summ_edits
        )
        for domain, digest in _DOMAINS.items()
    },
    "jnli-valid": PublicSet(
        *_JGLUE,
        "datasets/jnli-v1.3/valid-v1.3.json",
        "ca0353efc7c2eebfb6de4e13f16295053c8b1ee65e7b0849190c90426fbc495f",
        readers.jnli,
    ),
    "klue-nli-dev": PublicSet(
        "KLUE-benchmark/KLUE",
        "3efd98708a40ff49251fddde35453f8fbb11f536",
        "klue_benchmark/klue-nli-v1.1/klue-nli-v1.1_dev.json",
        "0699db82be17766b26e199864e6260443e17ec6e91d1870e876419e388f245b1",
        readers.klue,
    ),
    "factcheck-gpt": PublicSet(
        "yuxiaw/Factcheck-GPT",
        "a9e6a04a953ad880806529c504a679dd1ad06528",
        "subtasks/subtask3_claim_evidence_stance.jsonl",
        "3bfa17d7b37bca82bcc0aacf69a8bbd85cffe117d337c95cf7c3b00e34b98d1a",
        readers.factcheck,
    ),
    "faithjudge-qa": PublicSet(
        *_FAITH_JUDGE,
        "eval_data/ragtruth_qa.jsonl",
        "72db1847b6f5102102d55ed8094c14abcfeeebeca37bbee8ed72d1e0041c6b62",
        readers.faith_judge,
    ),
    "faithjudge-summary": PublicSet(
        *_FAITH_JUDGE,
        "eval_data/ragtruth_summary.jsonl",
        "18b34dfba2df8218dc2fe3f04296d9be136203f3f18a5bed23272f4d3ccd44ac",
        readers.faith_judge,
    ),
}
