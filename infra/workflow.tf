# One definition, deployed twice: Standard for questions asked for later, Express for those that wait.

locals {
  machine_names = { express = "${var.name}-express", standard = "${var.name}-standard" }
  machine_arns = {
    for type, name in local.machine_names : type => "arn:${local.partition}:states:${local.here}:stateMachine:${name}"
  }

  definition = templatefile("${path.module}/workflow.asl.json", merge(
    { answers_table = aws_dynamodb_table.answers.name },
    { for step in local.workflow_steps : step => local.function_arns[step] }
  ))
}

resource "aws_sfn_state_machine" "workflow" {
  #checkov:skip=CKV_AWS_285:Execution data are questions, answers and passages. They do not belong into a log.
  for_each = local.machine_names

  name       = each.value
  type       = upper(each.key)
  role_arn   = aws_iam_role.workflow[each.key].arn
  definition = local.definition

  # Express keeps no history of its own, so its log has every state; neither log has questions or answers.
  logging_configuration {
    level                  = each.key == "express" ? "ALL" : "ERROR"
    include_execution_data = false
    log_destination        = "${aws_cloudwatch_log_group.workflow[each.key].arn}:*"
  }

  tracing_configuration {
    enabled = var.tracing
  }

  # The role must be able to write logs when the machine is made; a machine without its functions is of no use.
  depends_on = [aws_iam_role_policy.workflow, aws_lambda_function.step]
}

resource "aws_cloudwatch_log_group" "workflow" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days. Log lines hold a question's hash, and 30 days serve to find a fault.
  for_each = local.machine_names

  name              = "/aws/vendedlogs/states/${each.value}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

data "aws_iam_policy_document" "states_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["states.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }
  }
}

resource "aws_iam_role" "workflow" {
  for_each = local.machine_names

  name               = each.value
  description        = "Runs the state machine ${each.value}."
  assume_role_policy = data.aws_iam_policy_document.states_trust.json
}

resource "aws_iam_role_policy" "workflow" {
  for_each = local.machine_names

  name   = "workflow"
  role   = aws_iam_role.workflow[each.key].id
  policy = data.aws_iam_policy_document.workflow.json
}

data "aws_iam_policy_document" "workflow" {
  statement {
    sid       = "RunSteps"
    actions   = ["lambda:InvokeFunction"]
    resources = [for step in local.workflow_steps : local.function_arns[step]]
  }

  statement {
    sid       = "RememberAnswers"
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.answers.arn]
  }

  dynamic "statement" {
    for_each = local.machine_statements

    content {
      sid       = statement.value.sid
      actions   = statement.value.actions
      resources = statement.value.resources
    }
  }
}

locals {
  # What every machine needs for its log, its traces and your key. Log delivery and X-Ray know no resource.
  machine_statements = concat(local.key_statements, !var.tracing ? [] : [{
    sid = "Trace"
    actions = [
      "xray:GetSamplingRules", "xray:GetSamplingTargets", "xray:PutTelemetryRecords", "xray:PutTraceSegments"
    ]
    resources = ["*"]
    }], [{
    sid = "DeliverLogs"
    actions = [
      "logs:CreateLogDelivery", "logs:DeleteLogDelivery", "logs:DescribeLogGroups", "logs:DescribeResourcePolicies",
      "logs:GetLogDelivery", "logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:UpdateLogDelivery"
    ]
    resources = ["*"]
  }])
}
