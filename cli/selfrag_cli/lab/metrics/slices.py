"""Slices of a set: its questions by kind, length, document and language."""

from collections import Counter
from collections.abc import Iterable, Sequence

from selfrag_cli.lab.gold.question_sets import GoldQuestion

# A class of fewer questions than that is hardly one of the set; a language is then one that was taken for another.
LEAST = 0.02
OTHER = "other"
_LENGTHS = ((50, "up to 50 characters"), (100, "up to 100 characters"))


def classes_of(questions: Sequence[GoldQuestion]) -> dict[str, list[str]]:
    """Return the class of each question by kind, length and document, "" where a row says nothing of it."""
    return {
        "kind": _of_some(one.kind or "" for one in questions),
        "length": [next((name for most, name in _LENGTHS if len(one.question) <= most), "longer") for one in questions],
        "document": _of_some(_document(one) for one in questions),
    }


def _document(question: GoldQuestion) -> str:
    return question.documents[0] if len(question.documents) == 1 else "several" if question.documents else ""


def languages_of(questions: Sequence[str]) -> list[str]:
    """Return the language of each question as its ISO 639 code, `other` for those of which there are hardly any.

    Told by langid.py's model of 97 languages (Lui and Baldwin 2012), which may err in a short question: of XQuAD's
    1,190 in English 1,180 are told so.
    """
    # It takes two seconds to load, and is part of an extra.
    from py3langid import classify

    return _of_some(str(classify(question)[0]) for question in questions)


def _of_some(classes: Iterable[str]) -> list[str]:
    found = list(classes)
    counts = Counter(found)
    return [one if counts[one] >= LEAST * len(found) else OTHER for one in found]
