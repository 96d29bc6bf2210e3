#!/usr/bin/env bash
# xlfmt 0.1.0 (number formats of spreadsheets): an elapsed time is rounded to its last unit, where Excel cuts it off.
#
# Guess that it breaks: [h] shows the full hours, as Excel and npm's ssf 0.11.2 do. A time sheet of 1 h 45 min with the
# format [h] reads 2 by xlfmt and 1 by ssf; with [h]:mm both read 1:45. So minutes below the last unit have to be cut
# before the library is asked.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet xlfmt==0.1.0
npm install --prefix "$folder" --no-audit --no-fund --loglevel error ssf@0.11.2 > /dev/null
python=$("$folder/venv/bin/python" -c '
from xlfmt import format_value
print(*(str(getattr(shown, "text", shown)) for shown in (format_value(1.75 / 24, code) for code in ("[h]", "[h]:mm"))))')
node=$(cd "$folder" && node -e '
const ssf = require("ssf"); console.log(["[h]", "[h]:mm"].map((code) => ssf.format(code, 1.75 / 24)).join(" "))')
echo "xlfmt: $python"
echo "ssf:   $node"
[ "$python" = "2 1:45" ] && [ "$node" = "1 1:45" ] || { echo "This has changed."; exit 1; }
