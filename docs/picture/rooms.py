"""The rooms of the code, the layers that they stand in, and the imports between them as they are."""

from dataclasses import dataclass

import grimp


@dataclass(frozen=True)
class Room:
    """A package whose imports are counted together; `holds` says in a few words what it is for."""

    package: str
    holds: str


# From the top down, as import-linter's contracts say: a room imports from the layers below its own.
LAYERS = (
    (
        Room("cli", "command, local stack, doctor"),
        Room("infra.packages", "builds what is deployed"),
    ),
    (
        Room("question", "a folder per state"),
        Room("ingestion", "a folder per state"),
        Room("ask", "the HTTP API"),
        Room("send_spans", "spans of answers"),
    ),
    (Room("selfrag.bootstrap", "puts the parts together"),),
    (Room("selfrag.adapters", "AWS, Claude, OpenSearch"),),
    (Room("selfrag.runtime", "settings, logs, metrics"),),
    (
        Room("selfrag.plan", "what happens next, and why"),
        Room("selfrag.ports", "what the steps ask for"),
        Room("selfrag.reader.processes", "worker processes"),
    ),
    (
        Room("selfrag.text", "functions on text"),
        Room("selfrag.domain", "values"),
    ),
)
PACKAGES = ("selfrag", "question", "ingestion", "ask", "send_spans", "cli", "infra.packages")


def package_graph() -> grimp.ImportGraph:
    """Every module of ours and what it imports, also inside functions."""
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def room_of(module: str) -> str:
    """Return the room that a module is in, "" for a package that only holds rooms."""
    rooms = (room.package for layer in LAYERS for room in layer)
    return next((room for room in rooms if module == room or module.startswith(f"{room}.")), "")


def imports_between(graph: grimp.ImportGraph) -> set[tuple[str, str]]:
    """Return the pairs of rooms of which a module of the first imports one of the second."""
    pairs = (
        (room_of(module), room_of(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    )
    return {(one, other) for one, other in pairs if one and other and one != other}


def rooms_in(graph: grimp.ImportGraph) -> set[str]:
    """Return the rooms that hold modules, "" for those of none."""
    return {room_of(module) for module in graph.modules if not graph.find_children(module)}
