#!/usr/bin/env bash
# sentencex 1.0.32 (Rust, Wikimedia): a Japanese full stop ends no sentence if a digit follows it, in any language code.
#
# Guess that it breaks: "。" ends a sentence in Japanese whatever comes next. In Japanese text many sentences begin with a
# year or a number, so two statements become one citation. Seen (sentences of the two-sentence text, by language):
#   ja ['料金は千円です。2010年からです。']
#   zh ['料金は千円です。2010年からです。']
#   ja ['料金は千円です。', '来年からです。']   (the same with a word after the stop)
# pysbd 0.3.4 ends the sentence in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sentencex==1.0.32 pysbd==0.3.4
"$folder/venv/bin/python" -W ignore - <<'PY'
from pysbd import Segmenter
from sentencex import segment

digit, word = "料金は千円です。2010年からです。", "料金は千円です。来年からです。"
seen = [(code, list(segment(code, text))) for code, text in (("ja", digit), ("zh", digit), ("ja", word))]
for code, pieces in seen:
    print(code, pieces)
assert [len(pieces) for _, pieces in seen] == [1, 1, 2], "sentencex has changed"
assert len(Segmenter(language="ja", clean=False).segment(digit)) == 2
PY
