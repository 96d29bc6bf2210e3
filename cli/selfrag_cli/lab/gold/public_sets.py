"""Public sets of questions that bring their documents, by their names. None is part of selfrag."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfrag_cli.lab.public_file import PublicFile

# A question's row in selfrag's own format, and the documents that are put beside it: a title and a text each.
Asked = tuple[dict[str, Any], list[tuple[str, str]]]


@dataclass(frozen=True)
class QuestionSet:
    """The files of a set, and the function that reads the questions of their texts."""

    files: tuple[PublicFile, ...]
    read: Callable[..., Iterator[Asked]]


def is_question_set(name: str) -> bool:
    """Return whether a set of questions is called so."""
    return name in SETS


def unpacked(name: str, directory: Path) -> tuple[Path, Path]:
    """Write a set, once, as a file of questions and a directory of documents beside its files; return both.

    Questions stand in an order that mixes their kinds, so that the first of them are a sample. Raises InvalidInput
    for a file that is not there or another one.
    """
    questions, documents = directory / name / "questions.jsonl", directory / name / "documents"
    if not questions.exists():
        files = SETS[name].files
        texts = [file.text(directory, f"{name}.{number}") for number, file in enumerate(files, 1)]
        asked = sorted(SETS[name].read(*texts), key=lambda one: _digest(one[0]["question"]))
        documents.mkdir(parents=True, exist_ok=True)
        for title, text in {document for _, beside in asked for document in beside}:
            (documents / _name(text)).write_text(f"# {title}\n\n{text}\n" if title else text, encoding="utf-8")
        rows = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row, _ in asked)
        questions.write_text(rows, encoding="utf-8")
    return questions, documents


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _name(text: str) -> str:
    return f"{_digest(text)}.md"


def nomiracl(relevant: str, irrelevant: str) -> Iterator[Asked]:
    """Read questions with ten passages of Wikipedia each; people found the answer in some of the first half's alone."""
    for text, answerable in ((relevant, True), (irrelevant, False)):
        for prompt in (json.loads(line)["prompt"] for line in text.splitlines()):
            asked, _, given = prompt.partition("QUESTION:\n")[2].partition("\n\nCONTEXTS:\n")
            passages = re.split(r"(?:^|\n\n)\[\d+\] ", given.partition("\n\nOUTPUT:")[0])[1:]
            beside = [(title, text) for title, _, text in (passage.partition(": ") for passage in passages)]
            yield {"question": asked.strip(), "answerable": answerable, "kind": _kind(answerable)}, beside


def clap_nq(answerable: str, unanswerable: str) -> Iterator[Asked]:
    """Read what people asked a search engine, with long answers or none, and a passage of Wikipedia each."""
    for text, is_answerable in ((answerable, True), (unanswerable, False)):
        for row in map(json.loads, text.splitlines()):
            beside = [(passage["title"], passage["text"]) for passage in row["passages"]]
            known = {
                "answers": [one["answer"] for one in row["output"] if one["answer"]],
                "documents": [_name(text) for _, text in beside],
            }
            asked = {"question": row["input"], "answerable": is_answerable, "kind": _kind(is_answerable)}
            yield {**asked, **(known if is_answerable else {})}, beside


def policy_qa(text: str) -> Iterator[Asked]:
    """Read questions about policies of privacy, with the site's name before each; every fourth policy is withheld.

    What is asked of such a policy has no answer in the documents.
    """
    for number, site in enumerate(json.loads(text)["data"]):
        policy = "\n\n".join(paragraph["context"] for paragraph in site["paragraphs"])
        answers: dict[str, list[str]] = {}
        for asked in (asked for paragraph in site["paragraphs"] for asked in paragraph["qas"]):
            answers.setdefault(asked["question"], []).extend(one["text"] for one in asked["answers"])
        for question, right in answers.items():
            row = {"question": f"{site['title']}: {question}", "answerable": number % 4 > 0}
            if row["answerable"]:
                known = {"answers": right, "documents": [_name(policy)]}
                yield {**row, **known, "kind": _kind(True)}, [(site["title"], policy)]
            else:
                yield {**row, "kind": _kind(False)}, []


