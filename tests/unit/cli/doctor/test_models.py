"""What the doctor says of Titan and of Claude: quotas in questions and in time of load, and access."""

import pytest
from botocore.exceptions import EndpointConnectionError

from cli.doctor.findings import Level
from tests.support.doubles.aws_account import (
    NOT_ALLOWED,
    TITAN_TOKENS,
    AwsAccount,
    Refused,
    Reply,
    quota,
    titan_quotas,
)
from tests.support.examined import examined, finding, findings

HAIKU, SONNET = "us.anthropic.claude-haiku-5-5-20261001-v1:0", "anthropic.claude-sonnet-5-5"
ON_BEDROCK = {"model_provider": "bedrock", "models": {"generate": SONNET, "grade_relevance": HAIKU}}


def test_titan_at_60_calls_a_minute_is_told_in_questions_and_in_time_of_load() -> None:
    found = finding("titan-quota", quotas=of_bedrock(60))
    assert found.level is Level.LOOK
    assert "60 passages a minute in eu-central-1 (60 calls a minute, 300,000 tokens a minute)" in found.says
    assert "1.0 questions a second" in found.says
    assert "1,000 take 17 min; 10,000 take 3 hours; 1,000,000 take 12 days" in found.says
    assert "--service-code bedrock --quota-code L-26C560CE --desired-value 2000" in found.do


def test_a_quota_that_nobody_can_raise_is_a_case_for_aws_support() -> None:
    assert "open a case with AWS Support" in finding("titan-quota", quotas=of_bedrock(60, adjustable=False)).do


def test_titan_at_0_blocks() -> None:
    found = finding("titan-quota", quotas=of_bedrock(0))
    assert found.level is Level.BLOCKS
    assert "quota of 0" in found.says
    assert "embedding_region" in found.do
    of_tokens = [quota(TITAN_TOKENS, 0, "L-DE641971")]
    assert "--quota-code L-DE641971 --desired-value 460000" in finding("titan-quota", quotas={"bedrock": of_tokens}).do


def test_where_only_tokens_are_limited_the_pace_follows_from_them() -> None:
    tokens = TITAN_TOKENS.replace("model inference", "InvokeModel")
    found = finding("titan-quota", quotas={"bedrock": [quota(tokens, 300_000, "L-DE641971")]})
    assert "embeds 1,304 passages a minute" in found.says
    assert "--quota-code L-DE641971 --desired-value 460000" in found.do


def test_the_accounts_own_quota_counts_and_the_default_where_it_has_none() -> None:
    defaults = {"service-quotas.ListAWSDefaultServiceQuotas": {"Quotas": titan_quotas(2_000)}}
    assert "embeds 60 passages" in finding("titan-quota", defaults, quotas=of_bedrock(60)).says
    assert "embeds 1,304 passages" in finding("titan-quota", defaults, quotas={"bedrock": []}).says


def test_a_quota_that_is_not_listed_is_said_not_to_be_known() -> None:
    found = finding("titan-quota", quotas={"bedrock": []})
    assert found.level is Level.UNKNOWN
    assert "servicequotas/home" in found.do


@pytest.mark.parametrize(
    ("refusal", "level", "says", "do"),
    [
        (Refused("AccessDeniedException", "You don't have access to the model with the specified model ID.", 403),
         Level.BLOCKS, "no access to Titan", "model-catalog"),
        (NOT_ALLOWED, Level.UNKNOWN, "Your credentials may not invoke Titan", "bedrock:InvokeModel"),
        (Refused("ValidationException", "The provided model identifier is invalid."),
         Level.BLOCKS, "cannot be invoked in eu-central-1", "embedding_region"),
        (Refused("ThrottlingException", "Too many requests", 429), Level.LOOK, "too busy", "run it again"),
        (EndpointConnectionError(endpoint_url="https://bedrock"), Level.BLOCKS, "does not answer", "embedding_region"),
    ],
    ids=["no access", "credentials", "no such model", "busy", "no Bedrock in the region"],
)  # fmt: skip
def test_a_model_that_cannot_be_called_is_told_by_its_cause(
    refusal: Exception, level: Level, says: str, do: str
) -> None:
    found = finding("titan-access", {"bedrock-runtime.InvokeModel": refusal})
    assert found.level is level
    assert says in found.says
    assert do in found.do


