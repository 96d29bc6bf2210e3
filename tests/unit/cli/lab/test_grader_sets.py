"""Public sets are read by name from where the user keeps them, and only as the file that is meant."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.graders import sets
from selfrag_cli.lab.graders.rows import Row
from selfrag_cli.lab.graders.sets import SETS, is_set, read_sets

WICE = [
    {"label": "not_supported", "claim": "C", "evidence": ["One.", "Two."], "meta": {"id": "1", "claim_title": "T"}},
    {"label": "partially_supported", "claim": "C", "evidence": ["Three."], "meta": {"id": "1", "claim_title": "T"}},
    {"label": "supported", "claim": "D", "evidence": ["Four."], "meta": {"id": "2", "claim_title": "T"}},
]
BEGIN = [
    "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label",
    'm\twow\tK "so.\tM\tR\tFully attributable',
    "m\twow\tK\tM\tR\tGeneric",
]
TEXTS = {
    "wice-dev": "\n".join(map(json.dumps, WICE)),
    "begin-wow-test": "\n".join(BEGIN),
    "summedits-samsum": json.dumps(
        [{"doc": "D", "summary": "S", "label": 1}, {"doc": "D", "summary": "S", "label": 0}]
    ),
    "jnli-valid": json.dumps({"yjcaptions_id": "7-8-9", "sentence1": "A", "sentence2": "B", "label": "contradiction"}),
    "klue-nli-dev": json.dumps([{"premise": "A", "hypothesis": "B", "gold_label": "neutral"}]),
    "factcheck-gpt": "\n".join(
        json.dumps({"claim": "C", "evidence": "E", "stance": stance}) for stance in ("refute", "irrelevant")
    ),
    "faithjudge-qa": json.dumps(
        {
            "source": {"question": "Q", "passages": "passage 1:One.\n\npassage 2:Two.\n\n"},
            "responses": [
                {
                    "response": "It is so. Answers:\nThis is invented. It is not so.",
                    "labels": [
                        {"start": 20, "end": 36, "label_type": "Evident Baseless Info"},
                        {"start": 40, "end": 46, "label_type": "Evident Conflict"},
                    ],
                }
            ],
        }
    ),
    "faithjudge-summary": json.dumps({"source": "S", "responses": [{"response": "It is so.", "labels": []}]}),
}
WHOLE = "passage 1:One.\n\npassage 2:Two.\n\n"
EXPECTED = {
    "wice-dev": [
        Row(claim="C", passages=["One. Two.", "Three."], label="partial", group="T", lang="en"),
        Row(claim="D", passages=["Four."], label="supported", group="T", lang="en"),
    ],
    "begin-wow-test": [
        Row(question="M", claim="R", passages=['K "so.'], label="supported", group='K "so.', lang="en"),
        Row(question="M", claim="R", passages=["K"], label="unsupported", group="K", lang="en"),
    ],
    "summedits-samsum": [
        Row(claim="S", passages=["D"], label=label, group="D", lang="en") for label in ("supported", "unsupported")
    ],
    "jnli-valid": [Row(claim="B", passages=["A"], label="contradicted", group="7", lang="ja")],
    "klue-nli-dev": [Row(claim="B", passages=["A"], label="unsupported", group="A", lang="ko")],
    "factcheck-gpt": [
        Row(claim="C", passages=["E"], label=label, group="C", lang="en") for label in ("contradicted", "unsupported")
    ],
    "faithjudge-qa": [
        Row(question="Q", claim=claim, passages=["One.", "Two."], label=label, group=WHOLE, lang="en")
        for claim, label in (
            ("It is so.", "supported"),
            ("This is invented.", "unsupported"),
            ("It is not so.", "contradicted"),
        )
    ],
    "faithjudge-summary": [Row(claim="It is so.", passages=["S"], label="supported", group="S", lang="en")],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_rows_of_a_set_become_claims_with_passages_labels_and_groups(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{name}{Path(SETS[name].path).suffix}"
    path.write_text(TEXTS[name], encoding="utf-8")
    with pytest.raises(InvalidInput, match="its digest is another one"):
        read_sets(name, tmp_path)
    own = replace(SETS[name], sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(sets, "SETS", {name: own})
    assert read_sets(name, tmp_path) == EXPECTED[name]
    assert read_sets(name, tmp_path, 1) == EXPECTED[name][:1]


def test_a_set_that_is_not_there_is_told_with_the_command_that_brings_it_at_a_commit(tmp_path: Path) -> None:
    assert (is_set("wice"), is_set("wice-dev"), is_set("wi"), is_set("claims.jsonl")) == (True, True, False, False)
    with pytest.raises(
        InvalidInput, match=r"curl --fail .* https://raw\.githubusercontent\.com/ryokamoi/wice/[0-9a-f]{40}/"
    ):
        read_sets("wice", tmp_path)
