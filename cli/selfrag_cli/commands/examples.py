"""Command examples for `selfrag --help`: one per command, and all of a command in its own help."""

EXAMPLES = {
    "ask": (
        'selfrag ask "How many days of leave are there?" --docs notes',
        'selfrag ask "How many days of leave are there?" --collection notes --json',
        """selfrag ask "And in Lisbon?" --previous ID --policy '{"strategy": "adaptive"}'""",
        """selfrag ask "Is leave 25 days?" --policy '{"strategy": "candidates", "choices": ["yes", "no"]}'""",
    ),
    "chat": ("selfrag chat --docs notes",),
    "trace": ("selfrag trace", "selfrag trace ID --full"),
    "serve": ("selfrag serve --docs notes",),
    "mcp": ("selfrag mcp --docs notes",),
    "models": ("selfrag models",),
    "ingest": (
        "selfrag ingest notes --collection notes",
        "selfrag ingest notes --dry-run",
        "selfrag ingest https://handbook.example.com/ --collection handbook",
    ),
    "search": ('selfrag search "parental leave" --docs notes --top-k 8',),
    "eval": (
        "selfrag eval --limit 4",
        "selfrag eval questions.jsonl --docs notes --output answers.csv",
        "selfrag eval questions.jsonl --docs notes --variant self_rag --variant naive",
        "selfrag eval --from questions.results.jsonl --variant grade_relevance=prompt.md",
    ),
    "eval graders": ("selfrag eval graders claims.jsonl --judge decider --judge claude",),
    "doctor": ("selfrag doctor", "selfrag doctor --deployed"),
    "rollback": ("selfrag rollback --list",),
    "restore": ("selfrag restore --index",),
}


def examples_of(command: str = "") -> str | None:
    """Return a command's examples, or the first of each, as help paragraphs; None without any."""
    lines = EXAMPLES.get(command, ()) if command else [first for first, *_ in EXAMPLES.values()]
    return "\n\n".join(("Examples:", *lines)) if lines else None
