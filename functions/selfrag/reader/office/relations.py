"""The relations between the parts of an Office file; what stands outside the file is never followed."""

from dataclasses import dataclass
from posixpath import join, normpath, split

from selfrag.reader.archive import XmlArchive


@dataclass(frozen=True)
class Relation:
    """A part that another one refers to; `kind` is such as `slide` or `footnotes`."""

    kind: str
    part: str


def relations(archive: XmlArchive, part: str) -> dict[str, Relation]:
    """Return what a part refers to, by the id that it uses, of what is in the archive; in the order of the file."""
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
