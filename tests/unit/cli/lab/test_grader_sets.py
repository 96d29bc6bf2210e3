"""Public sets are read by name from where the user keeps them, and only as the file that is meant."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.graders import sets
from selfrag_cli.lab.graders.rows import LabelledRow
from selfrag_cli.lab.graders.sets import SETS, read_set

WICE = [
    {"label": "not_supported", "claim": "C", "evidence": ["One.", "Two."], "meta": {"id": "1", "claim_title": "T"}},
    {"label": "partially_supported", "claim": "C", "evidence": ["Three."], "meta": {"id": "1", "claim_title": "T"}},
    {"label": "supported", "claim": "D", "evidence": ["Four."], "meta": {"id": "2", "claim_title": "T"}},
]
TEXTS = {
    "wice-dev": "\n".join(map(json.dumps, WICE)),
    "jnli-valid": json.dumps({"yjcaptions_id": "7-8-9", "sentence1": "A", "sentence2": "B", "label": "contradiction"}),
    "klue-nli-dev": json.dumps([{"premise": "A", "hypothesis": "B", "gold_label": "neutral"}]),
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
}
WHOLE = "passage 1:One.\n\npassage 2:Two.\n\n"
EXPECTED = {
    "wice-dev": [
        LabelledRow(claim="C", passages=["One. Two.", "Three."], label="partial"),
        LabelledRow(claim="D", passages=["Four."], label="supported"),
    ],
    "jnli-valid": [LabelledRow(claim="B", passages=["A"], label="contradicted")],
    "klue-nli-dev": [LabelledRow(claim="B", passages=["A"], label="unsupported")],
    "faithjudge-qa": [
        LabelledRow(question="Q", claim=claim, passages=["One.", "Two."], label=label)
        for claim, label in (
            ("It is so.", "supported"),
            ("This is invented.", "unsupported"),
            ("It is not so.", "contradicted"),
        )
    ],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_rows_of_a_set_become_claims_with_passages_and_labels(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{name}{Path(SETS[name].path).suffix}"
    path.write_text(TEXTS[name], encoding="utf-8")
    with pytest.raises(InvalidInput, match="its digest is another one"):
        read_set(name, tmp_path)
    own = replace(SETS[name], sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(sets, "SETS", {name: own})
    assert read_set(name, tmp_path) == EXPECTED[name]


def test_a_missing_file_is_named_with_the_command_that_brings_it_at_a_commit(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput, match=r"curl --fail .* https://raw\.githubusercontent\.com/ryokamoi/wice/[0-9a-f]{40}/"
    ):
        read_set("wice-dev", tmp_path)
    with pytest.raises(InvalidInput, match=r"claims\.jsonl is no file, and no public set; the sets are wice-dev, "):
        read_set("claims.jsonl", tmp_path)
