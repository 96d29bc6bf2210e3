"""Questions by identifier: texts that only a code, a part number, a version, a date or a name tells apart.

Both sets follow from numbers, so that every run has the same ones.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from bench.retrieval.squad import Paragraph, Task

# Lines of each kind, and those of them that are asked for.
_LINES, _TARGETS = 60, 20
# Paragraphs that get the name of a file.
_MARKED = 100
_FIRST = ("Mara", "Ines", "Tomas", "Akio", "Jonas", "Petra", "Samir", "Elena", "Hugo", "Leila")
_LAST = ("Okafor", "Lindner", "Tanaka", "Moreau", "Novak", "Herrera")
# An identifier of each kind by its number, the line that has it, and the sentence that asks for it.
_KINDS = (
    (
        "QX{code}",
        "Fault {}: the pump has stopped; check the inlet valve and start it again.",
        "What does fault {} mean?",
    ),
    ("AX-{part}-B", "Part {} fits the pumps of the second series and is kept in store.", "Where is part {} kept?"),
    ("{major}.{minor}.{patch}", "Release {} mends errors in the export of reports.", "What does release {} mend?"),
    (
        "{year}-{month:02}-{day:02}",
        "On {} the office is closed for works on the roof.",
        "Why is the office closed on {}?",
    ),
    ("{first} {last}", "{} approves the travel expenses of the department.", "What does {} approve?"),
)
_FILES = ("QX{part}", "AB-{part}-C", "{major}.{minor}.{patch}", "{year}-{month:02}-{day:02}")
_OTHER = (
    "The canteen serves {} on Mondays.",
    "Visitors leave {} at the gate.",
    "The library lends {} for two weeks.",
    "Guests find {} behind the house.",
    "The choir sings about {} at the summer feast.",
    "The workshop mends {} for nothing.",
    "The garden needs {} in spring.",
    "The lamp above the {} goes out at night.",
    "The museum shows {} in the cellar.",
    "Children draw {} on the windows.",
)
_THINGS = ("pears", "bread", "drums", "maps", "stones", "lentils", "chess", "soup", "roses", "tools")


def lines(limit: int | None = None) -> Task:
    """Return near-identical lines among others, and the first `limit` questions by the identifiers of some of them."""
    paragraphs, questions = list[Paragraph](), list[tuple[str, str]]()
    for kind, line, sentence in _KINDS:
        names = [_identifier(kind, number) for number in range(_LINES)]
        paragraphs += (_paragraph(line.format(name)) for name in names)
        questions += chain.from_iterable(
            ((name, line.format(name)), (sentence.format(name), line.format(name)))
            for name in names[:: _LINES // _TARGETS]
        )
    paragraphs += (_paragraph(line.format(thing)) for line in _OTHER for thing in _THINGS)
    return Task(paragraphs, questions[:limit])


def files(paragraphs: Sequence[Paragraph]) -> Task:
    """Return the paragraphs, of which up to 100 end with the name of a file, and questions by these names."""
    marked, questions = list(paragraphs), list[tuple[str, str]]()
    places = range(0, len(marked), max(1, len(marked) // _MARKED))[:_MARKED]
    for number, place in enumerate(places):
        name = _identifier(_FILES[number % len(_FILES)], number)
        text = f"{marked[place].text} File {name}."
        marked[place] = replace(marked[place], text=text)
        questions += ((name, text), (f"What does file {name} say?", text))
    return Task(marked, questions)


def _paragraph(text: str) -> Paragraph:
    return Paragraph(0, "", text, ())


def _identifier(kind: str, number: int) -> str:
    # Codes follow each other; of the others few share their digits.
    at = 7919 * (number + 1)
    return kind.format(
        code=4013 + number,
        part=1000 + at % 9000,
        major=1 + at % 9,
        minor=at % 31,
        patch=at % 23,
        year=2019 + at % 13,
        month=1 + at % 12,
        day=1 + at % 28,
        first=_FIRST[number % len(_FIRST)],
        last=_LAST[number // len(_FIRST) % len(_LAST)],
    )
