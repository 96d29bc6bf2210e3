"""The same documents as files of their kind, for the readers."""

from collections.abc import Callable, Sequence

from tests.support.documents.files import docx, paragraph
from tests.support.documents.office import note, notes, pptx, shape
from tests.support.documents.pdf_pages import BOLD, laid, lines
from tests.support.documents.workbooks import grid, xlsx

Rows = Sequence[Sequence[str]]

FILLER = "Whoever is not sure asks the team that keeps this page before anything is changed."
LIMITS: Rows = [
    ("item", "upper limit", "comment"),
    ("database size", "unlimited", ""),
    ("relation size", "32 TB", "with the default block size of 8192 bytes"),
    ("rows per table", "limited by the tuples that fit onto 4,294,967,295 pages", ""),
    ("columns per table", "1600", "further limited by the size of a tuple"),
    ("field size", "1 GB", ""),
    ("identifier length", "63 bytes", "can be raised when it is compiled"),
]
_CITIES = ("Oslo", "Rome", "Bonn", "Turin", "Leeds", "Ghent", "Porto", "Graz", "Split", "Brno", "Riga", "Lisbon")
PRICES: Rows = [
    ("workshop", "price of a day"),
    *((city, f"{90 + number} EUR") for number, city in enumerate(_CITIES)),
    ("Kobe", "12,500 JPY"),
    ("Busan", "130,000 KRW"),
]
PLACES: Rows = [("拠点", "定員"), ("札幌", "18人"), ("那覇", "24人")]
SLIDES: Rows = [
    ("The year of the museum", "Annual meeting"),
    ("Programme", "Three exhibitions and a summer school"),
    ("Visitors", "In spring 48,200 people came, in autumn 51,700"),
    ("Questions", ""),
]


def errors() -> Rows:
    """Sixty codes, of which one is asked for."""
    names = {23505: "unique_violation", 23503: "foreign_key_violation", 23502: "not_null_violation"}
    rows = [(str(code), names.get(code, f"integrity_violation_{code}")) for code in range(23466, 23526)]
    return [("code", "condition name"), *rows]


STASH = {
    "push": "Save the changes of the working tree to a new entry of the list, and roll them back.",
    "list": "Show the entries that are there, each with its name and the branch that it was made on",
    "show": "Show the changes of an entry as a comparison with the commit that it was made on.",
    "pop": "Put an entry back onto the working tree, and take it from the list",
    "apply": "As pop does, and leave the entry in the list",
    "drop": "Remove a single entry of the stash from the list",
    "clear": "Remove all entries of the stash, which may then be beyond recovery",
}
CACHE = {
    "--timeout &lt;seconds&gt;": "<p>How long a password is kept.</p><p>Default: 900 seconds.</p>",
    "--socket &lt;path&gt;": "Where the keeper is asked. Default: a directory in the home of the person.",
}


def _page(title: str, body: str) -> bytes:
    return f"<!DOCTYPE html><title>{title}</title><main><h1>{title}</h1>{body}</main>".encode()


def _web_table(caption: str, rows: Rows) -> str:
    head = "".join(f"<th>{cell}</th>" for cell in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows[1:])
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _definitions(told: dict[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{term}</dt><dd>{text}</dd>' for term, text in told.items())}</dl>"


def _releases() -> bytes:
    names = ["Buzz", "Rex", "Bo", "Hamm", "Slink", "Potato", "Woody", "Sarge", "Etch", "Lenny", "Wheezy", "Squeeze"]
    days = {"Wheezy": "2013-05-04,2016-04-25", "Buster": "2019-07-06,2022-09-10", "Jessie": "2015-04-25,2018-06-17"}
    told = ["version,codename,release,eol"]
    for number, name in enumerate([*names, "Jessie", "Buster", "Stretch", "Bullseye"], 1):
        told.append(f"{number},{name},{days.get(name, f'20{number:02}-01-{number:02},20{number + 3}-02-{number:02}')}")
    return ("\n".join(told) + "\n").encode()


def _bisect() -> bytes:
    before = "A script may judge each commit in your place, and bisect goes on by what it says. " * 8
    return (
        f"# git bisect\n\n## Run a script\n\n{before}A commit that cannot be judged is told by a code of its own. "
        f"This code is 125, and bisect goes on with a commit nearby. {'Other codes end the search at once. ' * 8}\n"
    ).encode()


def _leave() -> bytes:
    left = "What is left at the end of a year may be carried over."
    marked = f"<w:p><w:r><w:t>{left}</w:t></w:r>{note(1)}</w:p>"
    body = [
        paragraph("Annual leave", "berschrift1"),
        paragraph("Each employee has 25 days of leave a year, which are asked for in the portal."),
        marked,
        paragraph("Sick leave", "berschrift1"),
        paragraph(f"{FILLER} " * 6),
    ]
    footnotes = notes("footnotes", n1="At most 9 days may be carried over, and only until the end of March.")
    return docx(*body, footnotes=footnotes)


def _statutes() -> bytes:
    front = [
        *lines(72, 780, "Statutes of the foundation", size=20, font=BOLD),
        *lines(72, 740, "Papers", size=14, font=BOLD),
        *lines(72, 715, "The notes of the board are kept for 11 years.", *[FILLER] * 4),
        *lines(72, 600, "Contracts", size=14, font=BOLD),
        *lines(72, 575, "A contract is made in writing, and a copy of it is sent to the office."),
    ]
    rest = lines(72, 780, "A contract of more than 50,000 EUR is signed by both directors.", *[FILLER] * 4)
    return laid(front, rest, labels="0 << /S /r /St 4 >> 1 << /S /D /St 1 >>")


def _visitors() -> bytes:
    return pptx(*(shape(title, kind="title") + shape(line, kind="body") for title, line in SLIDES))


FILES: dict[str, Callable[[], bytes]] = {
    "limits.html": lambda: _page(
        "Limits of PostgreSQL",
        "<p>These are hard limits. Other limits, of memory or of disks, may come first.</p>"
        + _web_table("Limitations of PostgreSQL", LIMITS),
    ),
    "errors.html": lambda: _page("Error codes", _web_table("Class 23, violations of integrity constraints", errors())),
    "stash.html": lambda: _page("git stash", f"<h2>Commands</h2>{_definitions(STASH)}"),
    "cache.html": lambda: _page(
        "git credential-cache",
        f"<p>This keeps passwords in the memory of the machine for a while.</p><h2>Options</h2>{_definitions(CACHE)}",
    ),
    "library.md": lambda: (
        b"# Library\n\nBooks and films are lent to everybody who lives here.\n\n| Item | Loan period |\n|---|---|\n"
        b"| Books | 28 days |\n| DVD | 7 days |\n| Games | 14 days |\n\nA loan is made longer once.\n"
    ),
    "releases.csv": _releases,
    "bisect.md": _bisect,
    "away.md": lambda: (
        b"# Being away\n\nA developer who is away tells the list of developers by a mail with [VAC] before its "
        b"subject, and says there how many days it will be.\n"
    ),
    "debian-ko.md": lambda: (
        "# 데비안\n\n## 패키지\n\n데비안에는 59,000개가 넘는 패키지가 있습니다.\n\n## 사람\n\n"
        f"{'데비안은 여러 나라의 사람들이 함께 만듭니다. ' * 14}자원봉사자는 급여를 받지 않습니다.\n"
    ).encode(),
    "leave.docx": _leave,
    "statutes.pdf": _statutes,
    "visitors.pptx": _visitors,
    "prices.xlsx": lambda: xlsx({"Prices": grid(PRICES), "定員": grid(PLACES)}),
}
