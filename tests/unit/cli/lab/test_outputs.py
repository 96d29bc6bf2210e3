"""The files of a run: a page with no markup but its own, and a table of all answers."""

import csv
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.findings import Findings, JudgeReport
from selfrag_cli.lab.measures import NOT_FOR_IT, Share
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.report import check_outputs, write_outputs
from selfrag_cli.lab.runs.results import RunResult
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, reflection, response, result

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)> & \"so\" 'on'"
VARIANTS = read_variants(["first={}", 'other={"top_k": 2}'])
QUESTIONS = [
    gold(f"How long is leave {at}, {MARKUP}?", id=str(at), answers=("18 weeks",), documents=("leave.md",))
    for at in range(24)
]


class Stored:
    """The first variant knows the answer to every question, the other one to every second, and with markup."""

    def find(self, variant: str, question_id: str) -> RunResult:
        knows = variant == "first" or int(question_id) % 2 == 0
        body = response("18 weeks" if knows else MARKUP, citations=[(f"{MARKUP}.md", "quote")])
        verdicts = reflection(("leave.md", 0.9), (f"{MARKUP}.md", 0.2))
        verdicts["support"]["claims"] = [{"claim": MARKUP, "support": "full"}]
        more = {"id": f"{variant}{question_id}", "reflection": verdicts, "queries": [MARKUP]}
        return result(variant, question_id, {**body, **more}, seconds=2.0)


def findings(questions: list[GoldQuestion] = QUESTIONS) -> Findings:
    return Findings(questions, VARIANTS, Stored().find)


def page_of(path: Path, of: Findings) -> LexborHTMLParser:
    write_outputs(of, [path])
    return LexborHTMLParser(path.read_text(encoding="utf-8"))


def words(page: LexborHTMLParser) -> str:
    return " ".join(page.text().split())


def rows(page: LexborHTMLParser) -> list[str]:
    return [" ".join(row.text(separator=" ").split()) for row in page.css("tr")]


def test_the_page_says_the_outcome_and_shows_each_measure_with_its_n_and_its_interval(tmp_path: Path) -> None:
    page = page_of(tmp_path / "report.html", findings())
    assert page.css_first("h1").text() == "first is right in 24 of 24; other is right in 12 of 24"
    assert (
        "other has 0.50 less than first in match (95% -0.71 to -0.29; 0 questions won, 12 lost, of 24): real"
        in words(page)
    )
    assert "match first 1.00 24 0.86 to 1.00" in rows(page)
    assert "other 0.50 24 0.31 to 0.69" in rows(page)
    assert any(row.startswith("match -0.50 24 0 : 12 ") for row in rows(page))
    assert len(page.css("article")) == 24


def test_the_first_screen_of_the_page_has_a_bar_of_outcomes_for_each_variant_and_its_changes_in_words(
    tmp_path: Path,
) -> None:
    cards = page_of(tmp_path / "report.html", findings()).css(".variants .card")
    assert [card.css_first("[role=img]").attributes["aria-label"] for card in cards] == [
        "24 right answers, of 24",
        "12 right answers, 12 other answers, of 24",
    ]
    assert ["the defaults" in cards[0].text(), "top k: 2" in cards[1].text()] == [True, True]


def test_too_few_questions_are_said_once_whatever_the_number_of_variants(tmp_path: Path) -> None:
    variants = read_variants(["first={}", 'other={"top_k": 2}', 'third={"top_k": 3}'])
    page = page_of(tmp_path / "report.html", Findings(QUESTIONS[:6], variants, Stored().find))
    assert words(page).count("too few") == 1
    assert "6 questions are too few to compare variants: 20 say whether one is better." in words(page)


def test_the_questions_whose_answers_differ_come_first_and_then_those_that_are_not_right(tmp_path: Path) -> None:
    heads = [head.text() for head in page_of(tmp_path / "report.html", findings()).css("h3")]
    assert all(int(head.split(",")[0].split()[-1]) % 2 for head in heads[:12])
    alone = Findings(QUESTIONS[:4], VARIANTS[1:], Stored().find)
    heads = [head.text().split(",")[0] for head in page_of(tmp_path / "report.html", alone).css("h3")]
    assert heads == [f"How long is leave {at}" for at in (1, 3, 0, 2)]


def test_the_page_names_the_judge(tmp_path: Path) -> None:
    judged = findings()
    shares = {"supported": Share(1), "judged_claims": NOT_FOR_IT}
    ids = [answer.response.id for results in judged.results.values() for answer in results]
    report = JudgeReport(model="rule", judged_by="rule", judged=1, missing=0)
    judged.add_judgements(report, dict.fromkeys(ids, shares))
    page = page_of(tmp_path / "report.html", judged)
    assert "1 answers written from passages, judged by rule, which is no judgement." in words(page)


def test_texts_of_documents_questions_and_answers_are_no_markup(tmp_path: Path) -> None:
    page = page_of(tmp_path / "report.html", findings())
    assert not page.css("script, img, iframe, object, embed, form, link, base")
    assert not [tag for tag in page.css("*") if any(name.startswith("on") for name in tag.attributes)]
    for text in (f"leave 1, {MARKUP}?", f"full: {MARKUP}", f"{MARKUP}.md"):
        assert text in page.text()


def test_the_page_forbids_the_browser_every_request_and_each_table_has_a_caption_and_headings(tmp_path: Path) -> None:
    page = page_of(tmp_path / "report.html", findings())
    policy = page.css_first("meta[http-equiv=Content-Security-Policy]").attributes["content"] or ""
    assert policy.startswith("default-src 'none'")
    assert page.css_first("html").attributes["lang"] == "en"
    for table in page.css("table"):
        assert table.css("caption, th[scope=col]")
        assert len(table.css("th[scope=row]")) == len(table.css("tbody tr"))


def test_a_page_without_answers_says_so(tmp_path: Path) -> None:
    assert "No question is answered by every variant yet" in words(page_of(tmp_path / "report.html", findings([])))


def test_the_table_has_a_line_for_each_answer(tmp_path: Path) -> None:
    write_outputs(findings(), [tmp_path / "answers.csv"])
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48
    assert (rows[0]["match"], rows[0]["citation_recall"], rows[0]["abstention_recall"]) == ("1.0", "0.0", "")


def test_the_folder_of_a_file_is_made_before_anything_is_asked(tmp_path: Path) -> None:
    check_outputs([tmp_path / "new" / "folder" / "report.html"])
    assert (tmp_path / "new" / "folder").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="its folder cannot be made"):
        check_outputs([tmp_path / "file" / "report.html"])


def test_a_file_of_no_such_kind_is_refused_before(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"name a file that ends in \.html, \.csv"):
        check_outputs([tmp_path / "report.pdf"])


def test_a_file_that_cannot_be_written_is_named_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").mkdir()
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_outputs(findings(), [tmp_path / "answers.csv"])
