# A schedule that invokes the functions of a question, so that one copy of each stays. A question runs several copies of
# GradeRelevance at once; the others still start cold.

locals {
  warm_functions = !var.keep_warm ? {} : merge(
    { for step in keys(local.question_steps) : step => local.published_steps[step] if step != "search_web" || var.web_search },
    { ask = aws_lambda_alias.ask.arn }
  )
}

resource "aws_scheduler_schedule" "keep_warm" {
  #checkov:skip=CKV_AWS_297:What is scheduled is the word keep_warm and no text of anybody.
  for_each = local.warm_functions

  name                         = "${var.name}-keep-warm-${each.key}"
  description                  = "Keeps a copy of ${local.function_names[each.key]}."
  schedule_expression          = var.keep_warm_schedule.expression
  schedule_expression_timezone = var.keep_warm_schedule.timezone

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = each.value
    role_arn = aws_iam_role.keep_warm[0].arn
    input    = jsonencode({ keep_warm = true })

    # The next one comes in some minutes.
    retry_policy {
      maximum_retry_attempts = 0
    }
  }
}

resource "aws_iam_role" "keep_warm" {
  count = var.keep_warm ? 1 : 0

  name                 = "${var.name}-keep-warm"
  description          = "Invokes the functions of a question by a schedule."
  assume_role_policy   = data.aws_iam_policy_document.scheduler_trust.json
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
}

resource "aws_iam_role_policy" "keep_warm" {
  count = var.keep_warm ? 1 : 0

  name   = "keep-warm"
  role   = aws_iam_role.keep_warm[0].id
  policy = data.aws_iam_policy_document.keep_warm.json
}

data "aws_iam_policy_document" "scheduler_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["scheduler.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }
  }
}

data "aws_iam_policy_document" "keep_warm" {
  dynamic "statement" {
    for_each = length(local.warm_functions) == 0 ? [] : ["functions"]

    content {
      sid       = "InvokeFunctions"
      actions   = ["lambda:InvokeFunction"]
      resources = values(local.warm_functions)
    }
  }
}
