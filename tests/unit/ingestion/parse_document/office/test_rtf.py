"""RTF as Word, LibreOffice and pandoc write it."""

import pytest

from ingestion.parse_document.readers import parse
from selfrag.domain.errors import BadDocument


def read(body, prolog=r"\ansi\ansicpg1252\deff0"):
    body = body if isinstance(body, bytes) else body.encode("ascii")
    return parse("a.rtf", b"{\\rtf1" + prolog.encode() + b" " + body + b"}")


def test_headings_are_told_by_outline_or_by_style():
    styles = r"{\stylesheet{\s0 Normal;}{\s3 heading 2;}{\*\cs9 Default;}}"
    document = read(styles + r"{\pard\outlinelevel0\b Leave\par}\pard\s3 Pay\par\pard 25 days.\par")
    assert document.text == "Leave\nPay\n25 days."
    assert [(heading.text, heading.level) for heading in document.headings] == [("Leave", 2), ("Pay", 3)]


def test_a_footnote_stands_behind_the_sentence_that_refers_to_it():
    note = r"{\super\chftn}{\*\footnote\chftn\pard At most 9 days.\par}"
    end = r"{\footnote\ftnalt Many.}"
    assert read(rf"Carry over{note}. Ask{end}! End.\par").text == (
        "Carry over[1]. [1] At most 9 days. Ask[i]! [i] Many. End."
    )


def test_rows_of_a_table_name_their_columns_and_merged_cells_are_said_in_each():
    head = r"\trowd\trhdr\cellx1\clmgf\cellx2\clmrg\cellx3\pard\intbl City\cell 2026\cell\cell\row "
    first = r"\trowd\clvmgf\cellx1\cellx2\cellx3 Oslo\cell 1\cell 2\cell\row "
    second = r"\trowd\clvmrg\cellx1\cellx2\cellx3\cell 3\cell 4\cell\row "
    document = read(head + first + second + r"\pard End.\par")
    assert document.text == "City: Oslo; 2026: 1; 2026: 2\nCity: Oslo; 2026: 3; 2026: 4\nEnd."
    assert len(document.rows) == 2


LINED, OPEN, NONE = r"\clbrdrb\brdrs\cellx{}", r"\clbrdrt\brdrs\cellx{}", r"\clbrdrb\brdrnone\cellx{}"


@pytest.mark.parametrize(
    ("below", "text"),
    [
        ([LINED, OPEN, NONE], "Role: Lead; Task: Plans\nRole: Clerk; Task: Writes"),
        ([LINED, OPEN, LINED], "Role: Lead; Task: Plans\nRole: Clerk; Task: Writes"),
        ([LINED, LINED, LINED], "Role; Task\nLead; Plans\nClerk; Writes"),
        ([OPEN, OPEN, OPEN], "Role; Task\nLead; Plans\nClerk; Writes"),
    ],
)
def test_a_first_row_that_a_line_divides_from_the_others_names_the_columns(below, text):
    rows = zip(below, ["Role Task", "Lead Plans", "Clerk Writes"], strict=True)
    told = [
        "\\trowd" + line.format(1) + line.format(2) + "\\pard\\intbl " + row.replace(" ", "\\cell ") + "\\cell\\row "
        for line, row in rows
    ]
    assert read("".join(told) + r"\pard End.\par").text == f"{text}\nEnd."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"caf\'e9 \u24180 ?\u-10179 ?\u-8704 ?.", "café 年😀."),
        (r"\uc2\u26085 ab\uc0\u26412 c", "日本c"),
        (
            rb"{\fonttbl{\f0\fcharset0 A;}{\f5\fcharset128 MS Mincho;}}\f5 " + "年次有給休暇".encode("cp932"),
            "年次有給休暇",
        ),
        (rb"{\fonttbl{\f5\fcharset204 A;}}{\f5 \'c4\'e0}", "Да"),
        (r"one\line two\tab three\~four\_five \{six\} \bullet \rquote", "one\ntwo\tthree four-five {six} •’"),
        (r"a{\v hidden}{\deleted gone}{\*\unknown secret}{\pict 89504e47}{\object{\*\objdata 0105}}b", "ab"),
        (r"{\field{\*\fldinst HYPERLINK http://x}{\fldrslt here}} {\*\bkmkstart x}there", "here there"),
        (rb"a\bin5 {{{{{b", "ab"),
        (r"{\listtext 1.\tab}Ask\par{\listtext\'b7\tab}dot\par", "1. Ask\ndot"),
        (r"Words{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt in a box\par}}}\par", "in a box\nWords"),
    ],
)
def test_text_is_what_a_reader_would_see(body, text):
    assert read(body).text == text


def test_headers_are_read_once_without_the_numbers_of_pages():
    header = r"{\header\pard Policy 12\tab Page {\field{\*\fldinst PAGE}{\fldrslt 1}}\par}{\footer Page \chpgn\par}"
    assert read(header + r"\pard Rules.\par").text == "Policy 12\nRules."


def test_title_tags_and_the_day_are_those_of_the_document():
    document = read(r"{\info{\title Handbook}{\keywords pay, leave}{\revtim\yr2026\mo1\dy31}}Words.\par")
    assert (document.title, document.tags, document.date) == ("Handbook", ("pay", "leave"), "2026-01-31")


def test_a_file_that_is_cut_off_is_read_with_a_warning():
    document = parse("a.rtf", rb"{\rtf1 One.\par Two{\b thr")
    assert document.text == "One.\nTwothr"
    assert document.warnings == ("a.rtf is cut off at its end: only what it still holds was read.",)


def test_groups_nested_deeper_than_any_program_does_are_refused():
    with pytest.raises(BadDocument, match=r"^a\.rtf has groups nested more than 1000 deep; save it again\.$"):
        read("{" * 2000 + "}" * 2000)
