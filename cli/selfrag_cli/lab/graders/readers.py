"""The rows of public sets, from the texts of their files."""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from selfrag.text.sentences import split_sentences
from selfrag_cli.lab.graders.rows import Row

_ENTAILED = {"entailment": "supported", "neutral": "unsupported", "contradiction": "contradicted"}


def wice(text: str) -> Iterator[Row]:
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


def begin(text: str) -> Iterator[Row]:
    """Read answers in dialogues; what is generic is not supported either."""
    for row in csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        label = "supported" if row["begin_label"] == "Fully attributable" else "unsupported"
        question, passage = row["message"], row["knowledge"]
        yield Row(question=question, claim=row["response"], passages=[passage], label=label, group=passage, lang="en")


def summ_edits(text: str) -> Iterator[Row]:
    """Read summaries in which a word or two may have been changed."""
    for row in json.loads(text):
        label = "supported" if row["label"] else "unsupported"
        yield Row(claim=row["summary"], passages=[row["doc"]], label=label, group=row["doc"], lang="en")


def jnli(text: str) -> Iterator[Row]:
    """Read Japanese pairs of captions."""
    for row in map(json.loads, text.splitlines()):
        label, group = _ENTAILED[row["label"]], row["yjcaptions_id"].split("-")[0]
        yield Row(claim=row["sentence2"], passages=[row["sentence1"]], label=label, group=group, lang="ja")


def klue(text: str) -> Iterator[Row]:
    """Read Korean pairs of sentences."""
    for row in json.loads(text):
        label, premise = _ENTAILED[row["gold_label"]], row["premise"]
        yield Row(claim=row["hypothesis"], passages=[premise], label=label, group=premise, lang="ko")


def factcheck(text: str) -> Iterator[Row]:
    """Read claims of chatbots with a piece of evidence each."""
    labels = {"completely-support": "supported", "partially-support": "partial", "refute": "contradicted"}
    for row in map(json.loads, text.splitlines()):
        label, claim = labels.get(row["stance"], "unsupported"), row["claim"]
        yield Row(claim=claim, passages=[row["evidence"]], label=label, group=claim, lang="en")


def faith_judge(text: str) -> Iterator[Row]:
    """Read sentences of answers and summaries, each a claim: what people marked in it says whether it is supported.

    One of fewer than three words, such as the head of a list, is none.
    """
    for case in map(json.loads, text.splitlines()):
        source = case["source"]
        asked = source["question"] if isinstance(source, dict) else ""
        whole = source["passages"] if isinstance(source, dict) else source
        passages = [one.strip() for one in re.split(r"^passage \d+:", whole, flags=re.MULTILINE) if one.strip()]
        for written in case["responses"]:
            start = 0
            for sentence in split_sentences(written["response"]):
                end = start + len(sentence)
                label, claim = _marked(written["labels"], start, end), sentence.strip()
                if len(claim.split()) > 2:
                    yield Row(question=asked, claim=claim, passages=passages, label=label, group=whole, lang="en")
                start = end


def _marked(spans: Sequence[Mapping[str, Any]], start: int, end: int) -> str:
    """Return the worst that is marked in a stretch of a text, from character to character."""
    kinds = [span["label_type"] for span in spans if span["start"] < end and start < span["end"]]
    if any("Conflict" in kind for kind in kinds):
        return "contradicted"
    return "unsupported" if kinds else "supported"
