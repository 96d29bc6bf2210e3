"""The files of a run: a page with no markup but its own, a table of all answers, and the columns of Ragas."""

import csv
import json
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from selfrag.domain.errors import InvalidInput
from selfrag_cli.lab.findings import Findings, JudgeReport
from selfrag_cli.lab.measures import NOT_FOR_IT, Share
from selfrag_cli.lab.outputs import check_outputs, write_outputs
from selfrag_cli.lab.question_sets import GoldQuestion
from selfrag_cli.lab.runs.results import RunResult
from selfrag_cli.lab.runs.variants import read_variants
from tests.support.fakes import passage
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
    return Findings(questions, VARIANTS, Stored())


def page_of(path: Path, of: Findings) -> LexborHTMLParser:
    write_outputs(of, [path], {})
    return LexborHTMLParser(path.read_text(encoding="utf-8"))


def words(page: LexborHTMLParser) -> str:
    return " ".join(page.text().split())


def test_the_page_shows_measures_differences_and_the_questions_that_differ_most(tmp_path: Path) -> None:
    page = page_of(tmp_path / "report.html", findings())
    assert "24 of 24 questions are answered by every variant" in words(page)
    assert "The difference of other in match: real (exact p 0.00049)." in words(page)
    rows = [" ".join(row.text(separator=" ").split()) for row in page.css("tr")]
    assert "match 1 0.862 to 1 0.5 0.314 to 0.686" in rows
    assert any(row.startswith("match -0.5 ") and row.endswith(" 24 0 : 12") for row in rows)
    assert len(page.css("article")) == 10


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
    assert "0 of 0 questions" in words(page_of(tmp_path / "report.html", findings([])))


def test_the_table_has_a_line_for_each_answer(tmp_path: Path) -> None:
    write_outputs(findings(), [tmp_path / "answers.csv"], {})
    with (tmp_path / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48
    assert (rows[0]["match"], rows[0]["citation_recall"], rows[0]["abstention_recall"]) == ("1.0", "0.0", "")


def test_the_columns_of_ragas_have_what_the_writer_saw_and_the_rest_as_metadata(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    write_outputs(findings([QUESTIONS[0], gold("None?", id="2", answerable=False)]), [path], {"first0": [passage()]})
    first, none, other, _ = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    columns = {"user_input", "retrieved_contexts", "response", "reference", "metadata"}
    assert (first.keys(), first["response"], first["reference"]) == (columns, "18 weeks", "18 weeks")
    assert (first["retrieved_contexts"], other["retrieved_contexts"]) == ([passage().text], ["quote"])
    assert none["reference"] == "The documents do not hold the answer."
    assert (first["metadata"]["variant"], first["metadata"]["measures"]["match"]) == ("first", 1)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("report.pdf", r"name a file that ends in .html, .csv, .jsonl"), ("no/report.html", "there is no folder")],
)
def test_a_file_that_could_not_be_written_is_refused_before(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        check_outputs([tmp_path / name])
    check_outputs([tmp_path / "report.html"])


def test_a_file_that_cannot_be_written_is_named_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").mkdir()
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_outputs(findings(), [tmp_path / "answers.csv"], {})
