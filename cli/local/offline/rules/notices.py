"""The words with which every answer says that no language model wrote it."""

from cli.local.offline.text.words import is_japanese

QUOTED = "Quoted by rule, not by a language model: "
QUOTED_JA = "言語モデルではなく規則による引用: "
DIRECT = "By rule, not by a language model: "
DIRECT_JA = "言語モデルではなく規則による回答: "


def quoted_notice(question: str) -> str:
    """What a quoted answer begins with, in the question's language."""
    return QUOTED_JA if is_japanese(question) else QUOTED


def direct_notice(question: str) -> str:
    """What a direct answer begins with, in the question's language."""
    return DIRECT_JA if is_japanese(question) else DIRECT


def without_notice(answer: str) -> str:
    """An answer's own words: the notice and the marks of uncited sentences left out."""
    for notice in (QUOTED, QUOTED_JA, DIRECT, DIRECT_JA):
        answer = answer.replace(notice, "")
    return answer.replace(" [uncited]", "").replace("[uncited]", "")