def ram_docs(text: str) -> Iterator[Asked]:
    """Read questions whose documents conflict: a right answer names what each right document says."""
    for row in map(json.loads, text.splitlines()):
        right = [_name(one["text"]) for one in row["documents"] if one["type"] == "correct"]
        kind = "misinformation" if row["wrong_answers"] else "noise"
        known = {"answers": row["gold_answers"], "facts": row["gold_answers"], "documents": right, "kind": kind}
        yield {"question": row["question"], **known}, [("", one["text"]) for one in row["documents"]]


def _kind(answerable: bool) -> str:
    return "answerable" if answerable else "unanswerable"


_NO_MIRACL = ("project-miracl/nomiracl", "9c787daa077ffff9c22395442b91de944256b2f1", "results/baselines")
_CLAP_NQ = ("primeqa/clapnq", "eb26840d130f4dcf4c4c5c12a47d0beffc9cc586", "annotated_data/dev")
_RAM_DOCS = ("HanNight/RAMDocs", "d44454c9ebb0bf513d8236a03decc9fb58704cad")
_POLICY_QA = ("wasiahmad/PolicyQA", "775538bc6d932e9d0dd16975d4373659cf8964fe")


def _files(repository: str, commit: str, folder: str, digests: dict[str, str]) -> tuple[PublicFile, ...]:
    return tuple(PublicFile(repository, commit, f"{folder}/{path}", digest) for path, digest in digests.items())


def _no_miracl(language: str, relevant: str, irrelevant: str) -> QuestionSet:
    of_test = f"{language}.test.vanilla_prompt.jsonl"
    digests = {f"relevant/{of_test}": relevant, f"non_relevant/{of_test}": irrelevant}
    return QuestionSet(_files(*_NO_MIRACL, digests), nomiracl)


SETS = {
    "nomiracl-en": _no_miracl(
        "en",
        "9529b9c605eccad91bbe35921908a186e45e61f7192c57459c45f69bf85abd89",
        "07b4fe0fa0ab6e065be1a09d9bbc08399ef609977f9484154a8d29bcb38f4de3",
    ),
    "nomiracl-ja": _no_miracl(
        "ja",
        "8bd8c043afda5e603c332b7f5a604775bac7de9ffb1c5ee82b43a145b5296718",
        "90fac8d3b29c06548cc267d93aa2a7bc2399a829be107d080d79631ef0867056",
    ),
    "nomiracl-ko": _no_miracl(
        "ko",
        "0a0d29a39451eef7189fcc311dfeb3dd1ab65867f4eea9b3939372aaf097216a",
        "a12a551277e25344906b9ea09689d48685772943aea6cc85836cbc85949295fa",
    ),
    "clapnq-dev": QuestionSet(
        _files(
            *_CLAP_NQ,
            {
                "clapnq_dev_answerable.jsonl": "3eefef4a3d4e34c0f7d2c2eceb9bde263bf43ee8edac1b4fe8d74f8b6a0bdfbe",
                "clapnq_dev_unanswerable.jsonl": "a04f4fd625a68a521663d4c0e2b54c74c8067459adcb973a6111602fa54faaac",
            },
        ),
        clap_nq,
    ),
    "policyqa-test": QuestionSet(
        (
            PublicFile(
                *_POLICY_QA, "data/test.json", "92929068b7dffa1843f81d661f23da86a64f4a35ffae59fa8d78878277ab9a7f"
            ),
        ),
        policy_qa,
    ),
    "ramdocs-test": QuestionSet(
        (
            PublicFile(
                *_RAM_DOCS, "RAMDocs_test.jsonl", "c67f699c97349f00cf1bd08d1dbf8ca1d0cc38c306715c93a10a4f961dcf28b7"
            ),
        ),
        ram_docs,
    ),
}
