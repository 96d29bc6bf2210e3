"""Text of charts in office documents."""

import pytest

from selfrag.reader.readers import parse
from tests.support.documents.files import WORD, docx, zipped
from tests.support.documents.office import ODF, ODT_TYPE, odf, pptx, related, shape
from tests.support.documents.workbooks import grid, xlsx

_CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
FRAME = f'<c:chart xmlns:c="{_CHART}" xmlns:r="{_R}" r:id="rId1"/>'
_RUNS = "<a:r><a:t>Incidents </a:t></a:r><a:r><a:t>per month</a:t></a:r>"
TITLE = f"<c:title><c:tx><c:rich><a:p>{_RUNS}</a:p></c:rich></c:tx></c:title>"
PAIRS = "January: 12; March: 37"


def points(texts, code=""):
    cached = "".join(f'<c:pt idx="{at}"><c:v>{text}</c:v></c:pt>' for at, text in enumerate(texts))
    return (
        f"<c:numRef><c:f>Sheet1!A1</c:f><c:numCache><c:formatCode>{code}</c:formatCode>{cached}</c:numCache></c:numRef>"
    )


def series(name, values, months=("January", "March"), code="General"):
    named = f"<c:tx><c:strRef><c:f>B1</c:f><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>"
    return f"<c:ser>{named}<c:cat>{points(months)}</c:cat><c:val>{points(values, code)}</c:val></c:ser>"


def chart(*drawn, title=TITLE):
    axis = "<c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>Number</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx>"
    spaces = f'xmlns:c="{_CHART}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    plot = f"<c:plotArea><c:barChart>{''.join(drawn)}</c:barChart>{axis}</c:plotArea>"
    return f"<c:chartSpace {spaces}><c:chart>{title}{plot}</c:chart></c:chartSpace>"


def in_slide(part):
    frame = f"<p:graphicFrame>{FRAME}</p:graphicFrame>"
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": related(("chart", "../charts/chart1.xml")),
        "ppt/charts/chart1.xml": part,
    }
    return parse("a.pptx", pptx(shape("Report") + frame, **parts))


def in_word(part):
    body = f"<w:p><w:r><w:t>Report</w:t></w:r></w:p><w:p><w:r><w:drawing>{FRAME}</w:drawing></w:r></w:p>"
    sound = docx(document=f"<w:document {WORD}><w:body>{body}</w:body></w:document>")
    parts = {"word/_rels/document.xml.rels": related(("chart", "charts/chart1.xml")), "word/charts/chart1.xml": part}
    return parse("a.docx", zipped(parts, onto=sound))


def in_workbook(part):
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": related(("drawing", "../drawings/drawing1.xml")),
        "xl/drawings/_rels/drawing1.xml.rels": related(("chart", "../charts/chart1.xml")),
        "xl/drawings/drawing1.xml": "<drawing/>",
        "xl/charts/chart1.xml": part,
    }
    return parse("a.xlsx", zipped(parts, onto=xlsx({"S": grid([["Report"], ["x"]])})))


@pytest.mark.parametrize("place", [in_slide, in_word, in_workbook])
def test_a_chart_is_its_title_and_its_values_behind_their_names_once(place):
    document = place(chart(series("Incidents per month", ["12", "37"])))
    assert document.text.endswith(f"Incidents per month\n{PAIRS}")
    assert document.text.count("37") == 1
    assert not any("chart" in warning for warning in document.warnings)


@pytest.mark.parametrize("place", [in_slide, in_word, in_workbook])
def test_chart_series_are_named_with_values_as_shown(place):
    drawn = series("Plan", ["0.125", "0.37000000000000005"], code="0.0%"), series("Actual", ["12", "37"])
    assert place(chart(*drawn, title="")).text.endswith(
        "Plan; January: 12.5%; March: 37.0%\nActual; January: 12; March: 37"
    )


def test_chart_values_absent_from_file_are_reported_by_warning():
    document = in_slide(chart("<c:ser><c:val><c:numRef><c:f>Sheet1!B2</c:f></c:numRef></c:val></c:ser>"))
    assert document.text == "Report\nIncidents per month"
    assert document.warnings == ("a.pptx has charts whose values are not in the file (1).",)


def test_a_chart_of_very_many_values_is_read_in_bounds():
    assert len(in_slide(chart(series("S", ["7"] * 20_000, months=["M"] * 20_000))).text) < 60_000


def test_a_chart_of_an_opendocument_text_is_read_like_one_of_office():
    cells = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    row = "<table:table-row>" + cells * 3 + "</table:table-row>"
    rows = row.format("", "Plan", "Actual"), row.format("January", "10", "12"), row.format("March", "30", "37")
    table = (
        f"<table:table><table:table-header-rows>{rows[0]}</table:table-header-rows>{''.join(rows[1:])}</table:table>"
    )
    title = "<chart:title><text:p>Incidents</text:p></chart:title>"
    body = f"<office:chart><chart:chart>{title}{table}</chart:chart></office:chart>"
    spaces = 'xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
    inner = f"<office:document-content {ODF} {spaces}><office:body>{body}</office:body></office:document-content>"
    frame = f'<text:p>Report<draw:frame><draw:object {spaces} xlink:href="./Object 1"/></draw:frame></text:p>'
    document = parse("a.odt", odf(ODT_TYPE, f"<office:text>{frame}</office:text>", **{"Object 1/content.xml": inner}))
    lines = ["Actual; January: 12; March: 37", "Incidents", "Plan; January: 10; March: 30", "Report"]
    assert sorted(document.text.split("\n")) == lines


def test_a_chart_that_is_damaged_costs_a_document_nothing_else():
    document = in_word("<c:chartSpace")
    assert document.text == "Report"
    assert document.warnings == ("a.docx has charts whose values are not in the file (1).",)


def test_points_of_a_chart_read_as_their_format_shows_them():
    drawn = [
        series("Revenue", ["1234567", "2400000"], code='#,##0,"k"'),
        series("Opens", ["0.5", "0.375"], code="hh:mm"),
    ]
    text = in_slide(chart(*drawn)).text
    assert all(value in text for value in ("1235k", "2400k", "12:00", "09:00"))
