"""Write infra/README.md anew: the module's inputs and outputs, in the format of terraform-docs.

python -m tests.support.infra.reference
"""

import json
from typing import Any

from tests.support.infra.rules import blocks
from tests.support.infra.tools import INFRA

PAGE = INFRA / "README.md"
_BEGIN, _END = "<!-- BEGIN_TF_DOCS -->\n", "<!-- END_TF_DOCS -->"
_INPUTS = "| Name | Description | Type | Default | Required |\n|------|-------------|------|---------|:--------:|\n"
_OUTPUTS = "| Name | Description |\n|------|-------------|\n"


def reference() -> str:
    """Return the page with tables of the current declarations; the root's provider is not included."""
    files = (file for file in sorted(INFRA.glob("*.tf")) if file.name != "provider.tf")
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    inputs = "".join(_input(name, body) for name, body in sorted(blocks(text, "variable").items()))
    outputs = "".join(
        f"| {_anchor('output', name)} | {_cell(body['description'])} |\n"
        for name, body in sorted(blocks(text, "output").items())
    )
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    after = rest.partition(_END)[2]
    tables = f"## Inputs\n\n{_INPUTS}{inputs}\n## Outputs\n\n{_OUTPUTS}{outputs}"
    return f"{before}{_BEGIN}{tables}{_END}{after}"


def _input(name: str, body: dict[str, Any]) -> str:
    kind = " ".join(str(body["type"]).removeprefix("${").removesuffix("}").split())
    default = "n/a" if "default" not in body else f"`{_default(body['default'])}`"
    required = "no" if "default" in body else "yes"
    return f"| {_anchor('input', name)} | {_cell(body['description'])} | `{kind}` | {default} | {required} |\n"


def _default(value: object) -> str:
    return "null" if value == "null" else json.dumps(value)


def _anchor(kind: str, name: str) -> str:
    escaped = name.replace("_", r"\_")
    return rf'<a name="{kind}_{name}"></a> [{escaped}](#{kind}\_{escaped})'


def _cell(text: str) -> str:
    return text.replace('\\"', '"').replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
