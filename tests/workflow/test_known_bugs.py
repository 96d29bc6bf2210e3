"""The bugs of the public implementations (SELF_RAG.md), by their numbers there.

Each test checks the promise twice: as built, where it must hold, and with the bug put back, where
the same check must fail. So none of these tests can pass without seeing its bug.
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import anthropic
import pytest

from cli.local.stand_in.claude import tokens
from question.compose_answer.logic import compose
from question.compose_answer.task import Task
from question.generate import annotations
from question.generate import logic as generate_logic
from question.grade_relevance import logic as relevance_logic
from question.grade_relevance.logic import Relevance
from question.grade_support import logic as support_logic
from question.grade_support.logic import JudgedClaim
from selfrag import bootstrap
from selfrag.adapters.claude import cache_control
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.domain.calls import PRICES
from selfrag.domain.questions import Weights
from selfrag.plan import steps as steps_of_a_plan
from selfrag.plan.loop import answers, outcome, reflection
from selfrag.plan.loop.answers import Answering
from selfrag.plan.loop.situation import Gathering
from selfrag.plan.self_rag import SelfRag
from selfrag.ports.model import Judgement, Segment
from selfrag.ports.prompts import load_prompt
from selfrag.runtime.settings import DEFAULT_MODELS
from tests.support import steps
from tests.support.doubles.model_server import ModelServer
from tests.support.fakes import PROMPT, SMALLEST_CACHEABLE, FakeClaude, cited, grader, passage
from tests.support.local import QUESTION, local_stack
from tests.support.steps import Scripted
from tests.workflow.asking import ASKED, run

ROOT = Path(__file__).parents[2]


@dataclass
class World:
    """The patches under which a promise is checked."""

    patches: list[AbstractContextManager[Any]] = field(default_factory=list)

    def run(self, **script: list[Any]) -> tuple[dict[str, Any], Scripted]:
        return run(ASKED, **script)


Check = Callable[[World], None]


def holds_and_sees(check: Check, put_back: Callable[[World], None]) -> None:
    """The check passes as built and fails with the bug put back."""
    check(World())
    buggy = World()
    put_back(buggy)
    with ExitStack() as stack:
        for patched in buggy.patches:
            stack.enter_context(patched)
        with pytest.raises(AssertionError):
            check(buggy)


def test_bug_1_the_direct_answer_is_not_empty() -> None:
    def check(world: World) -> None:
        response, _ = world.run(decide_retrieval=[steps.retrieval("no")], generate=[steps.answer("Hello!")])
        assert (response["status"], response["answer"]) == ("answered", "Hello!")
        assert response["path"] == ["DecideRetrieval", "Generate", "GradeUtility"]

    def put_back(world: World) -> None:
        as_built = SelfRag.gather

        def gather(self: SelfRag, known: Any, gathering: Gathering, why: str) -> Any:
            ends = gathering.write == ["direct"]
            return self.compose(known, "No search is needed") if ends else as_built(self, known, gathering, why)

        world.patches.append(patch.object(SelfRag, "gather", gather))

    holds_and_sees(check, put_back)


@pytest.mark.parametrize("decision", ["no", "yes"])
def test_bug_2_utility_is_judged_and_a_useless_answer_never_goes_out_as_answered(decision: str) -> None:
    def check(world: World) -> None:
        response, scripted = world.run(decide_retrieval=[steps.retrieval(decision)], grade_utility=[steps.utility(1)])
        assert scripted.count("grade_utility") >= 1
        assert response["status"] in ("abstained", "partial")
        assert response["status"] == "abstained" or "of little use" in str(response["usage"]["warnings"])

    def put_back(world: World) -> None:
        world.patches.append(patch.object(SelfRag, "answered", Answering.answered))

    holds_and_sees(check, put_back)


def test_bug_3_without_evidence_it_ends() -> None:
    def check(world: World) -> None:
        response, _ = world.run(
            grade_support=[steps.support("no_support")],
            rewrite_question=[lambda e: steps.rewrite("the same again")],
        )
        assert response["status"] == "abstained"
        assert response["usage"]["model_calls"] <= 40
        assert len(response["passes"]) <= 25

    def put_back(world: World) -> None:
        # Unsupported goes to generate, to the check, to generate ... until the execution is stopped.
        def judge(self: SelfRag, known: Any) -> Any:
            stopped = len(known.ledger) >= 200
            again = Gathering(write=["grounded"])
            return self.compose(known, "Stopped") if stopped else self.gather(known, again, "Again.")

        world.patches.append(patch.object(SelfRag, "judge", judge))

    holds_and_sees(check, put_back)


def test_bug_3_an_unsupported_answer_is_repaired_once_and_not_with_the_same_inputs() -> None:
    def check(world: World) -> None:
        _, scripted = world.run(
            grade_support=[steps.support("partially_supported"), steps.support("fully_supported")],
        )
        first, second = scripted.events_of("generate")
        assert (first["failed_claims"], second["failed_claims"]) == ([], ["claim 1"])
        assert second["draft"] == "25 days."

    def put_back(world: World) -> None:
        as_built = steps_of_a_plan.write

        def write(*asked: Any, **more: Any) -> Any:
            return as_built(*asked, **{**more, "failed_claims": [], "draft": ""})

        world.patches.append(patch.object(steps_of_a_plan, "write", write))

    holds_and_sees(check, put_back)


def test_bug_4_web_results_are_graded_like_passages() -> None:
    def check(world: World) -> None:
        response, scripted = world.run(
            grade_relevance=[lambda e: steps.relevance(e["passage"]["passage_id"], "irrelevant")],
        )
        graded = [event["passage"]["passage_id"] for event in scripted.events_of("grade_relevance")]
        assert {"w0", "w1", "w2", "w3"} <= set(graded)
        assert response["status"] == "abstained"

    def put_back(world: World) -> None:
        # What the web brings is taken as if it had been found relevant.
        as_built = outcome._evidence

        def evidence(searched: Gathering, verdicts: Any, **more: Any) -> Any:
            return searched.fresh if searched.web else as_built(searched, verdicts, **more)

        world.patches.append(patch.object(outcome, "_evidence", evidence))

    holds_and_sees(check, put_back)


@pytest.mark.parametrize("fault", ["malformed", "refusal", "cut"])
def test_bug_5_a_grader_without_a_verdict_passes_nothing(fault: str) -> None:
    def check(world: World) -> None:
        graders = ("grade_relevance", "grade_support", "grade_utility")
        for broken in graders:
            faulty = ModelServer(lambda step, n, broken=broken: fault if step == broken else None)
            with faulty as model, local_stack(model) as stack:
                execution = stack.execute(QUESTION)
            assert execution.output is not None
            assert execution.output["status"] != "answered"

    def put_back(world: World) -> None:
        # What the public code does: a reply without a verdict is taken for a good one.
        lenient = {"relevant": 1, "claims": [{"claim": "c", "support": "full", "passages": [1]}], "score": 5}

        def judge(self: Any, step: str, prompt: Any, fields: Any, shape: Any) -> Any:
            judgement = original(self, step, prompt, fields, shape)
            if judgement.verdict is not None:
                return judgement
            values = {"reason": "", **lenient}
            if shape is Relevance:
                values["score"] = 1.0
            taken = shape.model_validate({name: values[name] for name in shape.model_fields})
            return Judgement(taken, None, call=judgement.call)

        original = SdkClaude.judge
        world.patches.append(patch.object(SdkClaude, "judge", judge))

    holds_and_sees(check, put_back)


def test_bug_6_the_words_of_the_schema_are_the_words_that_are_compared() -> None:
    def check(world: World) -> None:
        task = support_logic.Task(question="?", answer="25 days.", passages=[passage()])
        for word in JudgedClaim.model_json_schema()["properties"]["support"]["enum"]:
            judge = grader({"claims": [{"claim": "25 days", "support": word, "passages": [1]}]})
            level = support_logic.grade(task, judge).verdict.level
            assert (level == "fully_supported") == (word == "full")
        for word in ("Full", "Fully supported", "FULL"):
            with pytest.raises(ValueError, match="support"):
                JudgedClaim.model_validate({"claim": "25 days", "support": word, "passages": [1]})

    def put_back(world: World) -> None:
        def compares_other_words(claims: Any) -> str:
            supports = {claim.support for claim in claims}
            return "fully_supported" if supports == {"Full"} else "no_support"

        world.patches.append(patch.object(support_logic, "level_of", compares_other_words))

    holds_and_sees(check, put_back)


def test_bug_6_the_answer_that_was_written_is_the_answer_that_is_returned() -> None:
    def check(world: World) -> None:
        response, _ = world.run(generate=[steps.answer("Exactly this.")])
        assert response["answer"] == "Exactly this."

    def put_back(world: World) -> None:
        as_built = outcome.take_in

        def take_in(*asked: Any) -> Any:
            known, taken = as_built(*asked)
            return known.but(draft=known.draft.model_copy(update={"answer": ""})), taken

        world.patches.append(patch.object(answers, "take_in", take_in))

    holds_and_sees(check, put_back)


def test_bug_7_a_higher_threshold_lets_fewer_passages_through() -> None:
    def check(world: World) -> None:
        judge = grader({"reason": "", "score": 0.7})
        kept = [
            relevance_logic.grade(
                relevance_logic.Task(question="?", passage=passage(), relevance_threshold=threshold), judge
            ).verdict.relevant
            for threshold in (0.0, 0.6, 0.7, 0.8, 1.0)
        ]
        assert kept == [True, True, True, False, False]

    def put_back(world: World) -> None:
        as_built = relevance_logic.grade

        def upside_down(task: Any, judge: Any) -> Any:
            turned = {"relevance_threshold": 1.0 - task.relevance_threshold}
            return as_built(task.model_copy(update=turned), judge)

        world.patches.append(patch.object(relevance_logic, "grade", upside_down))

    holds_and_sees(check, put_back)


def test_bug_7_utility_counts_when_answers_are_compared() -> None:
    def check(world: World) -> None:
        response, _ = world.run(
            generate=[steps.answer("Of more use."), steps.answer("Of some use.")],
            grade_support=[steps.support("partially_supported")],
            grade_utility=[steps.utility(5), steps.utility(3)],
        )
        assert response["answer"] == "Of more use."

    def put_back(world: World) -> None:
        as_built = reflection._worth

        def worth(known: Any, policy: Any) -> Any:
            return as_built(known, policy.model_copy(update={"weights": Weights(use=0)}))

        world.patches.append(patch.object(reflection, "_worth", worth))

    holds_and_sees(check, put_back)


def test_bug_7_words_of_control_never_reach_an_answer() -> None:
    def check(world: World) -> None:
        claude = FakeClaude([cited("25 days. "), Segment("NO_ANSWER")])
        task = generate_logic.Task(question="?", passages=[passage()])
        result = generate_logic.generate(task, claude, PROMPT)
        assert "NO_ANSWER" not in result.answer

    def put_back(world: World) -> None:
        world.patches.append(patch.object(annotations, "_NO_ANSWER", re.compile("Continue to use evidence")))

    holds_and_sees(check, put_back)


def test_bug_8_a_prompt_is_marked_for_the_cache_if_it_is_long_enough_and_not_otherwise() -> None:
    def check(world: World) -> None:
        for step, model in DEFAULT_MODELS.items():
            rubric = load_prompt(str(ROOT / "functions" / "question" / step / "logic.py")).text
            for prompt in (rubric, PROMPT.text):
                marked = cache_control.mark_for(prompt, model, [1.0], PRICES[model]) is not None
                assert marked == (tokens(prompt) >= SMALLEST_CACHEABLE[model])

    def put_back(world: World) -> None:
        # What the public code does: one line, marked all the same. The service caches nothing of it, without a word.
        world.patches.append(patch.object(cache_control, "mark_for", lambda *asked: {"type": "ephemeral"}))

    holds_and_sees(check, put_back)


def test_bug_9_graders_in_parallel_share_a_client_that_outlives_them() -> None:
    def check(world: World) -> None:
        for _ in range(2):
            with ModelServer() as model, local_stack(model) as stack:
                execution = stack.execute(QUESTION)
            assert execution.output is not None
            assert execution.output["usage"]["warnings"] == []
            assert model.counts["grade_relevance"] == 4

    def put_back(world: World) -> None:
        # A client bound to the event loop of the first question, which is closed after it.
        loop = asyncio.new_event_loop()
        loop.close()

        def create(**asked: Any) -> Any:
            try:
                loop.call_soon(create)
            except RuntimeError as error:
                raise anthropic.AnthropicError(str(error)) from error

        client = SimpleNamespace(messages=SimpleNamespace(create=create))
        world.patches.append(bootstrap.using(claude_client=client))

    holds_and_sees(check, put_back)


def test_bug_10_no_page_quotes_the_papers_numbers_wrong() -> None:
    # 13B on PopQA is 55.8 (arXiv 2310.11511, table 2); an article in circulation says 61.2.
    pages = [page for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")] if page.exists()]

    def check(world: World, extra: str = "") -> None:
        for text in [*(page.read_text(encoding="utf-8") for page in pages), extra]:
            assert "61.2" not in text

    check(World())
    with pytest.raises(AssertionError):
        check(World(), "Self-RAG 13B reaches 61.2 on PopQA")


def test_an_answer_withheld_is_not_in_the_response_at_all() -> None:
    task = {
        "id": "a",
        "retrieval": {"decision": "yes", "reason": "because"},
        "draft": {"answer": "SECRET", "support": {"level": "no_support"}, "utility": {"score": 5}},
    }
    assert "SECRET" not in compose(Task.model_validate(task), {}, console_links=False).model_dump_json()
