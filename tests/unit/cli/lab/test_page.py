"""The report as a page: all that was measured, nothing from elsewhere, and no markup but its own."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from selfrag.domain.errors import InvalidInput
from selfrag.domain.verdicts import SupportVerdict
from selfrag_cli.lab.gold.question_sets import GoldQuestion
from selfrag_cli.lab.judge import Judgements, add_judgements
from selfrag_cli.lab.metrics.agreement import Counts
from selfrag_cli.lab.page.files import check_report, write_report
from selfrag_cli.lab.report import Findings
from selfrag_cli.lab.runs.results import Result
from selfrag_cli.lab.runs.variants import read_variants
from tests.unit.cli.lab.conftest import gold, reflection, response

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)> & \"so\" 'on'"
VARIANTS = read_variants(["first={}", 'other={"top_k": 2}'])


class Kept:
    """The first variant knows the answer to every question, the other one to every second, and with markup."""

    def __init__(self, questions: list[GoldQuestion], usd: float | None = 0.01) -> None:
        self.questions, self.usd = {question.id: question for question in questions}, usd

    def find(self, variant: str, question_id: str) -> Result | None:
        knows = variant == "first" or int(question_id) % 2 == 0
        said = response("18 weeks" if knows else MARKUP, citations=[(f"{MARKUP}.md", "quote")], usd=self.usd)
        verdicts = reflection(("leave.md", 0.9), (f"{MARKUP}.md", 0.2), level="fully_supported", utility=4)
        verdicts["support"]["claims"] = [{"claim": MARKUP, "support": "full"}]
        return Result(
            variant=variant,
            policy={},
            question_id=question_id,
            question=self.questions[question_id].question,
            seconds=2.0,
            response={**said, "reflection": verdicts, "queries": [MARKUP]},
        )


def written(path: Path, questions: list[GoldQuestion], usd: float | None = 0.01) -> str:
    write_report(Findings(questions, VARIANTS, Kept(questions, usd)), path)
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page of 24 questions whose answers are known; to draw its figures takes half a second."""
    return written(tmp_path_factory.mktemp("page") / "report.html", asked(**KNOWN))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of questions of two kinds, with what stands beside it."""
    path = tmp_path_factory.mktemp("mixed") / "report.html"
    written(path, MIXED)
    return path


def asked(number: int = 24, **known: Any) -> list[GoldQuestion]:
    return [gold(f"How long is leave {at}, {MARKUP}?", id=str(at), **known) for at in range(number)]


KNOWN = {"answers": ("18 weeks",), "documents": ("leave.md",), "answerable": True}
MIXED = [*asked(20, kind="single_fact", **KNOWN), *asked(24, kind="follow_up", **KNOWN)[20:]]


def test_the_page_tells_variants_differences_costs_graders_and_slices(mixed: Path) -> None:
    page = LexborHTMLParser(mixed.read_text(encoding="utf-8"))
    text = " ".join(page.text().split())
    assert "24 of 24 questions are answered by every variant" in text
    assert "other against first: 0 questions won, 12 lost" in text
    (match,) = (row for row in page.css("#differences ~ div tr") if row.text().strip().startswith("match"))
    assert ("-0.5" in match.text(), "real" in match.text(), match.attributes["class"]) == (True, True, "real")
    assert "0 : 12" in match.text()
    (front,) = (row for row in page.css("#variants ~ div tr") if row.text().strip().startswith("on the front"))
    assert " ".join(front.text(separator=" ").split()) == "on the front of match and USD yes"
    assert "p 0.00049" in match.text()
    figures = [figure.attributes["aria-label"] or "" for figure in page.css("svg[role=img]")]
    assert len(figures) == 2
    assert "first: USD 0.01 (0.01 to 0.01), match 1 (0.862 to 1)" in figures[0]
    (slices,) = page.css("#slices ~ div table")
    assert " ".join(slices.text(separator=" ").split()).endswith("follow_up 4 1 0.51 to 1 0.5 0.15 to 0.85")
    assert len(page.css("article")) == 10
    spread = next(table for table in page.css("table") if "IsRel, passages" in table.text())
    assert re.search(r"0\.9 to 1\.0\s*24\s*24", " ".join(spread.text(separator=" ").split()))


@pytest.mark.parametrize(
    ("errors", "sentence"),
    [
        ({}, "correct: 1 answers written from passages, judged by rule, which is no judgement."),
        ({"grade_correctness": Counts(10, 9, 10, 8)}, "against people in grade_correctness 0.85 (0.6"),
        ({"grade_support": Counts(100, 90, 100, 80)}, "Supported of first, corrected by how often the judge errs: 1, "),
    ],
)
def test_the_page_tells_who_judged_and_how_far_people_agree(
    tmp_path: Path, errors: dict[str, Counts], sentence: str
) -> None:
    findings = Findings(asked(**KNOWN), VARIANTS, Kept(asked(**KNOWN), 0.01))
    verdict = SupportVerdict(level="fully_supported", claims=[])
    add_judgements(findings, Judgements("rule", {"q": verdict}, 0, {"q": "yes"}), errors)
    write_report(findings, tmp_path / "report.html")
    page = LexborHTMLParser((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert sentence in " ".join(page.text().split())


def test_json_and_csv_beside_it_hold_the_same(mixed: Path) -> None:
    report = json.loads(mixed.with_suffix(".json").read_text(encoding="utf-8"))
    assert [one["measures"]["match"] for one in report["variants"]] == [1, 0.5]
    assert report["variants"][0]["intervals"]["match"] == [pytest.approx(0.862, abs=1e-3), 1]
    assert [one["measures"]["other"]["match"] for one in report["slices"]["kind"]] == [0.5, 0.5]
    with mixed.with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 48


def test_what_documents_questions_and_answers_say_is_text_and_no_markup(page: str) -> None:
    read = LexborHTMLParser(page)
    assert not read.css("script, img, iframe, object, embed, form, link, base")
    assert not [tag for tag in read.css("*") if any(name.startswith("on") for name in tag.attributes)]
    text = read.text()
    for said in (f"leave 1, {MARKUP}?", f"full: {MARKUP}", f"{MARKUP}.md"):
        assert said in text


def test_the_page_refers_to_nothing_but_its_own_parts_and_forbids_the_browser_to_ask(page: str) -> None:
    read = LexborHTMLParser(page)
    policy = read.css_first("meta[http-equiv=Content-Security-Policy]").attributes["content"] or ""
    assert policy.startswith("default-src 'none'")
    referred = [value or "" for tag in read.css("*") for name, value in tag.attributes.items() if "href" in name]
    assert referred
    ids = [tag.attributes["id"] for tag in read.css("[id]")]
    assert {value.removeprefix("#") for value in referred} <= set(ids)
    assert len(ids) == len(set(ids)), "two elements with one id"


def test_who_does_not_see_the_figures_is_told_and_every_table_has_a_caption_and_headings(page: str) -> None:
    read = LexborHTMLParser(page)
    assert read.css_first("html").attributes["lang"] == "en"
    assert all(svg.attributes["aria-label"] for svg in read.css("svg"))
    for table in read.css("table"):
        assert table.css("caption, th[scope=col]")
        assert len(table.css("th[scope=row]")) == len(table.css("tbody tr"))


def test_the_same_results_give_the_same_page(page: str, tmp_path: Path) -> None:
    assert written(tmp_path / "report.html", asked(**KNOWN)) == page


@pytest.mark.parametrize(
    ("questions", "usd", "sentences"),
    [
        (asked(0), 0.01, ["0 of 0 questions"]),
        (asked(3), None, ["utility 4"]),
        (asked(3), 0.0, ["model calls 8", "utility 4"]),
    ],
    ids=["no question", "no gold and no price", "nothing paid"],
)
def test_what_is_not_known_is_left_out(
    tmp_path: Path, questions: list[GoldQuestion], usd: float | None, sentences: list[str]
) -> None:
    page = written(tmp_path / "report.html", questions, usd)
    assert all(sentence in page for sentence in sentences)


@pytest.mark.parametrize(
    ("name", "sentence"), [("report.txt", "name a file that ends in .html"), ("no/report.html", "there is no folder")]
)
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        check_report(tmp_path / name)
    check_report(tmp_path / "report.html")


def test_a_file_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "report.json").mkdir()
    with pytest.raises(InvalidInput, match="cannot be written"):
        written(tmp_path / "report.html", asked(1, **KNOWN))
