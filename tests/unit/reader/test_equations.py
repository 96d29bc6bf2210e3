"""Equations are lines of text that can be searched, in Word, OpenDocument and web pages."""

import pytest

from selfrag.reader.readers import parse
from tests.support.documents.files import docx
from tests.support.documents.office import ODT_TYPE, SLIDE, odf, pptx, shape
from tests.support.documents.rows import read_page

MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def m(name, *parts, **values):
    properties = "".join(f'<m:{key} m:val="{value}"/>' for key, value in values.items())
    inside = "".join(part if part.startswith("<") else f"<m:r><m:t>{part}</m:t></m:r>" for part in parts if part)
    return f"<m:{name}>{f'<m:{name}Pr>{properties}</m:{name}Pr>' if values else ''}{inside}</m:{name}>"


def e(*parts, name="e"):
    return m(name, *parts)


SQUARE = m("sSup", e("c"), e("2", name="sup"))


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        (["E=m", SQUARE], "E=mc^2"),
        ([m("f", e("a+b", name="num"), e("c", name="den"))], "(a+b)/c"),
        ([m("rad", e("", name="deg"), e("x"), degHide="1")], "sqrt(x)"),
        ([m("rad", e("3", name="deg"), e("x"))], "root_3(x)"),
        ([m("sSub", e("x"), e("i", name="sub"))], "x_i"),
        ([m("sSubSup", e("x"), e("i", name="sub"), e("n+1", name="sup"))], "x_i^(n+1)"),
        ([m("nary", e("i=1", name="sub"), e("n", name="sup"), e("i"), chr="∑")], "sum_(i=1)^n i"),
        ([m("d", e("a"), e("b"), begChr="[", endChr="]")], "[a, b]"),
        ([m("func", m("fName", "cos"), e("πx"))], "cos(πx)"),
        ([m("func", m("fName", m("limLow", e("lim"), m("lim", "x→0"))), e("f"))], "lim_(x→0)(f)"),
        ([m("m", m("mr", e("a"), e("b")), m("mr", e("c"), e("d")))], "[a, b; c, d]"),
        (["A=π", m("sSup", e("r"), e("2", name="sup"))], "A=πr^2"),
    ],
)
def test_an_equation_of_word_and_powerpoint_is_a_line_of_text(equation, text):
    body = f"<m:oMath {MATH}>{m('x', *equation)[5:-6]}</m:oMath>"
    word = f"<w:p><w:r><w:t>Here </w:t></w:r>{body}<w:r><w:t> holds.</w:t></w:r></w:p>"
    assert parse("a.docx", docx(word)).text == f"Here {text} holds."
    slide = f"<p:sp><p:txBody><a:p><a:r><a:t>Here </a:t></a:r>{body}</a:p></p:txBody></p:sp>"
    assert parse("a.pptx", pptx(slide)).text == f"Here {text}"


def test_equation_in_speaker_notes_is_a_line_of_text():
    told = f"<a:p><a:r><a:t>Say that </a:t></a:r><m:oMath {MATH}>{SQUARE}</m:oMath></a:p>"
    notes = f"<p:notes {SLIDE}><p:sp><p:txBody>{told}</p:txBody></p:sp></p:notes>"
    content = pptx(shape("Energy"), spoken={1: "any"}, **{"ppt/notesSlides/n1.xml": notes})
    assert parse("a.pptx", content).text == "Energy\nNotes: Say that c^2"


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        ("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "E=mc^2"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "(a+b)/c"),
        ("<msqrt><mi>x</mi></msqrt>", "sqrt(x)"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>", "sum_(i=1)^n"),
        ("<semantics><mi>x</mi><annotation>{x} over y</annotation></semantics>", "x"),
    ],
)
def test_web_or_opendocument_equation_is_line_of_text(equation, text):
    assert read_page(f"<p>Here <math>{equation}</math> holds.</p>").text == f"Here {text} holds."
    xlink = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
    frame = f'<text:p>Here <draw:frame><draw:object {xlink} xlink:href="./Object 1"/></draw:frame> holds.</text:p>'
    parts = {"Object 1/content.xml": f'<math xmlns="http://www.w3.org/1998/Math/MathML">{equation}</math>'}
    document = parse("a.odt", odf(ODT_TYPE, f"<office:text>{frame}</office:text>", **parts))
    assert document.text == f"Here {text} holds."
