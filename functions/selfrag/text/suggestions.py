"""A question that a document answers, made from one of its sentences, or from a heading."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from selfrag.text.language import language_of
from selfrag.text.sentences import split_sentences
from selfrag.text.words import words_of

# Sentences of these shapes, and the question to each. No part of one may hold another sentence's verb.
_SUBJECT = r"(?:The|Each|Every) (?P<subject>[a-z-]+(?: (?!(?:who|that|which|is|are|was)\b)[\w-]+){0,3})"
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), question)
    for pattern, question in (
        (_SUBJECT + r" lasts \w", "How long does the {subject} last?"),
        (_SUBJECT + r" costs? \w", "How much does the {subject} cost?"),
        (_SUBJECT + r" is (?:\d|[A-Z]{3} \d)", "What is the {subject}?"),
        (_SUBJECT + r" weighs \w", "How much does the {subject} weigh?"),
        (r"(?P<subject>(?:Der|Die|Das) [A-ZÄÖÜ]\w+) dauert \w", "Wie lange dauert {subject}?"),
        (r"(?P<subject>(?:Der|Die|Das) [A-ZÄÖÜ]\w+) kostet \w", "Was kostet {subject}?"),
        (r"(?P<subject>(?:Der|Die|Das) [A-ZÄÖÜ]\w+) beträgt \w", "Wie hoch ist {subject}?"),
        (
            r"(?P<subject>[^\s、。はがを]{2,20}の[^\s、。はがを]{2,12})は、?[^は。]{0,12}\d[^は。]{0,20}です",
            "{subject}は?",
        ),
        (r"(?P<subject>(?:[가-힣]{1,8} ){0,2}[가-힣]{1,8}[은는]) [^.]{0,12}\d[^.]{0,20}니다", "{subject}?"),
    )
)
_SAYS = {
    "de": "Was steht in „{}“?",
    "ja": "「{}」には何が書かれていますか?",
    "ko": "“{}”에는 어떤 내용이 있나요?",
}
# A name that a person would ask for; a version or a list of fields is none.
_NAME = re.compile(r"(?!.*(?:  |\.\w))[^\W\d_][^\d;:=<>{}\[\]|\\/“”\"„「」]{2,60}")
_SUPERSEDED = re.compile(r"superseded|obsolete|archive|deprecated|veraltet|廃止|폐지", re.IGNORECASE)
# Sentences after these are no summary of a document, and would take time to try.
_MOST_SENTENCES = 200


class TitledText(NamedTuple):
    """A passage's title, with the headings above it, and its text."""

    title: str
    text: str


def suggestion(title: str, tags: Sequence[str], sections: Sequence[TitledText]) -> str:
    """Return a question that a document answers; "" if it has been superseded, or has no sentence that shows one."""
    if not sections or _SUPERSEDED.search(" ".join([title, *tags])):
        return ""
    words = [words_of(f"{section.title} {section.text}") for section in sections]
    for number, question in _candidates(sections):
        # The passage of the sentence has most of its words, so a search finds it first.
        shared = [len(words_of(question) & of_section) for of_section in words]
        if all(count < shared[number] for other, count in enumerate(shared) if other != number):
            return question
    names = (name for name in (title, *(part for each in sections for part in each.title.split(" > "))) if name)
    phrase: Callable[[str], str] = _SAYS.get(language_of(sections[0].text), "What does “{}” say?").format
    # Its title has to stand above a passage, else nothing shows that the passage is the document's.
    titles = {part for section in sections for part in section.title.split(" > ")}
    return next((phrase(name) for name in names if name in titles and _NAME.fullmatch(name)), "")


def _candidates(sections: Sequence[TitledText]) -> Iterator[tuple[int, str]]:
    """Yield questions, each with the number of the section that answers it."""
    sentences = (
        (number, " ".join(sentence.split()))
        for number, section in enumerate(sections)
        for sentence in split_sentences(section.text)
    )
    for (number, sentence), _ in zip(sentences, range(_MOST_SENTENCES), strict=False):
        for shape, question in _SHAPES:
            if match := shape.match(sentence[:200]):
                subject = match["subject"]
                article = subject[:3] in ("Der", "Die", "Das")
                yield number, question.format(subject=subject[0].lower() + subject[1:] if article else subject)
