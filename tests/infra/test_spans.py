"""The function that sends spans, planned without AWS: made where a collector is named, else nothing of it."""

import json

import pytest

from tests.support.infra.planned import Plan, Planner

ENDPOINT = "https://otlp.example.com/team"
FUNCTION, MAPPING = 'aws_lambda_function.step["send_spans"]', "aws_lambda_event_source_mapping.spans[0]"
TABLE = 'aws_dynamodb_table.table["answers"]'
SECRET = "aws_secretsmanager_secret.otlp[0]"


@pytest.fixture
def sending(planned: Planner) -> Plan:
    return planned(otlp_endpoint=ENDPOINT, otlp_secret=True)


def test_without_the_setting_there_is_no_stream_no_function_and_no_secret(planned: Planner, sending: Plan) -> None:
    usual = planned()
    assert not [address for address in usual.resources if "span" in address or "otlp" in address]
    tables = [values for address, values in usual.resources.items() if address.startswith("aws_dynamodb_table.")]
    assert tables
    assert not [values for values in tables if values["stream_enabled"]]
    made = {address for address in sending.resources.keys() - usual.resources.keys() if not address.startswith("data.")}
    own = {f'{kind}["send_spans"]' for kind in ("aws_iam_role.step", "aws_iam_role_policy.step")}
    layer = 'aws_lambda_layer_version.layer["traces"]'
    assert made == {FUNCTION, MAPPING, SECRET, layer, 'aws_cloudwatch_log_group.step["send_spans"]', *own}


def test_table_streams_only_answers_and_drops_failing_batches(sending: Plan) -> None:
    streaming = {address for address, values in sending.resources.items() if values.get("stream_enabled")}
    assert streaming == {TABLE}
    assert sending.resources[TABLE]["stream_view_type"] == "NEW_IMAGE"
    mapping = sending.resources[MAPPING]
    [criteria] = mapping["filter_criteria"]
    [only] = criteria["filter"]
    assert json.loads(only["pattern"]) == {"dynamodb": {"NewImage": {"response": {"S": [{"exists": True}]}}}}
    assert 0 < mapping["maximum_retry_attempts"] <= 10
    assert 0 < mapping["maximum_record_age_in_seconds"] <= 3600
    # Dropped events are counted.
    assert mapping["metrics_config"] == [{"metrics": ["EventCount"]}]


def test_span_role_follows_table_and_alone_reads_header_secret(planned: Planner, sending: Plan) -> None:
    def allowed(plan: Plan) -> set[str]:
        return {action for each in plan.allowed['step["send_spans"]'] for action in each["actions"]}

    logs = {"logs:CreateLogStream", "logs:PutLogEvents", "xray:PutTraceSegments", "xray:PutTelemetryRecords"}
    stream = {f"dynamodb:{each}" for each in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")}
    assert allowed(sending) == {*logs, *stream, "secretsmanager:GetSecretValue"}
    [told] = sending.resources[FUNCTION]["environment"]
    assert told["variables"]["OTEL_EXPORTER_OTLP_ENDPOINT"] == ENDPOINT
    assert told["variables"]["SELFRAG_OTLP_SECRET"].startswith("arn:aws:secretsmanager:")
    to_langfuse = planned(langfuse_host="https://langfuse.example.com")
    assert allowed(to_langfuse) == allowed(sending)
    assert "aws_secretsmanager_secret.langfuse[0]" in to_langfuse.resources
    open_to_all = planned(otlp_endpoint=ENDPOINT)
    assert SECRET not in open_to_all.resources
    assert allowed(open_to_all) == {*logs, *stream}


def test_the_alarm_of_errors_tells_of_it(sending: Plan) -> None:
    watching = {
        part["metric_name"]: alarm["alarm_description"]
        for address, alarm in sending.resources.items()
        if address.startswith("aws_cloudwatch_metric_alarm.")
        for query in alarm["metric_query"]
        for part in query["metric"]
        if part["dimensions"].get("FunctionName") == "selfrag-send_spans"
    }
    assert watching.keys() == {"Errors"}
    assert "send_spans" in watching["Errors"]
