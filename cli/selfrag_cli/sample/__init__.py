"""The sample: a handbook, pages of the web, and questions about them."""

from importlib.resources import files
from pathlib import Path

_HERE = Path(str(files(__name__)))
HANDBOOK = _HERE / "handbook"
WEB = _HERE / "web"
QUESTIONS = _HERE / "questions.jsonl"
