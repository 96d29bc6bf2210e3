"""The languages of questions."""

from collections import Counter
from collections.abc import Sequence

# A language of fewer questions than that is hardly one of the set: it is a question that was taken for another one's.
LEAST = 0.02
OTHER = "other"


def languages_of(questions: Sequence[str]) -> list[str]:
    """Return the language of each question as its ISO 639 code, `other` for those of which there are hardly any.

    Told by langid.py's model of 97 languages (Lui and Baldwin 2012), which may err in a short question: of XQuAD's
    1,190 in English 1,180 are told so.
    """
    # It takes two seconds to load, and is part of an extra.
    from py3langid import classify

    found = [str(classify(question)[0]) for question in questions]
    counts = Counter(found)
    return [language if counts[language] >= LEAST * len(found) else OTHER for language in found]
