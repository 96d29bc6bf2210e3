"""The page in the languages that it speaks, and text of others in theirs."""

import json
import re
from typing import get_args

import pytest

from selfrag.api.documents.listing import DocumentEntry
from selfrag.api.page import bundle
from tests.support.page.browsing import Tab
from tests.support.page.said import saying_each


def choose_language(tab: Tab, language: str) -> None:
    """Choose the language of the page."""
    tab.run(f"byId('language').value = {language!r}; byId('language').dispatchEvent(new Event('change'))")


def test_every_word_is_there_in_every_language(tab: Tab) -> None:
    with saying_each(["Fact."]) as url:
        tab.open(url)
        assert (
            tab.run(
                "Object.entries(WORDS).filter(([, words]) => words.length !== LANGUAGES.length || "
                "new Set(words).size !== words.length || !words.every((one) => one.trim()))"
            )
            == []
        )
        states = get_args(DocumentEntry.model_fields["status"].annotation)
        assert set(states) <= set(tab.run("Object.keys(WORDS)"))
        uses = r'(?:word|heading|act|filled)\("(\w+)"[,)]|data-(?:word|label|title)="(\w+)"'
        said = set(re.findall(uses, bundle.html()))
        assert {one or other for one, other in said} <= set(tab.run("Object.keys(WORDS)"))
        assert tab.run("LANGUAGES") == tab.run(
            "[...document.querySelectorAll('#language option')].map((one) => one.value)"
        )


@pytest.mark.parametrize(
    ("preferred", "language"),
    [("ja-JP,en", "ja"), ("ko", "ko"), ("fr-FR,ko-KR,en", "ko"), ("kok-IN,en-GB", "en"), ("fr", "en")],
)
def test_the_page_speaks_the_first_language_that_the_browser_prefers(tab: Tab, preferred: str, language: str) -> None:
    with saying_each(["Fact."]) as url:
        agent = tab.run("navigator.userAgent")
        tab.tell("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=preferred)
        tab.open(url)
        assert tab.run("[document.documentElement.lang, byId('language').value]") == [language, language]


def test_chosen_language_applies_to_existing_text_and_whole_session(tab: Tab) -> None:
    with saying_each(["Fact."]) as url:
        tab.open(f"{url}/#case-0")
        tab.until("turns.length")
        choose_language(tab, "ko")
        assert tab.run("[document.documentElement.lang, document.querySelector('.status').textContent]") == [
            "ko",
            "일부만 답변했습니다",
        ]
        tab.reload()
        tab.until("turns.length")
        assert tab.run("[document.documentElement.lang, document.querySelector('.status').textContent]")[0] == "ko"


@pytest.mark.parametrize(
    ("language", "money", "seconds"),
    [("en", "$0.0061", "1.50 sec"), ("ja", "$0.0061", "1.50 秒"), ("ko", "US$0.0061", "1.50초")],
)
def test_money_and_time_are_written_as_the_language_writes_them(
    tab: Tab, language: str, money: str, seconds: str
) -> None:
    with saying_each(["Fact."]) as url:
        tab.open(url)
        assert tab.run(f"speak({json.dumps(language)}); [dollars(0.0061), seconds(1.5)]") == [money, seconds]


def test_foreign_text_has_own_direction_and_no_page_language(tab: Tab) -> None:
    with saying_each(["כמה ימי חופשה? (25)"]) as url:
        tab.open(f"{url}/#case-0", 390)
        tab.until("turns.length")
        tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        theirs = "[...document.querySelectorAll('.answer, blockquote, bdi')]"
        assert tab.run(f"{theirs}.every((one) => one.getAttribute('lang') === '')")
        assert tab.run(f"{theirs}.every((one) => getComputedStyle(one).direction === 'rtl')")
        assert tab.run("getComputedStyle(document.querySelector('.turn')).direction") == "ltr"
        tab.write("#question", "ما عدد الأيام؟")
        assert tab.run("getComputedStyle(byId('question')).direction") == "rtl"
