"""Request field types with validation: questions, names, keys, tags, days, numbers and others."""

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from selfrag.domain.documents import MAX_TAG_CHARACTERS, day, has_words, tag
from selfrag.domain.kinds import EXTENSIONS, is_lock_file, is_supported_kind, refused_as

MAX_QUESTION_CHARACTERS = 2000
MAX_QUERY_CHARACTERS = 400
MAX_ANSWER_CHARACTERS = 4000
MAX_CHOICE_CHARACTERS = 100
MAX_KEY_CHARACTERS, MAX_KEY_BYTES = 500, 1024  # S3's limit in bytes
# For the API description; the validators enforce the same with better messages.
_NOT_PLAIN = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
# Characters that reorder text (CVE-2021-42574).
_BIDIRECTIONAL = r"\u202a-\u202e\u2066-\u2069"
_PART = f"[^-/{_NOT_PLAIN}{_BIDIRECTIONAL}][^/{_NOT_PLAIN}{_BIDIRECTIONAL}]*"


def _sound(text: str) -> str:
    if "\x00" in text:
        raise ValueError("it holds a NUL character; remove it")
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError("it is not valid Unicode (a lone surrogate or invalid UTF-8); send it as UTF-8")
    return text


def _limit_length(text: str, limit: int) -> str:
    if len(text) > limit:
        raise ValueError(f"it has {len(text)} characters; {limit} is the limit")
    return text.strip()


def _question(text: str) -> str:
    if not any(unicodedata.category(c)[0] in "LNSP" for c in _sound(text)):
        raise ValueError("it is empty; write a question")
    return _limit_length(text, MAX_QUESTION_CHARACTERS)


def _answer_text(text: str) -> str:
    return _limit_length(_sound(text), MAX_ANSWER_CHARACTERS)


def _check_characters(name: str) -> str:
    # AWS rejects lone surrogates; the others would be invisible in a list of documents.
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name):
        raise ValueError("it holds a control character or is not valid Unicode")
    return name


def _tag(text: str) -> str:
    value = tag(text)
    if not has_words(value) or "," in value or ";" in value:
        raise ValueError("a tag holds letters or digits, and no comma or semicolon")
    # The compatibility form of one letter may have several.
    if len(value) > MAX_TAG_CHARACTERS:
        raise ValueError(f"a tag has at most {MAX_TAG_CHARACTERS} characters")
    return value


def _choice(text: str) -> str:
    if not has_words(text):
        raise ValueError("a choice holds letters or digits")
    return text.strip()


def _day(text: str) -> str:
    try:
        return day(text)
    except ValueError as error:
        raise ValueError("it must be a day such as 2026-01-31") from error


def number(value: object) -> object:
    """Return a value unless it is text or a boolean, which raise ValueError."""
    # pydantic would accept "4" and true as numbers, contrary to the description.
    if isinstance(value, str | bytes | bool):
        raise ValueError("it must be a number")
    return value


def _object_key(key: str) -> str:
    if len(key) > MAX_KEY_CHARACTERS:
        raise ValueError(f"it has {len(key)} characters; {MAX_KEY_CHARACTERS} is the limit")
    if len(key.encode()) > MAX_KEY_BYTES:
        raise ValueError(f"it has more than {MAX_KEY_BYTES} bytes in UTF-8")
    if re.search(f"[{_BIDIRECTIONAL}]", key):
        raise ValueError("it holds a bidirectional control character, which shows letters in another order")
    collection, *names = key.split("/")
    # S3 replaces ${filename} in a form by the file's name.
    if not names or any(part in ("", ".", "..") for part in (collection, *names)) or "${" in key:
        raise ValueError("it must be a collection, a slash and a name, without .. or ${")
    if any(part.startswith("-") for part in (collection, *names)):
        raise ValueError("a name in it begins with a hyphen, which programs take for an option")
    if is_lock_file(key):
        raise ValueError("it is the lock file of an Office program; upload the document beside it")
    if kind := refused_as(key):
        raise ValueError(f"it is {kind}")
    if not is_supported_kind(key):
        raise ValueError(f"it must end in one of {', '.join(sorted(EXTENSIONS))}")
    return key


Question = Annotated[
    str,
    AfterValidator(_question),
    # The validator checks the same, with a better message.
    Field(json_schema_extra={"minLength": 1, "maxLength": MAX_QUESTION_CHARACTERS}),
]
AnswerText = Annotated[str, AfterValidator(_answer_text), Field(json_schema_extra={"maxLength": MAX_ANSWER_CHARACTERS})]
Name = Annotated[
    str,
    Field(min_length=1, max_length=1024, json_schema_extra={"pattern": f"^[^{_NOT_PLAIN}]*$"}),
    AfterValidator(_check_characters),
]
Key = Annotated[
    str,
    AfterValidator(_check_characters),
    AfterValidator(_object_key),
    Field(json_schema_extra={"maxLength": MAX_KEY_CHARACTERS, "pattern": f"^{_PART}(/{_PART})+$"}),
]
Tag = Annotated[
    str,
    Field(max_length=MAX_TAG_CHARACTERS, json_schema_extra={"minLength": 1, "pattern": f"^[^,;{_NOT_PLAIN}]*$"}),
    AfterValidator(_check_characters),
    AfterValidator(_tag),
]
Choice = Annotated[
    str,
    Field(max_length=MAX_CHOICE_CHARACTERS, json_schema_extra={"minLength": 1, "pattern": f"^[^{_NOT_PLAIN}]*$"}),
    AfterValidator(_check_characters),
    AfterValidator(_choice),
]
Day = Annotated[str, Field(max_length=10, json_schema_extra={"format": "date"}), AfterValidator(_day)]
# JSON has one number type: 4.0 is an integer.
Whole = Annotated[int, BeforeValidator(number)]
Number = Annotated[float, BeforeValidator(number)]
