"""Documents of the project's own making, one for each way in which real ones hold an answer, and what is asked of them.

FILES are read by the reader of their kind; what has no entry there is written as its reader would.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ingestion.parse_document.labels import Labels
from ingestion.parse_document.readers import parse
from ingestion.parse_document.writing import Writer
from selfrag.domain.documents import Document

FILLER = "Whoever is not sure asks the team that keeps this page before anything is changed. "


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
        "row 3",
        None,
        ("1600",),
    ),
    "a row of a long table": Asked(
        "Which error code says that a unique constraint was violated?",
        "errors.html",
        ("unique_violation", "23505"),
        "row 41",
        None,
        ("23504", "23506"),
    ),
    "a row of a table in Markdown": Asked(
        "How long may a DVD be borrowed?", "library.md", ("DVD", "7 days"), "row 3", None, ("28 days",)
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
        "How long are the notes of the board kept?", "statutes.pdf", ("notes of the board", "11 years"), "page iv", 4
    ),
    "a page in the middle of a section": Asked(
        "Who signs a contract of more than 50,000 EUR?", "statutes.pdf", ("50,000 EUR", "both directors"), "page 1", 5
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
    """All documents, read or written."""
    read = [parse(path, made().encode()) for path, made in FILES.items()]
    return [*read, *(made() for path, made in WRITTEN.items() if path not in FILES)]


def _written(key: str, title: str, fill: Callable[[Writer], None]) -> Document:
    writer = Writer(key)
    fill(writer)
    return writer.document(title, Labels())


def _table(
    writer: Writer, names: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", first: int = 2
) -> None:
    with writer.table(caption):
        for number, row in enumerate(rows, first):
            writer.row(names, row, f"row {number}")


def _limits(writer: Writer) -> None:
    writer.heading(1, "Limits of PostgreSQL")
    writer.line("These are hard limits. Other limits, of memory or of disks, may come first.")
    rows = [
        ("database size", "unlimited", ""),
        ("relation size", "32 TB", "with the default block size of 8192 bytes"),
        ("rows per table", "limited by the tuples that fit onto 4,294,967,295 pages", ""),
        ("columns per table", "1600", "further limited by the size of a tuple"),
        ("field size", "1 GB", ""),
        ("identifier length", "63 bytes", "can be raised when it is compiled"),
    ]
    _table(writer, ("item", "upper limit", "comment"), rows, "Limitations of PostgreSQL")


def _errors(writer: Writer) -> None:
    writer.heading(1, "Error codes")
    names = {23505: "unique_violation", 23503: "foreign_key_violation", 23502: "not_null_violation"}
    rows = [(str(code), names.get(code, f"integrity_violation_{code}")) for code in range(23466, 23526)]
    _table(writer, ("code", "condition name"), rows, "Class 23, violations of integrity constraints")


def _stash(writer: Writer) -> None:
    writer.heading(1, "git stash")
    writer.heading(2, "Commands")
    for term, text in {
        "push": "Save the changes of the working tree to a new entry of the list, and roll them back.",
        "list": "Show the entries that are there, each with its name and the branch that it was made on",
        "show": "Show the changes of an entry as a comparison with the commit that it was made on.",
        "pop": "Put an entry back onto the working tree, and take it from the list",
        "apply": "As pop does, and leave the entry in the list",
        "drop": "Remove a single entry of the stash from the list",
        "clear": "Remove all entries of the stash, which may then be beyond recovery",
    }.items():
        writer.definition(term, text)


def _cache(writer: Writer) -> None:
    writer.heading(1, "git credential-cache")
    writer.line("This keeps passwords in the memory of the machine for a while.")
    writer.heading(2, "Options")
    writer.definition("--timeout <seconds>", "How long a password is kept. Default: 900 seconds.")
    writer.definition("--socket <path>", "Where the keeper is asked. Default: a directory in the home of the person.")


def _leave(writer: Writer) -> None:
    writer.heading(1, "Annual leave")
    writer.line("Each employee has 25 days of leave a year, which are asked for in the portal.")
    writer.line("")
    writer.line("What is left at the end of a year may be carried over.[1]")
    writer.line("[1] At most 9 days may be carried over, and only until the end of March.")
    writer.heading(1, "Sick leave")
    writer.line(FILLER * 6)


def _statutes(writer: Writer) -> None:
    writer.part("page iv", 4)
    writer.heading(1, "Statutes of the foundation")
    writer.heading(2, "Papers")
    writer.line(f"The notes of the board are kept for 11 years. {FILLER * 4}")
    writer.heading(2, "Contracts")
    writer.part("page 1", 5)
    writer.line(f"A contract of more than 50,000 EUR is signed by both directors. {FILLER * 4}")


def _visitors(writer: Writer) -> None:
    for number, (title, line) in enumerate(
        (("The year of the museum", "Annual meeting"), ("Programme", "Three exhibitions and a summer school"),
         ("Visitors", "In spring 48,200 people came, in autumn 51,700"), ("Questions", "")), 1
    ):  # fmt: skip
        writer.part(f"slide {number}", number)
        writer.heading(1, title)
        writer.line(line)


def _prices(writer: Writer) -> None:
    cities = ("Oslo", "Rome", "Bonn", "Turin", "Leeds", "Ghent", "Porto", "Graz", "Split", "Brno", "Riga", "Lisbon")
    rows = [(city, f"{90 + number} EUR") for number, city in enumerate(cities)]
    writer.part("sheet Prices")
    _table(writer, ("workshop", "price of a day"), [*rows, ("Kobe", "12,500 JPY"), ("Busan", "130,000 KRW")], "Prices")
    writer.part("sheet 定員")
    _table(writer, ("拠点", "定員"), [("札幌", "18人"), ("那覇", "24人")], "定員")


WRITTEN = {
    "limits.html": lambda: _written("limits.html", "Limits", _limits),
    "errors.html": lambda: _written("errors.html", "Error codes", _errors),
    "stash.html": lambda: _written("stash.html", "git stash", _stash),
    "cache.html": lambda: _written("cache.html", "git credential-cache", _cache),
    "library.md": lambda: _written("library.md", "Library", _library),
    "leave.docx": lambda: _written("leave.docx", "Leave", _leave),
    "statutes.pdf": lambda: _written("statutes.pdf", "Statutes", _statutes),
    "visitors.pptx": lambda: _written("visitors.pptx", "The year of the museum", _visitors),
    "prices.xlsx": lambda: _written("prices.xlsx", "prices.xlsx", _prices),
}


def _library(writer: Writer) -> None:
    writer.heading(1, "Library")
    writer.line("Books and films are lent to everybody who lives here.")
    _table(writer, ("Item", "Loan period"), [("Books", "28 days"), ("DVD", "7 days"), ("Games", "14 days")])
    writer.line("A loan is made longer once.")


def _releases() -> str:
    names = ["Buzz", "Rex", "Bo", "Hamm", "Slink", "Potato", "Woody", "Sarge", "Etch", "Lenny", "Wheezy", "Squeeze"]
    days = {"Wheezy": "2013-05-04,2016-04-25", "Buster": "2019-07-06,2022-09-10", "Jessie": "2015-04-25,2018-06-17"}
    lines = ["version,codename,release,eol"]
    for number, name in enumerate([*names, "Jessie", "Buster", "Stretch", "Bullseye"], 1):
        lines.append(f"{number},{name},{days.get(name, f'20{number:02}-01-{number:02},20{number + 3}-02-{number:02}')}")
    return "\n".join(lines) + "\n"


def _bisect() -> str:
    before = "A script may judge each commit in your place, and bisect goes on by what it says. " * 8
    return (
        f"# git bisect\n\n## Run a script\n\n{before}A commit that cannot be judged is told by a code of its own. "
        f"This code is 125, and bisect goes on with a commit nearby. {'Other codes end the search at once. ' * 8}\n"
    )


FILES: dict[str, Callable[[], str]] = {
    "releases.csv": _releases,
    "bisect.md": _bisect,
    "away.md": lambda: (
        "# Being away\n\nA developer who is away tells the list of developers by a mail with [VAC] before its subject, "
        "and says there how many days it will be.\n"
    ),
    "debian-ko.md": lambda: (
        "# 데비안\n\n## 패키지\n\n데비안에는 59,000개가 넘는 패키지가 있습니다.\n\n## 사람\n\n"
        f"{'데비안은 여러 나라의 사람들이 함께 만듭니다. ' * 14}자원봉사자는 급여를 받지 않습니다.\n"
    ),
}
