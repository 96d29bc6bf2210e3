"""The text of a PowerPoint presentation, slide by slide, with what the speaker noted."""

from pathlib import PurePosixPath

from selfrag.domain.documents import Document
from selfrag.domain.writing import Writer
from selfrag.reader.kinds import POWERPOINT
from selfrag.reader.office.blocks import texts
from selfrag.reader.office.ooxml.pptx_slide import SlideReader
from selfrag.reader.office.properties import properties
from selfrag.reader.office.relations import relation_id, relations
from selfrag.reader.office.tables import write
from selfrag.reader.zipped import Zipped, local, unzipped

_PRESENTATION, _PROPERTIES = "ppt/presentation.xml", "docProps/core.xml"
NOTES = "Notes: "


def read_pptx(key: str, content: bytes) -> Document:
    """Each slide is a part: its title a heading, then its shapes in the order of reading, then its notes.

    Hidden slides are left out with a warning. Raises BadDocument.
    """
    writer, hidden = Writer(key), list[int]()
    with unzipped(key, content, POWERPOINT) as archive:
        for number, part in enumerate(_slides(archive), 1):
            slide = SlideReader()
            archive.parse(part, slide)
            if slide.hidden:
                hidden.append(number)
            else:
                writer.part(f"slide {number}", number)
                _write(writer, archive, part, slide)
        if hidden:
            writer.warnings.append(hidden_slides(key, hidden))
        said = properties(archive, _PROPERTIES)
        title = next((heading.text for heading in writer.headings), PurePosixPath(key).name)
        return writer.document(title, said.labels())


def hidden_slides(key: str, hidden: list[int]) -> str:
    """Return the warning that slides are hidden."""
    more = f" and {len(hidden) - 10} more" if len(hidden) > 10 else ""
    return f"{key} has hidden slides, which were left out: {', '.join(map(str, hidden[:10]))}{more}."


def _write(writer: Writer, archive: Zipped, part: str, slide: SlideReader) -> None:
    related = relations(archive, part).values()
    for drawing in (one.part for one in related if one.kind == "diagramData"):
        archive.parse(drawing, slide)
    write(writer, slide.blocks())
    for notes in (one.part for one in related if one.kind == "notesSlide"):
        reader = SlideReader(notes=True)
        archive.parse(notes, reader)
        for text in texts(reader.blocks()):
            writer.line(NOTES + text)


class _Presentation:
    """The slides of a presentation, in order, by the ids that refer to them."""

    def __init__(self) -> None:
        self.slides: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if local(tag) == "sldId":
            self.slides.append(relation_id(attributes))

    def end(self, tag: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


def _slides(archive: Zipped) -> list[str]:
    reader, related = _Presentation(), relations(archive, _PRESENTATION)
    archive.parse(_PRESENTATION, reader)
    return list(dict.fromkeys(related[slide].part for slide in reader.slides if slide in related))
