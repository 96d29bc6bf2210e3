"""The page as one file, which holds its style and its script and may run nothing else."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files

from selfrag.domain.documents import MAX_DOCUMENT_BYTES
from selfrag.domain.kinds import EXTENSIONS, REFUSED

_HERE = files("selfrag.api.page")
# In the order of their dependencies.
_SCRIPTS = (
    *("words", "dom", "api", "events", "welcome", "scope", "source", "original", "answer", "judging"),
    *("checked", "running", "exporting", "asking", "opening", "history", "documents", "uploads", "start"),
)
_STYLES = ("tokens", "style")
_IDLE = re.compile(r"^[ \t]+|^[ \t]*(?://.*|/\*.*\*/)\n|^\n|(?<=[,;{}([])\n", re.M)
# In a style also the blanks after a sign, and before a brace; in a script those around operators, and within braces.
_LOOSE = re.compile(r"(?<=[:,;{}]) | (?=[{}])")
_SPACED = re.compile(r" (=>|[!=]==|&&|\|\||[?:=+<>]) |(?<=\{) | (?=[{}])")


@cache
def html() -> str:
    """Return the whole page; it sends requests only to the API that served it."""
    scripts = "\n".join(_SPACED.sub(r"\1", _read(f"{name}.js")) for name in _SCRIPTS)
    texts: dict[str, list[str]] = json.loads((_HERE / "words.json").read_text(encoding="utf-8"))
    # The names of all words, and the words of each language.
    words = ["|".join(column) for column in zip(*([name, *own] for name, own in texts.items()), strict=True)]
    # The files that are taken: endings, the most bytes, and what to save a refused kind as, "" for archives.
    instead = {ending: " / ".join(re.findall(r"\.\w+|PDF", advice)) for ending, advice in REFUSED.items()}
    kinds = {"read": sorted(EXTENSIONS), "instead": instead, "bytes": MAX_DOCUMENT_BYTES}
    for name, data in (("words", words), ("kinds", kinds)):
        scripts = scripts.replace(f'"{name}"', json.dumps(data, ensure_ascii=False, separators=(",", ":")), 1)
    styles = _LOOSE.sub("", "".join(_read(f"{name}.css") for name in _STYLES))
    page = _read("page.html").replace("/*style*/", styles)
    return page.replace("/*script*/", f"'use strict';\n{scripts}")


@cache
def policy(uploads_to: str = "") -> str:
    """Return its Content-Security-Policy: style and script by their hashes, requests to its own origin alone.

    Uploads are the exception: they go to the origin `uploads_to`, from which PDFs are shown, too.
    """
    text = html()
    style, script = (_hash(text.split(f"<{name}>")[1].split(f"</{name}>")[0]) for name in ("style", "script"))
    rules = {
        "default-src": "'none'",
        "script-src": script,
        "style-src": style,
        "connect-src": f"'self' {uploads_to}".strip(),
        "frame-src": f"'self' {uploads_to}".strip(),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _read(name: str) -> str:
    """Return a part of the page, minified: no comments, no indentation, few line ends."""
    return _IDLE.sub("", (_HERE / name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
