"""Near-duplicates: texts that say the same are one hit, and a doubt keeps two texts apart."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.text.near_duplicates import Text, is_other_version, near_duplicates

RULES = (
    "These rules hold for all people who work in the offices of the company and who travel by train, by car or on foot "
    "to customers, fairs and lessons."
)
ADVERBS = ("soon", "shortly", "directly", "promptly", "quickly", "immediately", "swiftly")


def are_one(text: str, other: str, *, date: str | None = None, other_date: str | None = None) -> bool:
    return len(near_duplicates([Text("Rules", text, date), Text("Rules", other, other_date)])) == 1


@pytest.mark.parametrize(
    ("phrase", "other"),
    [
        ("Error E-104 is shown", "Error E-105 is shown"),
        ("code QX4013", "code QX4031"),
        ("they have 26 days", "they have 24 days"),
        ("they have 26 days", "they have 26 weeks"),
        ("they have 26 working days", "they have 26 working weeks"),
        ("they have twenty-six days", "they have twenty-four days"),
        ("they have six days", "they have nine days"),
        ("sie haben vierundzwanzig Tage", "sie haben sechsundzwanzig Tage"),
        ("they are paid", "they are not paid"),
        ("they may travel", "they may never travel"),
        ("they may travel", "they must travel"),
        ("it is allowed", "it is forbidden"),
        ("with a permit", "without a permit"),
        ("before the trip", "after the trip"),
        ("reports are sent monthly", "reports are sent yearly"),
        ("the office in Berlin", "the office in Munich"),
        ("authorised visitors", "unauthorised visitors"),
        ("compliant parts", "noncompliant parts"),
        ("it isn't safe", "it is safe"),
        ("release 3.1 is out", "release 3.10 is out"),
        ("on 2026-03-14", "on 2026-03-15"),
        ("on 14 March", "on 15 March"),
        ("at -5 °C", "at 5 °C"),
        ("a price of $40", "a price of €40"),
        ("10² times", "102 times"),
        ("a value < 3", "a value > 3"),
        ("sie dürfen reisen", "sie dürfen nicht reisen"),
        ("mit Antrag", "ohne Antrag"),
        ("ils peuvent partir", "ils ne peuvent pas partir"),
        ("pueden viajar", "no pueden viajar"),
        ("担当は田中です", "担当は鈴木です"),
        ("申請できる", "申請できない"),
        ("サーバー", "サービス"),
        ("신청할 수 있다", "신청할 수 없다"),
        ("можно ехать", "нельзя ехать"),
        ("the manager pays the customer", "the customer pays the manager"),
        ("Ann reports to Bob", "Bob reports to Ann"),
    ],
)
def test_texts_that_differ_in_what_they_say_stay_apart(phrase: str, other: str) -> None:
    assert not are_one(f"{RULES} {phrase}. {RULES}", f"{RULES} {other}. {RULES}")
    assert not are_one(phrase, other)


@pytest.mark.parametrize(
    ("phrase", "other"),
    [
        ("Error E-104 is shown", "error e-104 is shown"),
        ("Ｅ104 と ｻｰﾊﾞｰ", "E104 と サーバー"),
        ("co\u00adoperate", "cooperate"),
        ("a\u200bb and\ufeff c", "ab and c"),
        ("it’s “new”", 'it\'s "new"'),
        ("wood , steel;  glass", "wood, steel, glass"),
        ("a well-known rule", "a well known rule"),
        ("有給休暇は\n年に25日", "有給休暇は年に25日"),
        ("cafe\u0301", "café"),
    ],
)
def test_texts_that_differ_in_case_width_spaces_or_marks_are_one(phrase: str, other: str) -> None:
    assert are_one(f"{RULES} {phrase}.", f"{RULES}\n\n{other}")


def test_copies_that_differ_in_one_plain_word_are_one() -> None:
    texts = [Text("Memo", f"{RULES} Bills are sent {adverb} to the desk.", None) for adverb in ADVERBS]
    other = Text("Meals", "Meals are paid at 45 euros a day.", None)
    assert near_duplicates([texts[0], other, *texts[1:]]) == [[0, 2, 3, 4, 5, 6, 7], [1]]


def test_a_tenth_of_other_words_is_another_text() -> None:
    assert not are_one("Bills are sent quickly to the desk.", "Bills are sent promptly to the desk.")


def test_texts_under_two_titles_or_of_two_dates_stay_apart() -> None:
    assert len(near_duplicates([Text("E-104", "Replace it.", None), Text("E-105", "Replace it.", None)])) == 2
    assert not are_one(RULES, RULES, date="2024-01-01", other_date="2026-01-01")
    assert are_one(RULES, RULES, date="2026-01-01", other_date="2026-01-01")
    assert are_one(RULES, RULES, date="2026-01-01")
    undated = [Text("", RULES, date) for date in (None, "2024-01-01", "2026-01-01")]
    assert near_duplicates(undated) == [[0, 1], [2]], "one without a date brings no two dates together"


def test_texts_without_words_stay_apart() -> None:
    assert near_duplicates([Text("", "!", None), Text("", "?", None)]) == [[0], [1]]


@given(st.lists(st.tuples(st.text(max_size=40), st.sampled_from([None, "2026-01-01"])), max_size=20))
def test_each_text_is_in_one_group_and_equal_texts_are_together(texts: list[tuple[str, str | None]]) -> None:
    groups = near_duplicates([Text("", text, date) for text, date in texts])
    assert sorted(place for group in groups for place in group) == list(range(len(texts)))
    assert [group[0] for group in groups] == sorted(group[0] for group in groups)
    leaders = [texts[group[0]][0] for group in groups]
    worded = [text for text in leaders if any(unicodedata.category(c)[0] in "LN" for c in text)]
    assert len(set(worded)) == len(worded)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(["{}", "E-{}", "v1.{}", "{} days", "room {}b"]))
def test_no_two_numbers_or_codes_are_one(number: int, other: int, form: str) -> None:
    texts = (f"{RULES} It is {form.format(n)} here. {RULES}" for n in (number, other))
    assert are_one(*texts) == (number == other)


@given(st.text(max_size=60))
def test_invisible_letters_and_spaces_never_tell_texts_apart(text: str) -> None:
    assert are_one(f"{RULES} {text}", f"{RULES}\u00ad  {text}\u200b")


def test_plain_word_change_keeps_duplicate_and_inserted_negation_does_not() -> None:
    assert are_one(RULES, RULES.replace("by train", "happily by train"))
    assert not are_one(RULES, RULES.replace("by train", "never by train"))
    assert not are_one(RULES, RULES.replace("by train", "by fast train in May"))


@pytest.mark.parametrize(("changes", "same"), [(1, True), (2, True), (3, False), (4, False)])
def test_less_than_a_tenth_of_the_words_may_differ(changes: int, same: bool) -> None:
    words = [f"plain{chr(97 + n)}" for n in range(26)]
    others = [f"other{word[-1]}" if n < changes else word for n, word in enumerate(words)]
    assert are_one(" ".join(words), " ".join(others)) is same


OLD, NEW = "2024-03-01", "2026-03-01"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The ferry takes 120 people.", "The ferry takes 140 people."),
        ("The ferry rests for seven days.", "The ferry rests for nine days."),
        ("The season begins on 3 March.", "The season begins on 12 May."),
        ("The keys are held by Anna Berg.", "The keys are held by Carl Dorn."),
        ("Dogs are allowed on board.", "Dogs are not allowed on board."),
        ("A ticket holds for three weeks.", "A ticket holds for three months."),
        ("Die Fähre fasst zwanzig Gäste.", "Die Fähre fasst dreißig Gäste."),
        ("入場料は500円です。", "入場料は700円です。"),
        ("担当は田中です。", "担当は鈴木です。"),
        ("From 1 March 2024 the fee is 20 EUR.", "From 1 May 2026 the fee is 25 EUR."),
        (
            f"{RULES} The limit is 3 nights. {RULES} It costs 9 EUR.",
            f"{RULES} The limit is 4 nights. {RULES} It costs 8 EUR.",
        ),
    ],
)
def test_copies_with_another_number_name_or_negation_are_versions(text: str, other: str) -> None:
    assert is_other_version(Text("Ferry 2024", text, OLD), Text("Ferry 2026", other, NEW))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The keeper of Alpha is Berg.", "The keeper of Beta is Dorn."),
        ("The fee of Alpha is 20 EUR.", "The fee of Beta is 25 EUR."),
        ("The ferry takes 120 people.", "The ferry takes 120 people."),
        ("The ferry takes all people.", "The lido closes in winter."),
        (f"{RULES} They are kept here.", f"{RULES} They are stored here."),
    ],
)
def test_neighbours_and_other_wordings_are_no_versions(text: str, other: str) -> None:
    assert not is_other_version(Text("Ferry", text, OLD), Text("Ferry", other, NEW))


@pytest.mark.parametrize(("title", "date"), [("Ferry", OLD), ("Ferry", None), ("Lido", NEW)])
def test_versions_have_two_dates_and_one_title(title: str, date: str | None) -> None:
    assert not is_other_version(Text("Ferry", "It takes 120 people.", OLD), Text(title, "It takes 140 people.", date))
