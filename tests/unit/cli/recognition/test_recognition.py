"""Text recognition on the laptop: by a tesseract on the PATH, in bounds, and no page twice."""

import shutil
import stat
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from selfrag.domain.errors import BadDocument, Misconfigured
from selfrag.runtime.settings import IngestionSettings
from selfrag_cli.local.home import connect
from selfrag_cli.local.recognition import tesseract
from selfrag_cli.local.recognition.local import local_recognizer
from selfrag_cli.local.recognition.rendering import MAX_PIXELS
from selfrag_cli.local.sources.report import NothingUsable
from selfrag_cli.local.sources.source import DocumentSource
from tests.support.documents.files import assembled, pdf, stream
from tests.support.documents.scans import scanned_pdf
from tests.support.fakes import FakeEmbedder
from tests.support.reading import sync

# As strict as the program itself: other arguments, another picture than a PGM, and it ends with 1.
STRICT = """#!{python}
import os, resource, sys
with open({log!r}, "a") as log:
    log.write(" ".join(sys.argv[1:]) + "\\n")
if sys.argv[1:] == ["--list-langs"]:
    print("List of available languages (3):\\njpn\\neng\\nosd")
    sys.exit(0)
if sys.argv[1:] != ["stdin", "stdout", "--dpi", "300", "-l", "eng+jpn", "tsv"]:
    sys.exit("Usage")
picture = sys.stdin.buffer.read()
kind, width, height, most = picture.split(None, 4)[:4]
if kind != b"P5" or most != b"255" or len(picture.split(b" 255\\n", 1)[1]) != int(width) * int(height):
    sys.exit("Error in pixReadStream: Unknown format")
if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY or "SELFRAG_SECRET" in os.environ:
    sys.exit("not contained")
print("level page_num block_num par_num line_num word_num left top width height conf text".replace(" ", "\\t"))
print("\\t".join("1 1 0 0 0 0 0 0 1 1 -1".split()) + "\\t")
for line, words in enumerate(({says!r}).splitlines(), 1):
    for place, word in enumerate(words.split(), 1):
        print("\\t".join(["5", "1", "1", "1", str(line), str(place), "0", "0", "1", "1", "{sure}", word]))
"""

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a tesseract on the PATH, alone; gives the file that it notes its calls in."""

    def install(says: str = 'The "limit" is 140 EUR.\nIt holds in Oslo.', sure: float = 96.5) -> Path:
        folder, log = tmp_path / "bin", tmp_path / "calls"
        folder.mkdir(exist_ok=True)
        file = folder / "tesseract"
        file.write_text(STRICT.format(python=sys.executable, log=str(log), says=says, sure=sure))
        file.chmod(stat.S_IRWXU)
        monkeypatch.setenv("PATH", str(folder))
        return log

    monkeypatch.setenv("SELFRAG_SECRET", "not for others")
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "home"))
    return install


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a directory with a document."""
    made = tmp_path / "docs"
    made.mkdir()
    return made


def calls(log: Path) -> int:
    """Return how many pictures were looked at."""
    return log.read_text().count("stdin") if log.exists() else 0


def ingested(folder: Path) -> list[str]:
    """Return the warnings of an ingestion's report."""
    return sync(DocumentSource("scans", folder), embedder=FakeEmbedder()).warnings


def test_scans_are_recognised_by_tesseract_with_a_reported_confidence(install: Install, folder: Path) -> None:
    log = install()
    (folder / "scan.pdf").write_bytes(scanned_pdf("x", among="Travel"))
    assert ingested(folder) == ["scan.pdf: the text of 1 page was recognised from pictures, with a confidence of 96%."]
    assert calls(log) == 1


def test_missing_tesseract_report_names_unread_pages_and_remedy(
    install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    (folder / "scan.pdf").write_bytes(scanned_pdf("x"))
    with pytest.raises(NothingUsable, match=r"scan\.pdf shows pictures and holds no text .* tesseract on the PATH"):
        ingested(folder)
    (folder / "mixed.pdf").write_bytes(scanned_pdf("x", among="Travel"))
    told = "\n".join(ingested(folder))
    assert "mixed.pdf has pages that show pictures and hold no text, which were not read: 2" in told
    assert "tesseract on the PATH" in told


def test_scans_refused_without_tesseract_are_read_once_it_is_installed(
    install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(folder))
    (folder / "scan.pdf").write_bytes(scanned_pdf("x"))
    with pytest.raises(NothingUsable):
        ingested(folder)
    install()
    assert "was recognised" in ingested(folder)[0]


def test_the_same_pages_are_recognised_once_whatever_the_file_is_called(install: Install, folder: Path) -> None:
    log = install()
    (folder / "scan.pdf").write_bytes(scanned_pdf("x", "y"))
    ingested(folder)
    (folder / "copy.pdf").write_bytes(scanned_pdf("x", "y"))
    (folder / "scan.pdf").unlink()
    ingested(folder)
    assert calls(log) == 2


def test_text_recognition_can_be_switched_off(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install()
    monkeypatch.setenv("SELFRAG_TEXT_RECOGNITION", "off")
    with local_recognizer() as recognizer:
        assert recognizer is None
    assert IngestionSettings().text_recognition == "off"


@pytest.mark.parametrize("wanted", ["tables", "all"])
def test_another_value_is_refused_before_anything_is_read(
    install: Install, folder: Path, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    install()
    (folder / "scan.pdf").write_bytes(scanned_pdf("x"))
    monkeypatch.setenv("SELFRAG_TEXT_RECOGNITION", wanted)
    with pytest.raises(Misconfigured, match="SELFRAG_TEXT_RECOGNITION"):
        ingested(folder)


def test_tesseract_failure_is_reported_with_its_exit_code(install: Install, folder: Path) -> None:
    install()
    (folder.parent / "bin" / "tesseract").write_text(f"#!{sys.executable}\nimport sys\nsys.exit(7)\n")
    with pytest.raises(BadDocument, match="tesseract ended with code 7"):
        tesseract.recognize(str(tesseract.program()), b"P5 1 1 255\n\0", 1, "eng")


def test_the_line_breaks_and_quotation_marks_of_a_page_stay(install: Install) -> None:
    install()
    found = tesseract.recognize(str(tesseract.program()), b"P5 1 1 255\n\0", 3, "eng+jpn")
    assert (found.page, found.text, found.confidence) == (3, 'The "limit" is 140 EUR.\nIt holds in Oslo.', 96.5)


def test_a_page_of_any_size_is_drawn_within_bounds() -> None:
    from selfrag_cli.local.recognition.local import _RENDER

    huge = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 14400 14400] /Contents 4 0 R >>",
        stream(b""),
    ]
    drawn = _RENDER("a.pdf", assembled(huge, "/Root 1 0 R"), page=1)
    assert len(drawn) * 3 / 4 < 1.1 * MAX_PIXELS


@pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="tesseract is not installed (apt-get install tesseract-ocr)"
)
def test_the_real_tesseract_reads_a_page_that_was_drawn_as_a_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip  # noqa: E501
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "home"))
    with local_recognizer() as recognizer:
        assert recognizer
        recognizer.keep("n", pdf("The hotel limit per night in Oslo is 140 EUR."))
        pages = recognizer.outcome("n", recognizer.begin("n"))
        assert pages
        assert "hotel limit per night in Oslo is 140 EUR" in pages[0].text
        assert pages[0].confidence > 80
    with closing(connect(directory=tmp_path / "home")) as kept:
        assert kept.execute("SELECT count(*) FROM recognized").fetchone() == (1,)
