"""`selfrag eval`: one's own questions asked in several ways, compared, and never paid twice."""

import csv
import io
import json
import re
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from werkzeug.wrappers import Request, Response

from selfrag.runtime.models import GRADER, WRITER
from tests.e2e.conftest import Run
from tests.support.command import ROOT, Command
from tests.support.doubles.model_server import Body, ModelServer
from tests.support.loopback import Loopback
from tests.support.responses import response_body

SET = [
    *({"question": f"What is fact {number}?", "answer": f"{number} units"} for number in range(24)),
    {"question": "Who knows?", "answerable": False},
]


class Deployment(Loopback):
    """Answers facts; with `top_k` 2 only the even ones, and with `top_k` 3 it refuses. A key counts once."""

    def __init__(self) -> None:
        super().__init__(self._respond)
        self.asked: Counter[tuple[str, int]] = Counter()
        self._keys: set[str] = set()

    def _respond(self, request: Request) -> Response:
        body = json.loads(request.get_data())
        question, top_k = body["question"], body["policy"].get("top_k", 4)
        key = request.headers["idempotency-key"]
        self.asked[question, top_k] += key not in self._keys
        self._keys.add(key)
        if top_k == 3:
            return self._said({"detail": "Not three.", "hint": "Take four."}, 400)
        number = int(question.split()[-1][:-1]) if "fact" in question else 1
        known = "fact" in question and (top_k == 4 or number % 2 == 0)
        status, said = ("answered", f"It is {number} units.") if known else ("abstained", "Not found.")
        return self._said(response_body(status, said, rounds=2 if known else 4, cost_usd=0.01 * top_k))

    def _said(self, body: dict[str, Any], status: int = 200) -> Response:
        return Response(json.dumps(body), status, content_type="application/json")


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    with Deployment() as server:
        yield server


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, SET)))
    return "set.jsonl"


VARIANTS = ("--variant", "four={}", "--variant", 'two={"top_k": 2}')


def test_a_run_ends_with_its_own_exit_code_where_a_condition_holds(
    here: Run, deployment: Deployment, questions: str
) -> None:
    run = ("eval", questions, "--endpoint", deployment.url, *VARIANTS)
    assert here(*run, "--fail-if", "match < 0.5").code == 0
    failed = here(*run, "--fail-if", "match < 0.9", "--json")
    assert failed.code == 3
    assert json.loads(failed.out)["compared"] == 25
    assert "| two | match < 0.9 | 0.52 | **fails** |" in failed.err
    assert "- What is fact 1?" in failed.err
    assert "- What is fact 2?" not in failed.err


