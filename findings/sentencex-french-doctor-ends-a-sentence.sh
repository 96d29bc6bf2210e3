#!/usr/bin/env bash
# sentencex 1.0.32: the code of a language takes English abbreviations away, and French has few of its own.
#
# Guess that it breaks: with "fr" the library knows at least the titles that it knows with "en". "Dr." ends a sentence
# in French, and not in English. Seen:
#   fr ['Selon M. Martin, le Dr. ', 'Petit est absent.']
#   en ['Selon M. Martin, le Dr. Petit est absent.']
# So a boundary is safer where the language's own rules and the English ones agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sentencex==1.0.32
"$folder/venv/bin/python" - <<'PY'
from sentencex import segment

text = "Selon M. Martin, le Dr. Petit est absent."
french, english = list(segment("fr", text)), list(segment("en", text))
print("fr", french)
print("en", english)
assert (len(french), len(english)) == (2, 1), "sentencex has changed"
PY
