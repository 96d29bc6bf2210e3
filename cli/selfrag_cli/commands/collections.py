"""The `collections` command, with remove and move."""

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from selfrag.domain.errors import InvalidInput
from selfrag_cli.options import AsJson
from selfrag_cli.terminal import confirm, make_visible, out, print_json, print_line

if TYPE_CHECKING:
    from selfrag_cli.local.sources.collections import StoredCollection

Name = Annotated[str, typer.Argument(help="The collection's name, or the directory or site of one without a name.")]

collections = typer.Typer(
    invoke_without_command=True, help="List what was read into the local index; move or remove a collection."
)


@collections.callback()
def list_collections(context: typer.Context, as_json: AsJson = False) -> None:
    """List the collections of the local index: name, source, documents and size."""
    if context.invoked_subcommand:
        return
    from selfrag_cli.local.sources.collections import stored_collections

    entries = stored_collections()
    if as_json:
        print_json([_collection_fields(each) for each in entries])
    elif entries:
        _show(entries)
    else:
        print_line("Nothing has been read yet; use `selfrag ingest`.")


@collections.command()
def remove(name: Name, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> None:
    """Remove a collection from the local index; its files stay, and earlier answers keep their quotes."""
    from selfrag_cli.local.sources.collections import remove_collection, stored_collection

    entry = stored_collection(name)
    root = entry.root or "without a directory"
    what = f"{entry.name} ({root}: {entry.documents} documents, {entry.size.passages} passages)"
    if not yes and not confirm(
        f"Remove the collection {make_visible(what)}?", InvalidInput(f"Say --yes to remove the collection {what}.")
    ):
        raise typer.Exit(1)
    remove_collection(entry)
    print_line(f"Removed the collection {what}.")


@collections.command()
def move(name: Name, directory: Annotated[Path, typer.Argument(help="Where its directory is now.")]) -> None:
    """Record where a collection's directory was moved to, so that it is not read again."""
    from selfrag_cli.local.sources.collections import move_collection, stored_collection

    entry = stored_collection(name)
    move_collection(entry, directory)
    print_line(f"The collection {entry.name} is read from {directory.resolve()} now.")


def _show(collections: "list[StoredCollection]") -> None:
    table = Table(title="Collections", title_justify="left", expand=True)
    table.add_column("Collection", overflow="fold", ratio=1)
    table.add_column("Read from", overflow="fold", ratio=2)
    for column in ("Documents", "Passages", "MB", "Last read"):
        table.add_column(column, justify="right", no_wrap=True)
    for entry in collections:
        root = escape(make_visible(str(entry.root))) if entry.root else "[dim]not known[/]"
        gone = " [red](gone)[/]" if isinstance(entry.root, Path) and not entry.root.is_dir() else ""
        table.add_row(
            entry.name if entry.kind == "named" else f"[dim]{entry.kind}[/]",
            root + gone,
            f"{entry.documents}" + (f"\n[red]{entry.not_read} not read[/]" if entry.not_read else ""),
            str(entry.size.passages),
            f"{entry.size.bytes / 1e6:.1f}",
            datetime.fromtimestamp(entry.read_at).date().isoformat() if entry.read_at else "",
        )
    out.print(table)


def _collection_fields(entry: "StoredCollection") -> dict[str, object]:
    # Sites use this key, too: it is older than they are.
    value = asdict(entry) | {"kind": entry.kind, "directory": entry.root and make_visible(str(entry.root))}
    size, _ = value.pop("size"), value.pop("root")
    return {**value, "passages": size[0], "bytes": size[1]}
