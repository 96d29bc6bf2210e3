# Each alarm says what a person should do. They cost about 0.10 USD a month each.

locals {
  alarm_actions = [aws_sns_topic.alarms.arn]
  machines      = { for type, machine in aws_sfn_state_machine.workflow : type => machine.arn }
  graders       = toset(["grade_relevance", "grade_support", "grade_utility"])
}

# Under the key that AWS manages for SNS, CloudWatch could not publish: it is your key or none, and alarms hold no questions.
resource "aws_sns_topic" "alarms" {
  name              = "${var.name}-alarms"
  kms_master_key_id = var.kms_key_arn
}

resource "aws_sns_topic_policy" "alarms" {
  arn    = aws_sns_topic.alarms.arn
  policy = data.aws_iam_policy_document.alarms.json
}

data "aws_iam_policy_document" "alarms" {
  statement {
    sid       = "CloudWatchAlarms"
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.alarms.arn]

    principals {
      type        = "Service"
      identifiers = ["cloudwatch.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }
  }
}

resource "aws_sns_topic_subscription" "email" {
  count = var.alarm_email == null ? 0 : 1

  topic_arn = aws_sns_topic.alarms.arn
  protocol  = "email"
  endpoint  = var.alarm_email
}

resource "aws_cloudwatch_metric_alarm" "workflow_latency" {
  for_each = local.machines

  alarm_name          = "${var.name}-${each.key}-latency"
  alarm_description   = "One question in a hundred takes too long on the ${each.key} machine. Look at the dashboard for the step that got slower, then at the model provider's status page; a smaller deadline_seconds in the policy gives partial answers sooner."
  namespace           = "AWS/States"
  metric_name         = "ExecutionTime"
  dimensions          = { StateMachineArn = each.value }
  extended_statistic  = "p99"
  comparison_operator = "GreaterThanThreshold"
  threshold           = each.key == "express" ? var.thresholds.express_p99_ms : var.thresholds.standard_p99_ms
  period              = 300
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "step_latency" {
  for_each = local.workflow_steps

  alarm_name          = "${var.name}-${each.key}-latency"
  alarm_description   = "The step ${each.key} is slow. If other steps are too, look at the model provider's status page; if it is alone, look at its function's log and X-Ray trace: a cold collection, a long document or too little memory."
  namespace           = var.name
  metric_name         = "Latency"
  dimensions          = { step = each.key }
  extended_statistic  = "p99"
  comparison_operator = "GreaterThanThreshold"
  threshold           = var.thresholds.step_p99_ms
  period              = 300
  evaluation_periods  = 3
  datapoints_to_alarm = 2
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "executions_failed" {
  for_each = local.machines

  alarm_name          = "${var.name}-${each.key}-failed"
  alarm_description   = "Executions of the ${each.key} machine fail. Open the machine in the Step Functions console and read the error of a failed state: it names a missing permission or a fault in the workflow. Executions of the standard machine can be redriven from there."
  namespace           = "AWS/States"
  metric_name         = "ExecutionsFailed"
  dimensions          = { StateMachineArn = each.value }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.thresholds.failures
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "executions_timed_out" {
  for_each = local.machines

  alarm_name          = "${var.name}-${each.key}-timed-out"
  alarm_description   = "Executions of the ${each.key} machine run into its time limit, although each question has a deadline of its own. Open one in the console and see which state it waited in."
  namespace           = "AWS/States"
  metric_name         = "ExecutionsTimedOut"
  dimensions          = { StateMachineArn = each.value }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.thresholds.failures
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "questions_failed" {
  alarm_name          = "${var.name}-questions-failed"
  alarm_description   = "Questions end with the status failed. Look for \"failed\" in the functions' logs: the error's class says whether the model, the search or the settings are at fault. Misconfigured means a secret without its value, or a wrong name."
  namespace           = var.name
  metric_name         = "Questions"
  dimensions          = { status = "failed" }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.thresholds.failures
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "function_throttles" {
  for_each = local.steps

  alarm_name          = "${var.name}-${each.key}-throttled"
  alarm_description   = "Lambda refuses to run more copies of ${each.key}. Raise its entry in reserved_concurrency, or ask AWS for a higher limit of concurrent executions in this account and region."
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  dimensions          = { FunctionName = aws_lambda_function.step[each.key].function_name }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.thresholds.throttles
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

# Of the two machines only Standard has a limit of state transitions.
resource "aws_cloudwatch_metric_alarm" "executions_throttled" {
  alarm_name          = "${var.name}-standard-throttled"
  alarm_description   = "Step Functions slows down the standard machine: the account's limit of state transitions is reached. Answers come later, none is lost. Ask AWS for a higher limit, or send fewer questions to POST /v1/questions at once."
  namespace           = "AWS/States"
  metric_name         = "ExecutionThrottled"
  dimensions          = { StateMachineArn = aws_sfn_state_machine.workflow["standard"].arn }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.thresholds.throttles
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "api_errors" {
  alarm_name          = "${var.name}-api-5xx"
  alarm_description   = "The API answers with 5xx. Look at the log of the function ask for the request_id of such an answer; if there is none, at the access log of the API, whose field error says what API Gateway found."
  namespace           = "AWS/ApiGateway"
  metric_name         = "5XXError"
  dimensions          = { ApiName = aws_api_gateway_rest_api.api.name, Stage = aws_api_gateway_stage.live.stage_name }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.thresholds.api_5xx
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "cache_failures" {
  for_each = local.graders

  alarm_name          = "${var.name}-${each.key}-cache-failures"
  alarm_description   = "The step ${each.key} cannot reach the table of remembered verdicts. Questions are still answered, at a higher price. Look at the table ${aws_dynamodb_table.verdicts.name} for throttled requests, and whether the function's role may still read and write it."
  namespace           = var.name
  metric_name         = "VerdictCacheFailures"
  dimensions          = { step = each.key }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.thresholds.cache_failures
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}