def test_another_region_for_embeddings_is_the_one_that_is_looked_at() -> None:
    account = AwsAccount()
    found = [each.says for name, each in examined(account, embedding_region="us-west-2").findings if "titan" in name]
    assert len(found) == 2
    assert all("in us-west-2" in said for said in found)


def of_bedrock(calls: float, adjustable: bool = True) -> dict[str, list[Reply]]:
    """Quotas of Bedrock with so many calls of Titan."""
    return {"bedrock": titan_quotas(calls, adjustable)}


def claude_quotas(name: str, calls: float, tokens: float) -> list[Reply]:
    """What Service Quotas says of a model of Claude."""
    return [
        quota(name.format("requests"), calls, f"L-{name[-8:]}-CALLS"),
        quota(name.format("tokens"), tokens, f"L-{name[-8:]}-TOKENS"),
    ]


def test_at_anthropic_the_limits_are_said_to_be_unknown_and_where_to_look() -> None:
    found = finding("claude-quota")
    assert found.level is Level.UNKNOWN
    assert "8 calls and 14,300 tokens" in found.says
    assert "https://platform.claude.com/settings/limits" in found.do
    assert findings("claude-access") == []


def test_on_bedrock_each_model_is_told_in_questions_by_its_own_quota() -> None:
    haiku = claude_quotas(
        "Cross-region model inference {} per minute for Anthropic Claude Haiku 5.5", 10_000, 5_000_000
    )
    sonnet = claude_quotas("On-demand model inference {} per minute for Anthropic Claude Sonnet 5.5 V1", 20, 4_000_000)
    # Listed before, and of another context: the name begins alike.
    other = claude_quotas(
        "On-demand model inference {} per minute for Anthropic Claude Sonnet 5.5 V1 1M Context Length", 1, 1
    )
    slow, fast = findings(
        "claude-quota", quotas={"bedrock": [*titan_quotas(2_000), *other, *haiku, *sonnet]}, **ON_BEDROCK
    )
    assert slow.level is Level.LOOK
    assert slow.says == (
        f"{SONNET} takes 20 calls, 4,000,000 tokens a minute: "
        "0.0 questions a second if it made all calls of a question."
    )
    assert "CALLS --desired-value 480" in slow.do
    assert fast.level is Level.FINE
    assert "5.8 questions a second" in fast.says


def test_a_model_of_claude_with_a_quota_of_0_blocks() -> None:
    none = claude_quotas("Cross-region InvokeModel {} per minute for Anthropic Claude Haiku 5.5", 50, 0)
    found = finding("claude-quota", quotas={"bedrock": none}, model_provider="bedrock", models={"generate": HAIKU})
    assert found.level is Level.BLOCKS
    assert "-TOKENS --desired-value 858000" in found.do


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("global.anthropic.claude-sonnet-5", "Global cross-region model inference {} per minute for %s Sonnet 5"),
        ("eu.anthropic.claude-3-5-sonnet-2024-v1:0", "Cross-region model inference {} per minute for %s 3.5 Sonnet"),
        ("anthropic.claude-opus-4-7", "On-demand InvokeModel {} per minute for %s Opus 4.7"),
    ],
)  # fmt: skip
def test_the_quotas_of_a_model_are_found_by_its_id(model: str, name: str) -> None:
    listed = {"bedrock": claude_quotas(name % "Anthropic Claude", 1_000, 10_000_000)}
    found = finding("claude-quota", quotas=listed, model_provider="bedrock", models={"generate": model})
    assert found.level is Level.FINE


def test_the_model_that_judges_support_first_is_told_and_tried_like_the_others() -> None:
    chosen = {"model_provider": "bedrock", "models": {"grade_support": SONNET, "grade_support_first": HAIKU}}
    for check in ("claude-quota", "claude-access"):
        told = " ".join(each.says for each in findings(check, **chosen))
        assert HAIKU in told
        assert SONNET in told


def test_each_model_of_claude_without_access_blocks() -> None:
    denied = Refused("AccessDeniedException", "You don't have access to the model with the specified model ID.", 403)
    found = findings("claude-access", {"bedrock-runtime.InvokeModel": denied}, **ON_BEDROCK)
    assert [each.level for each in found] == [Level.BLOCKS, Level.BLOCKS]
    assert "model-catalog" in found[0].do
