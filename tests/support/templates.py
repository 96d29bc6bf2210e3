"""The results of a definition's templates."""

from typing import Any

from selfrag_cli.local.runner.jsonata import evaluate


def template(value: Any, bindings: dict[str, Any]) -> Any:
    """Return a JSON value with the expressions in it evaluated."""
    if isinstance(value, str) and value.startswith("{%"):
        return evaluate(value[2:-2].strip(), bindings)
    if isinstance(value, dict):
        return {key: template(item, bindings) for key, item in value.items()}
    if isinstance(value, list):
        return [template(item, bindings) for item in value]
    return value
