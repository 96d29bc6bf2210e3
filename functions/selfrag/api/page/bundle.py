"""The page as one file, which holds its style and its script and may run nothing else."""

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

_HERE = files("selfrag.api.page")
# In the order of their dependencies.
_SCRIPTS = (
    *("words", "dom", "api", "events", "welcome", "source", "compared", "answer", "judging", "checked", "running"),
    *("exporting", "asking", "opening", "history", "documents", "uploads", "start"),
)
_STYLES = ("tokens", "style")
_IDLE = re.compile(r"^[ \t]+|^[ \t]*(?://.*|/\*.*\*/)\n|^\n|(?<=[,;{}([])\n", re.M)
# In a style also the blanks after a sign, and before a brace.
_LOOSE = re.compile(r"(?<=[:,;{}]) | (?=[{}])")


@cache
def html() -> str:
    """Return the whole page; it sends requests only to the API that served it."""
    scripts = "\n".join(_read(f"{name}.js") for name in _SCRIPTS)
    styles = _LOOSE.sub("", "".join(_read(f"{name}.css") for name in _STYLES))
    page = _read("page.html").replace("/*style*/", styles)
    return page.replace("/*script*/", f"'use strict';\n{scripts}")


@cache
def policy(uploads_to: str = "") -> str:
    """Return its Content-Security-Policy: style and script by their hashes, requests to its own origin alone.

    Uploads are the exception: they go to the origin `uploads_to`.
    """
    text = html()
    style, script = (_hash(text.split(f"<{name}>")[1].split(f"</{name}>")[0]) for name in ("style", "script"))
    rules = {
        "default-src": "'none'",
        "script-src": script,
        "style-src": style,
        "connect-src": f"'self' {uploads_to}".strip(),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _read(name: str) -> str:
    """Return a part of the page without what a browser has no use for: comments, indentation, most ends of lines."""
    return _IDLE.sub("", (_HERE / name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
