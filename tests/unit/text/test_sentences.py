"""The blocks of a passage: sentences, and rows that stay whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfrag.text.sentences import split_around, split_sentences

TEXT = (
    "Offices. They are open.\noffice: Kobe. Near the port.; capacity: 12\noffice: Lisbon; capacity: 40\nAsk us. Or not."
)
KOBE, LISBON = (TEXT.index("office: K"), TEXT.index("\noffice: L")), (TEXT.index("office: L"), TEXT.index("\nAsk"))


def blocks(text: str, *whole: tuple[int, int]) -> list[str]:
    return [text[start:end] for start, end in split_around(text, whole)]


def test_row_is_one_block_and_its_line_end_starts_next() -> None:
    assert blocks(TEXT, KOBE, LISBON) == [
        "Offices. ",
        "They are open.\n",
        "office: Kobe. Near the port.; capacity: 12",
        "\noffice: Lisbon; capacity: 40",
        "\nAsk us. ",
        "Or not.",
    ]


def test_rows_outside_stored_text_are_cut_like_the_rest() -> None:
    assert blocks("One. Two.", (7, 3), (2, 99), (-4, 2)) == ["One. ", "Two."]


@given(st.text("ab .\n。", max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_blocks_rebuild_text_and_each_row_is_in_one(text: str, edges: list[int]) -> None:
    bounds = sorted(edge for edge in edges if edge <= len(text))
    rows = [(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=False) if text[a:b].strip()]
    found = split_around(text, rows)
    assert "".join(text[start:end] for start, end in found) == (text if text.strip() else "")
    assert all(text[start:end].strip() for start, end in found)
    assert all(sum(start < b and a < end for start, end in found) == 1 for a, b in rows)


@given(st.text("ab .\n。", max_size=60))
def test_without_rows_blocks_are_sentences(text: str) -> None:
    assert "".join(blocks(text)) == "".join(split_sentences(text))
    assert len(blocks(text)) == len(split_sentences(text))


@pytest.mark.parametrize(
    "sentence",
    [
        "The fee rises on Jan. 5 by 2 percent.",
        "Dr. Smith heads the cardiology ward at St. Mary's Hospital.",
        "According to Sec. 573c para. 1 of the Civil Code the notice period is three months.",
        "See Fig. 3 and Sec. 4.2 of Jan. 2024 at 5 p.m. on Monday.",
        "As shown by Smith et al. 2020.",
        "See No. 5 of Vol. 2, pp. 3-5.",
        "Mr. and Mrs. O'Neil pay approx. 300 USD p.a. to Acme Inc. in Boston.",
        "Version 3.11.4 ships with v2.0 of the tool.",
        "Use os.Path and Node.js. or.Any of them.",
        "“Stop!” he said.",
        "Der Vertrag endet am 3. Mai 2026.",
        "Die Kaution beträgt ca. 900 Euro.",
        "Das gilt z. B. für Mieter, d. h. für Sie, ca. 5 % bzw. 10 % usw. in der Regel.",
        "Nach § 573c Abs. 1 Satz 1 BGB beträgt die Frist z. B. drei Monate.",
        "§ 573c Abs. 1",
        "Stichtag: 31. Januar.",
        "Das Haus stammt aus dem 19. Jahrhundert.",
        "Gemäß Art. 6 Abs. 1 lit. f DSGVO i. V. m. § 26 BDSG ist dies zulässig.",
        "Prof. Dr. Müller wohnt in der Hauptstr. 5, Tel. 0123.",
        "Er kam am 5. 10. 2020 an.",
        "M. Dupont et Mme. Curie arrivent le 3 janv. 2026.",
        "La Sra. Gómez vive en la Avda. 3, núm. 5.",
        "Il sig. Rossi abita in via Roma.",
        "The price of the crane is 4200 EUR (incl. VAT and delivery).",
        "The amt. 40 is due on Fri. 9 Nov.",
        "See App. B and Sched. A, Ch. II.",
        "Fa. Huber liefert an Abt. Chirurgie, exkl. Versand.",
        "Abgabe: 1. 3. 2026",
        "La tariffa è descritta a pag. 12 del manuale.",
        "La Sra. Ruiz vive en Av. Mayor núm. 5 de Bilbao.",
        "西館の使用料は（税込。清掃費を含む。）一日千円である。",
        "「締切は五月。」と言い、料金は千円である。",
        "Ул. Ленина, д. 5, кв. 3 находится в г. Москве.",
    ],
)
def test_stop_within_sentence_does_not_end_it(sentence: str) -> None:
    assert split_sentences(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentences",
    [
        ["He said “Stop.” ", "Then left. ", "(See above.) ", "Next one."],
        ["What? ", "Yes."],
        ["Nobody knows. ", "25 days."],
        ["Die Frist endet am 3. Mai. ", "[uncited] Dann gilt sie nicht."],
        ["Version 2.0. ", "Next."],
        ["It begins in May. ", "Bikes stand in the yard."],
        ["It rose in 2020. ", "Then it fell."],
        ["Bring pens, etc. ", "Then leave."],
        ["1. First item. ", "2. Second item."],
        ["1. Erster Punkt. ", "2. Zweiter Punkt. ", "3. Dritter Punkt."],
        ["a) Alpha. ", "b) Beta."],
        ["Das gilt auch für mich. ", "Dann zahlt sie."],
        ["El plazo es de 3 días. ", "¿Quién paga? ", "El jefe."],
        ["هل تعمل؟ ", "نعم."],
        ["यह एक है। ", "यह दो है।"],
        ["یہ ایک ہے۔ ", "یہ دو ہے۔"],
        ["これは文です．", "次の文は3．5です．"],
        ["料金は千円です。", "2010年からです。", "本当？", "はい。"],
        ["料金は千円です。", "（税込。）", "次の文です。"],
        ["美味!", "組内外から高い評価を受けた。"],
        ["이것은 문장이다. ", "다음 문장이다."],
        ["A line\n", "and another. \n\n", "end"],
    ],
)
def test_each_sentence_is_a_piece(sentences: list[str]) -> None:
    assert split_sentences("".join(sentences)) == sentences
