"""What is asked of documents of the project's own making, one for each way in which real ones hold an answer."""

from dataclasses import dataclass

from selfrag.domain.documents import Document
from selfrag.reader.readers import parse
from tests.documents.files import FILES


@dataclass(frozen=True)
class Asked:
    """A question, the document that answers it, what an answer rests on, and where a citation of it says it stands.

    `words` are in one passage and in one quote, `others` are of its neighbours and not in the quote.
    """

    question: str
    document: str
    words: tuple[str, ...]
    place: str = ""
    page: int | None = None
    others: tuple[str, ...] = ()


ASKED = {
    "a row of a table in a web page": Asked(
        "How large may a relation of PostgreSQL be?",
        "limits.html",
        ("relation size", "32 TB"),
        "row 2",
        None,
        ("1600",),
    ),
    "a row of a long table": Asked(
        "Which error code says that a unique constraint was violated?",
        "errors.html",
        ("unique_violation", "23505"),
        "row 40",
        None,
        ("23504", "23506"),
    ),
    "a row of a table in Markdown": Asked(
        "How long may a DVD be borrowed?", "library.md", ("DVD", "7 days"), "row 2", None, ("28 days",)
    ),
    "a definition": Asked(
        "How do I remove a single entry from the stash?",
        "stash.html",
        ("drop", "Remove a single"),
        "",
        None,
        ("apply",),
    ),
    "a definition of several sentences": Asked(
        "After how many seconds does the credential cache forget a password?",
        "cache.html",
        ("--timeout", "900"),
        "",
        None,
        ("--socket",),
    ),
    "a row of CSV": Asked(
        "When was Debian Buster released?",
        "releases.csv",
        ("codename: Buster", "release: 2019-07-06"),
        "row 15",
        None,
        ("Bullseye", "Stretch"),
    ),
    "another value of a row of CSV": Asked(
        "When did the support of Debian Wheezy end?",
        "releases.csv",
        ("codename: Wheezy", "eol: 2016-04-25"),
        "row 12",
        None,
        ("Jessie", "Squeeze"),
    ),
    "a number in the next sentence": Asked(
        "With which exit code does a script tell bisect to skip a commit?", "bisect.md", ("cannot be judged", "125")
    ),
    "a footnote": Asked(
        "How many days of leave may be carried over?", "leave.docx", ("carried over", "At most 9 days"), "", None
    ),
    "a page with a number of its own": Asked(
        "How long are the notes of the board kept?", "statutes.pdf", ("notes of the board", "11 years"), "page iv", 1
    ),
    "a page in the middle of a section": Asked(
        "Who signs a contract of more than 50,000 EUR?", "statutes.pdf", ("50,000 EUR", "both directors"), "page 1", 2
    ),
    "a slide": Asked(
        "How many people visited the museum in spring?", "visitors.pptx", ("spring", "48,200"), "slide 3", 3
    ),
    "a row of a sheet": Asked(
        "What does a day in the workshop in Kobe cost?",
        "prices.xlsx",
        ("Kobe", "12,500 JPY"),
        "sheet Prices, row 14",
        None,
        ("Lisbon",),
    ),
    "a row of a sheet in Japanese": Asked(
        "札幌の工房の定員は何人ですか。",
        "prices.xlsx",
        ("拠点: 札幌", "定員: 18人"),
        "sheet 定員, row 2",
        None,
        ("那覇",),
    ),
    "a count in Korean": Asked("데비안에는 패키지가 몇 개 있습니까?", "debian-ko.md", ("패키지", "59,000")),
}

# What looks like an answer, and what says in the same passage that it is none: the words of another subject.
TEMPTING = {
    "a table of another product": Asked(
        "How many columns may a table of MySQL have?", "limits.html", ("columns per table", "1600", "PostgreSQL")
    ),
    "a word in another sense": Asked(
        "How many vacation days does an employee have?", "away.md", ("[VAC]", "developer", "list of developers")
    ),
    "a sentence on others, in Korean": Asked("직원의 월급은 얼마입니까?", "debian-ko.md", ("자원봉사자", "급여")),
}


def documents() -> list[Document]:
    """All documents, each read by the reader of its kind."""
    return [parse(path, made()) for path, made in FILES.items()]
