"""A question that a document answers, made from one of its sentences."""

import re
from collections.abc import Sequence
from itertools import islice

from selfrag.text.sentences import split_sentences
from selfrag.text.words import words_of

# Sentences of these shapes, and the question to each. No part of one may hold another sentence's verb.
_SUBJECT = r"(?:The|Each|Every) (?P<subject>[a-z-]+(?: (?!(?:who|that|which|is|are|was)\b)[\w-]+){0,3})"
_THING = r"(?P<subject>(?:(?:The|An?|Each|Every) )?[A-Za-z][a-z-]{1,30}+(?: [a-z-]{1,30}+){0,4}?)"
_AMOUNT = r"\d+ (?P<unit>[a-z]+(?: [a-z]+)? of [a-z]+(?: [a-z]+)?) (?:at|per|an?|each|in)\b"
# A name at the beginning of a sentence, which no word is that only begins one.
_NAME = r"(?P<name>(?!(?:T(?:his|hat|here|hey?)|It|Here|Each|Every|D[aeiu]\w{1,9}|Es|Hier|Er|Sie)\b)[A-Z][\w-]{1,40}+)"
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), question)
    for pattern, question in (
        (_SUBJECT + r" lasts \w", "How long does the {subject} last?"),
        (_SUBJECT + r" costs? \w", "How much does the {subject} cost?"),
        (_SUBJECT + r" is (?:\d|[A-Z]{3} \d)", "What is the {subject}?"),
        (_THING + r" must be (?P<done>[a-z]+) (?:within|by|at least|before) ", "When must {subject} be {done}?"),
        (_THING + r" (?:has|receives|gets) " + _AMOUNT, "How many {unit} does {subject} get?"),
        (_THING + r" pays [\d,]+ [A-Z]{3} (?P<aim>(?:towards|for) [a-z ]+)\.", "How much does {subject} pay {aim}?"),
        (_NAME + r" is an? [a-z]", "What is {name}?"),
        (_NAME + r" ist eine? \w", "Was ist {name}?"),
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
_SUPERSEDED = re.compile(r"superseded|obsolete|archive|deprecated|veraltet|廃止|폐지", re.IGNORECASE)
# Sentences after these are no summary of a document, and would take time to try.
_MAX_SENTENCES = 200


def suggestion(title: str, tags: Sequence[str], sections: Sequence[tuple[str, str]]) -> str:
    """Return a question that a document answers; "" if it is superseded or has no suitable sentence.

    The sections are the titles of passages, with the headings above them, and their texts.
    """
    if not sections or _SUPERSEDED.search(" ".join([title, *tags])):
        return ""
    words = [words_of(f"{title} {text}") for title, text in sections]
    sentences = ((number, each) for number, (_, text) in enumerate(sections) for each in split_sentences(text))
    for number, raw in islice(sentences, _MAX_SENTENCES):
        sentence = " ".join(raw.split())[:200]
        for shape, template in _SHAPES:
            if match := shape.match(sentence):
                parts = match.groupdict()
                if "subject" in parts:
                    parts["subject"] = parts["subject"][0].lower() + parts["subject"][1:]
                question = template.format(**parts)
                # The passage of the sentence has most of its words, so a search finds it first.
                shared = [len(words_of(question) & of_section) for of_section in words]
                if all(count < shared[number] for other, count in enumerate(shared) if other != number):
                    return question
    return ""
