# A canary: a part of the questions goes to the newest release, the others to an earlier one. When one of its alarms goes
# off, a machine gives all of them to the earlier release again, without any code of ours.

locals {
  rollback_name = "${var.name}-rollback"
  rollbacks     = try(length(var.canary.alarms), 0) > 0 ? [var.canary] : []
}

resource "aws_cloudwatch_event_rule" "rollback" {
  count = length(local.rollbacks)

  name        = local.rollback_name
  description = "An alarm of the canary goes off."
  event_pattern = jsonencode({
    source        = ["aws.cloudwatch"]
    "detail-type" = ["CloudWatch Alarm State Change"]
    resources     = [for alarm in var.canary.alarms : aws_cloudwatch_metric_alarm.alarm[alarm].arn]
    detail        = { state = { value = ["ALARM"] } }
  })

  lifecycle {
    precondition {
      condition     = length(setsubtract(var.canary.alarms, keys(local.alarms))) == 0
      error_message = "canary.alarms may name only: ${join(", ", keys(local.alarms))}."
    }
  }
}

resource "aws_cloudwatch_event_target" "rollback" {
  count = length(local.rollbacks)

  rule     = aws_cloudwatch_event_rule.rollback[0].name
  arn      = aws_sfn_state_machine.rollback[0].arn
  role_arn = aws_iam_role.rollback[0].arn
}

resource "aws_sfn_state_machine" "rollback" {
  #checkov:skip=CKV_AWS_285:Its history, which Step Functions keeps for 90 days, is one call of Lambda.
  #checkov:skip=CKV_AWS_284:A trace of its one call would say no more than its history.
  count = length(local.rollbacks)

  name     = local.rollback_name
  role_arn = aws_iam_role.rollback[0].arn
  publish  = true
  definition = jsonencode({
    Comment       = "Give all questions to the release before the canary."
    QueryLanguage = "JSONata"
    StartAt       = "GoBack"
    States = {
      GoBack = {
        Type     = "Task"
        Resource = "arn:${local.partition}:states:::aws-sdk:lambda:updateAlias"
        Arguments = {
          FunctionName    = aws_lambda_function.ask.function_name
          Name            = local.live
          FunctionVersion = tostring(var.canary.previous)
          RoutingConfig   = { AdditionalVersionWeights = {} }
        }
        Retry = [{ ErrorEquals = ["States.ALL"], IntervalSeconds = 2, MaxAttempts = 5, BackoffRate = 2, JitterStrategy = "FULL" }]
        End   = true
      }
    }
  })

  dynamic "encryption_configuration" {
    for_each = var.kms_key_arn == null ? [] : [var.kms_key_arn]

    content {
      type                              = "CUSTOMER_MANAGED_KMS_KEY"
      kms_key_id                        = encryption_configuration.value
      kms_data_key_reuse_period_seconds = 300
    }
  }
}

resource "aws_iam_role" "rollback" {
  count = length(local.rollbacks)

  name                 = local.rollback_name
  description          = "Starts and runs the state machine ${local.rollback_name}."
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = ["events.amazonaws.com", "states.amazonaws.com"] }
      Condition = { StringEquals = { "aws:SourceAccount" = local.account } }
    }]
  })
}

resource "aws_iam_role_policy" "rollback" {
  count = length(local.rollbacks)

  name = "rollback"
  role = aws_iam_role.rollback[0].id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat([
      {
        Sid      = "Start"
        Effect   = "Allow"
        Action   = ["states:StartExecution"]
        Resource = ["arn:${local.partition}:states:${local.here}:stateMachine:${local.rollback_name}"]
      },
      {
        Sid      = "GoBack"
        Effect   = "Allow"
        Action   = ["lambda:UpdateAlias"]
        Resource = ["arn:${local.partition}:lambda:${local.here}:function:${local.function_names.ask}"]
      }
    ], [for use in local.key_statements : { Sid = use.sid, Effect = "Allow", Action = use.actions, Resource = use.resources }])
  })
}
