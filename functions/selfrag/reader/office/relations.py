"""Relations between parts of an Office file; external targets are ignored."""

from dataclasses import dataclass
from posixpath import join, normpath, split

from selfrag.reader.archive import XmlArchive


@dataclass(frozen=True)
class Relation:
    """A reference to a part; `kind` is for example `slide` or `footnotes`."""

    kind: str
    part: str


def relations(archive: XmlArchive, part: str) -> dict[str, Relation]:
    """Return the existing targets of a part's relations by id, in file order."""
    folder, name = split(part)
    related: dict[str, Relation] = {}
    for element, attributes in archive.elements(join(folder, "_rels", f"{name}.rels")):
        if element == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            path = target.lstrip("/") if target.startswith("/") else normpath(join(folder, target))
            if path in archive.names:
                kind = attributes.get("Type", "").rpartition("/")[2]
                related[attributes.get("Id", "")] = Relation(kind, path)
    return related
