# Schedules that invoke the functions of a question, so that one copy of each stays, and that search, so that a NextGen
# collection stays awake. A question runs several copies of GradeRelevance at once; the others still start cold.

locals {
  warm_functions = !var.keep_warm ? {} : merge(
    { for step in keys(local.question_steps) : step => local.published_steps[step] if step != "search_web" || var.web_search },
    { ask = aws_lambda_alias.ask.arn }
  )
  schedules = merge(
    {
      for step, arn in local.warm_functions : step => merge(var.keep_warm_schedule, {
        arn = arn, name = "keep-warm-${step}", input = jsonencode({ keep_warm = true }), description = "Keeps a copy of ${local.function_names[step]}."
      })
    },
    {
      # Retrieve looks for a passage that no collection has: one cheap query.
      for schedule in var.keep_awake[*] : "collection" => merge(schedule, {
        arn   = local.published_steps["retrieve"], name = "keep-awake", description = "Keeps the collection awake.",
        input = jsonencode({ top_k = 1, passage_ids = ["none"], collections = ["none"] })
      })
    }
  )
}

resource "aws_scheduler_schedule" "keep_warm" {
  #checkov:skip=CKV_AWS_297:What is scheduled is the word keep_warm, or a search for nothing, and no text of anybody.
  for_each = local.schedules

  name                         = "${var.name}-${each.value.name}"
  description                  = each.value.description
  schedule_expression          = each.value.expression
  schedule_expression_timezone = each.value.timezone

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = each.value.arn
    role_arn = aws_iam_role.keep_warm[0].arn
    input    = each.value.input

    # The next one comes in some minutes.
    retry_policy {
      maximum_retry_attempts = 0
    }
  }
}

resource "aws_iam_role" "keep_warm" {
  count = length(local.schedules) > 0 ? 1 : 0

  name                 = "${var.name}-keep-warm"
  description          = "Invokes the functions of a question by a schedule."
  assume_role_policy   = data.aws_iam_policy_document.scheduler_trust.json
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
}

resource "aws_iam_role_policy" "keep_warm" {
  count = length(local.schedules) > 0 ? 1 : 0

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
    for_each = length(local.schedules) == 0 ? [] : ["functions"]

    content {
      sid       = "InvokeFunctions"
      actions   = ["lambda:InvokeFunction"]
      resources = values(local.schedules)[*].arn
    }
  }
}
