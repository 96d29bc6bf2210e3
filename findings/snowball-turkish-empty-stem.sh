#!/usr/bin/env bash
# Snowball's Turkish stemmer (PyStemmer 3.1.0 and snowballstemmer 3.1.1) leaves nothing of a common ending.
#
# Guess that it breaks: the stem of a word has at least one letter, and begins with the word's first one. Seen:
#   ları -> "" (the plural ending behind an apostrophe, as in "DNA'ları", which a tokenizer divides)
#   bunların ("of these") -> p
# So an index of stems gets an empty token, unless the program keeps the word where its stem is empty.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet PyStemmer==3.1.0 snowballstemmer==3.1.1
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import snowballstemmer
import Stemmer

words = ["ları", "bunların"]
fast, pure = Stemmer.Stemmer("turkish").stemWords(words), snowballstemmer.stemmer("turkish").stemWords(words)
print(dict(zip(words, fast)), dict(zip(words, pure)))
assert fast == pure == ["", "p"], (fast, pure)
PY
