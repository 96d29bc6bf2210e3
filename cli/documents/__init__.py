"""The documents of a directory: a file becomes a Document, and a Document becomes pieces to be found and cited."""

from cli.documents.document import BadDocument, Document, Heading
from cli.documents.pieces import SPLITTING, Piece, split
from cli.documents.reading import EXTENSIONS, read_content, to_document

__all__ = [
    "EXTENSIONS",
    "SPLITTING",
    "BadDocument",
    "Document",
    "Heading",
    "Piece",
    "read_content",
    "split",
    "to_document",
]