def test_two_variants_are_measured_and_compared_and_nothing_is_asked_twice(
    here: Run, deployment: Deployment, questions: str, tmp_path: Path
) -> None:
    arguments = ("eval", questions, "--endpoint", deployment.url, *VARIANTS, "--json")
    ended = here(*arguments, "--output", "answers.csv")
    report = ended.response
    four, two = (variant["measures"] for variant in report["variants"])
    assert (report["questions"], report["compared"]) == (25, 25)
    assert (four["match"], two["match"]) == (1, 13 / 25)
    assert (four["abstention_recall"], four["usd"]) == (1, pytest.approx(0.04))
    assert two["abstention_precision"] == 1 / 13
    (comparison,) = report["comparisons"]
    assert (comparison["base"], comparison["variant"]) == ("four", "two")
    worse = comparison["differences"]["match"]
    assert worse["value"] == pytest.approx(-12 / 25)
    assert worse["low"] < worse["value"] < worse["high"] < 0
    assert (worse["won"], worse["lost"]) == (0, 12)
    assert (comparison["verdict"], report["primary"]) == ("real", "match")
    assert next(iter(comparison["differences"])) == "match"
    assert [variant["n"]["match"] for variant in report["variants"]] == [25, 25]
    assert [variant["n"]["abstention_precision"] for variant in report["variants"]] == [1, 13]
    assert list(report["differing"].values()) == [{"four": "right answer", "two": "other abstention"}] * 12
    rows = list(csv.DictReader(io.StringIO((tmp_path / "answers.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 50
    assert rows[0]["match"] == "1.0"
    assert rows[0]["citation_recall"] == ""
    assert "selfrag: 50 of 50 answers to get" in ended.err

    again = here(*arguments)
    assert again.response == report
    assert "selfrag: 0 of 50 answers to get; 1.50 dollars are spent" in again.err
    assert set(deployment.asked.values()) == {1}


def test_the_terminal_says_outcomes_measures_with_n_and_verdicts_in_one_screen(
    here: Run, deployment: Deployment, questions: str
) -> None:
    shown = here("eval", questions, "--endpoint", deployment.url, *VARIANTS).out
    assert "two: 12 right answers, 1 right abstention, 12 other abstentions, of 25" in shown
    assert "two has 0.48 less than four in match (95% -0.68 to -0.28; 0 questions won, 12 lost, of 25): real" in shown
    assert "What is fact 1? four: right answer, two: other abstention" in shown
    assert re.search(r"match +1\.00 +25 +0\.52 +25", shown)
    assert re.search(r"abstention precision .* 1 +0\.08 +13", shown)
    few = here("eval", questions, "--endpoint", deployment.url, *VARIANTS, "--limit", "10").out
    assert len(few.splitlines()) <= 25
    assert few.count("too few") == 1


def test_budget_stops_a_run_and_a_larger_one_resumes_it(here: Run, deployment: Deployment, questions: str) -> None:
    arguments = ("eval", questions, "--endpoint", deployment.url, "--json", "--parallel", "2", "--max-cost")
    ended = here(*arguments, "0.3")
    asked = sum(deployment.asked.values())
    assert ended.code == 1
    assert 0.04 * asked <= 0.3
    assert f"{25 - asked} answers are missing; the same command goes on with them" in ended.err
    assert json.loads(ended.out)["compared"] == asked > 0
    assert "Of --max-cost 0.3, " in here(*arguments, "0.3").err
    assert here(*arguments, "5").response["compared"] == 25
    assert set(deployment.asked.values()) == {1}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--variant", 'three={"top_k": 3}'], "Not three. Take four."),
        (["--docs", "."], "A deployment answers from its own documents"),
        (["--judge", "as-set"], "does not show what its writer saw"),
        (["--variant", "strict"], "A deployment asks by its own prompts and models"),
        (["--variant", "generate=set.jsonl"], "variants by prompt and profile are for this machine"),
        (["--max-cost", "0.0001"], "a question is only begun with"),
        (["--output", "set.jsonl/answers.csv"], "set.jsonl/answers.csv cannot be written"),
    ],
)
def test_impossible_evaluation_is_refused_in_one_sentence(
    here: Run, deployment: Deployment, questions: str, arguments: list[str], sentence: str
) -> None:
    ended = here("eval", questions, "--endpoint", deployment.url, *arguments)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.err.count("selfrag: ") <= 2  # the estimate, and why


def test_the_samples_questions_are_for_the_sample_alone(here: Run, documents: Path) -> None:
    ended = here("eval", "--docs", str(documents))
    assert ended.code == 2
    assert "name a file of your own questions" in ended.err


FACTS = "The harbour crane lifts 12 tonnes.\n"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    directory = tmp_path / "documents"
    directory.mkdir()
    (directory / "facts.md").write_text(FACTS, encoding="utf-8")
    rows = [{"question": f"How much does crane {number} lift?", "answer": "12 tonnes"} for number in range(8)]
    (tmp_path / "cranes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return directory


class Asked(ModelServer):
    """Counts by question how often the model was asked whether to search; stops at the fourth until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: Counter[str] = Counter()
        self.fourth, self.go = threading.Event(), threading.Event()
        self.answers["decide_retrieval"] = self._decide

    def _decide(self, body: Body) -> Any:
        question = json.loads(body["messages"][0]["content"][-1]["text"])["question"]
        self.questions[question] += 1
        if len(self.questions) == 4:
            self.fourth.set()
            self.go.wait(60)
        return {"reason": "r", "decision": "yes"}


@pytest.fixture
def asked() -> Iterator[Asked]:
    with Asked() as server:
        yield server
        server.go.set()


def doubting(body: Body) -> Any:
    """A verdict that the small model's own check doubts, so that the stronger one is asked, too; none is strict."""
    support = "full" if "strict" not in body["system"][0]["text"].splitlines()[-1] else "partial"
    return {"claims": [{"claim": "The crane lifts 13 tonnes.", "support": support, "passages": [1], "missing": ""}]}


def of(command: Command, server: ModelServer, **more: str) -> Command:
    service = {"ANTHROPIC_API_KEY": "sk-of-nobody", "ANTHROPIC_BASE_URL": server.url}
    return Command(command.home, tuple({**service, **more}.items()))


@pytest.mark.long
def test_interrupted_run_resumes_without_repeated_questions(fresh: Command, documents: Path, asked: Asked) -> None:
    command = of(fresh, asked)
    arguments = ("eval", "cranes.jsonl", "--docs", str(documents), "--parallel", "1", "--json")
    process = command.start(*arguments)
    assert asked.fourth.wait(120)
    process.send_signal(signal.SIGINT)
    asked.go.set()
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGINT
    assert len(asked.questions) == 4
    report = command(*arguments).response
    assert (report["compared"], report["variants"][0]["measures"]["match"]) == (8, 1)
    # The command waits for running questions.
    assert sum(asked.questions.values()) == 8


@pytest.mark.long
def test_prompt_and_profile_variants_rejudge_only_affected_verdicts(
    fresh: Command, documents: Path, tmp_path: Path
) -> None:
    rubric = (ROOT / "functions" / "selfrag" / "question" / "grade_support" / "prompt.md").read_text(encoding="utf-8")
    stricter, strictest = tmp_path / "stricter.md", tmp_path / "strictest.md"
    stricter.write_text(f"{rubric}\nBe strict.\n", encoding="utf-8")
    strictest.write_text(f"{rubric}\nBe very strict.\n", encoding="utf-8")
    with ModelServer() as server:
        server.answers["grade_support"] = doubting
        command = of(fresh, server)
        options = ("--docs", str(documents), "--limit", "4", "--json")
        variants = ("--variant", "balanced", "--variant", "strict", "--variant", f"grade_support={stricter}")
        report = command("eval", "cranes.jsonl", *options, *variants).response
        assert [variant["name"] for variant in report["variants"]] == ["balanced", "strict", "grade_support.stricter"]
        assert [list(variant["prompts"]) for variant in report["variants"]] == [[], [], ["grade_support"]]
        by_prompt = Counter(
            (body["model"], body["system"][0]["text"].endswith("Be strict.\n"))
            for body in server.asked("grade_support")
        )
        # The strict profile has no first judge; findings of the other prompt are repaired, and judged once more.
        assert by_prompt == {(GRADER, False): 4, (WRITER, False): 8, (GRADER, True): 8, (WRITER, True): 8}
        server.counts.clear()
        again = ("eval", "--from", "cranes.results.jsonl", "--variant", f"grade_support={strictest}", "--json")
        told = command(*again)
        # The answers of the three are the same: each is judged once, by the one model of the settings.
        assert set(server.counts) == {"grade_support"}
        assert told.response["traces"] == 12
        assert told.response["steps"]["grade_relevance"]["verdicts"] == 12
