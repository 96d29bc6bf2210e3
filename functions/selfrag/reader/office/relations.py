"""The relations between the parts of an Office file; what stands outside the file is never followed."""

from dataclasses import dataclass
from posixpath import dirname, join, normpath, split

from typing_extensions import override

from selfrag.reader.archive import PartReader, XmlArchive


@dataclass(frozen=True)
class Relation:
    """A part that another one refers to; `kind` is such as `slide` or `footnotes`."""

    kind: str
    part: str


class _Relations(PartReader):
    def __init__(self, folder: str) -> None:
        self.relations: dict[str, Relation] = {}
        self._folder = folder

    @override
    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            part = target.lstrip("/") if target.startswith("/") else normpath(join(self._folder, target))
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.relations[attributes.get("Id", "")] = Relation(kind, part)


def relations(archive: XmlArchive, part: str) -> dict[str, Relation]:
    """Return what a part refers to, by the id that it uses, of what is in the archive; in the order of the file."""
    folder, name = split(part)
    listed = join(folder, "_rels", f"{name}.rels")
    reader = _Relations(dirname(part))
    if listed in archive.names:
        archive.parse(listed, reader)
    return {key: relation for key, relation in reader.relations.items() if relation.part in archive.names}
