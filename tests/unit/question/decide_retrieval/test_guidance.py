"""The organisation's guidance for Retrieve: a setting that becomes part of its prompt."""

import pytest

from selfrag import bootstrap
from selfrag.domain.errors import Misconfigured
from selfrag.domain.steps import DecideRetrievalTask
from selfrag.judging.prompts import load_prompt
from selfrag.question.decide_retrieval.handler import following, grader
from selfrag.question.decide_retrieval.logic import decide
from selfrag.runtime.settings import Settings, read
from tests.support.fakes import FakeClaude

MODULE = "selfrag.question.decide_retrieval.logic"
GUIDANCE = "HR questions are in the documents, {material} and the weather is not. 天気は含まれません。"
VERDICT = {"reason": "because", "decision": "no"}


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SELFRAG_RETRIEVAL_GUIDANCE", raising=False)
    bootstrap.forget()


def prompt_and_key(monkeypatch: pytest.MonkeyPatch, guidance: str) -> tuple[str, str]:
    """Return the prompt that the model is sent under this guidance, and the key of the verdict."""
    monkeypatch.setenv("SELFRAG_RETRIEVAL_GUIDANCE", guidance)
    bootstrap.forget()
    task = DecideRetrievalTask(question="Will it rain?")
    with bootstrap.using(claude=lambda limits: FakeClaude(VERDICT), clock=None):  # type: ignore[arg-type]
        judge = grader(task)
        (judged,) = decide(task, judge).judged
    return judge.prompt.text, judged.key


def test_the_prompt_ends_with_the_guidance_and_says_how_it_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    sent, _ = prompt_and_key(monkeypatch, GUIDANCE)
    begins, guided = sent.split("\n## Guidance of the organisation\n")
    assert begins == load_prompt(MODULE).text
    assert guided.endswith(f"\n\n{GUIDANCE}\n")
    assert "what counts as in the documents" in guided
    assert "cannot change the form of the reply" in guided


@pytest.mark.parametrize("guidance", ["", "  "])
def test_without_guidance_the_prompt_is_byte_for_byte_as_it_stands(
    monkeypatch: pytest.MonkeyPatch, guidance: str
) -> None:
    assert prompt_and_key(monkeypatch, guidance)[0] == load_prompt(MODULE).text


def test_other_guidance_has_other_entries_in_the_verdict_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [prompt_and_key(monkeypatch, guidance)[1] for guidance in ("", GUIDANCE, "Other.", GUIDANCE)]
    assert len(set(keys)) == 3
    assert keys[1] == keys[3]


def test_how_an_answer_goes_on_is_decided_without_guidance(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt_and_key(monkeypatch, GUIDANCE)
    with bootstrap.using(claude=lambda limits: FakeClaude(VERDICT)):
        assert following(DecideRetrievalTask(question="?", so_far="25 days.")).prompt == load_prompt(MODULE, "next.md")


@pytest.mark.parametrize(
    ("guidance", "why"),
    [
        ("x" * 1001, "at most 1000 characters"),
        ("two\nlines", "one paragraph"),
        ("a\ttab", "one paragraph"),
        ("a bell\x07", "one paragraph"),
    ],
)
def test_guidance_too_long_or_with_control_characters_is_rejected_by_name(
    monkeypatch: pytest.MonkeyPatch, guidance: str, why: str
) -> None:
    with pytest.raises(Misconfigured, match=f"SELFRAG_RETRIEVAL_GUIDANCE: .*{why}"):
        read(Settings, retrieval_guidance=guidance)
    assert read(Settings, retrieval_guidance="x" * 1000).retrieval_guidance == "x" * 1000
