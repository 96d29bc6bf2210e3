# The state machines. Questions have two: Standard for asynchronous ones, Express for synchronous ones.

locals {
  machines = {
    express  = { workflow = "question", type = "EXPRESS" }
    standard = { workflow = "question", type = "STANDARD" }
    # Brings the collection in step with one object of the documents bucket.
    ingestion = { workflow = "ingestion", type = "STANDARD" }
    # Runs the ingestion for all objects below a prefix: for a first load, and after a change of the pipeline.
    reindex = { workflow = "reindex", type = "STANDARD" }
    # Records an event of the documents bucket, and runs the ingestion for a few documents at a time.
    intake = { workflow = "intake", type = "STANDARD" }
  }
  question_machines = [for machine, body in local.machines : machine if body.workflow == "question"]

  # By name, to avoid a dependency cycle: a role names what its function or machine starts, and a machine with a Distributed
  # Map starts executions of itself, one per item.
  machine_names = { for machine in keys(local.machines) : machine => "${var.name}-${machine}" }
  machine_arns = {
    for machine, name in local.machine_names : machine => "arn:${local.partition}:states:${local.here}:stateMachine:${name}"
  }
  executions = {
    for machine, name in local.machine_names : machine => "arn:${local.partition}:states:${local.here}:execution:${name}"
  }

  # The steps that a definition names; its machines may run only these.
  named_steps = {
    for workflow in distinct([for machine in values(local.machines) : machine.workflow]) : workflow => [
      for step in keys(local.steps) : step
      if strcontains(file("${path.module}/../functions/selfrag/workflows/${workflow}.asl.yaml"), "$${${step}}")
    ]
  }

  # The other names in the definitions, and the other permissions of their machines.
  question_workflow = {
    values = {
      answers_table = aws_dynamodb_table.table["answers"].name
      # API Gateway waits 29 seconds for an answer.
      step_seconds = 28
    }
    statements = [{
      sid       = "RememberAnswers"
      actions   = ["dynamodb:GetItem", "dynamodb:PutItem"]
      resources = [aws_dynamodb_table.table["answers"].arn]
    }]
  }
  workflows = {
    question = local.question_workflow
    ingestion = {
      values     = {}
      statements = []
    }
    intake = {
      values = {
        intake_table      = aws_dynamodb_table.table["intake"].name
        ingestion_machine = "${local.machine_arns.ingestion}:${local.live}"
        intake_machine    = "${local.machine_arns.intake}:${local.live}"
        ingestion_places  = local.ingestion_places
        deletion_places   = local.deletion_places
        metrics           = var.name
      }
      statements = local.intake_statements
    }
    reindex = {
      values = {
        documents_bucket    = aws_s3_bucket.bucket["documents"].id
        work_bucket         = aws_s3_bucket.bucket["work"].id
        ingestion_machine   = "${local.machine_arns.ingestion}:${local.live}"
        reindex_concurrency = var.reindex_concurrency
      }
      statements = local.reindex_statements
    }
  }
  # Keys that start with x- hold a definition's anchors. GovCloud and China have partitions of their own.
  definitions = {
    for name, workflow in local.workflows : name => jsonencode({
      for key, value in yamldecode(replace(templatefile("${path.module}/../functions/selfrag/workflows/${name}.asl.yaml", merge(
        workflow.values, { for step in local.named_steps[name] : step => local.published_steps[step] }
      )), "arn:aws:states:::", "arn:${local.partition}:states:::")) : key => value if !startswith(key, "x-")
    })
  }
}

resource "aws_sfn_state_machine" "machine" {
  #checkov:skip=CKV_AWS_285:Execution data are questions, answers and passages, or names of documents. They do not belong into a log.
  for_each = local.machines

  name       = local.machine_names[each.key]
  type       = each.value.type
  role_arn   = aws_iam_role.machine[each.key].arn
  definition = local.definitions[each.value.workflow]
  publish    = true

  # Express keeps no history, so its log has every state; no log has questions, answers or documents.
  logging_configuration {
    level                  = each.value.type == "EXPRESS" ? "ALL" : "ERROR"
    include_execution_data = false
    log_destination        = "${aws_cloudwatch_log_group.machine[each.key].arn}:*"
  }

  tracing_configuration {
    enabled = var.tracing
  }

  # The history of Standard machines has questions, passages and answers for 90 days.
  dynamic "encryption_configuration" {
    for_each = var.kms_key_arn == null ? [] : [var.kms_key_arn]

    content {
      type                              = "CUSTOMER_MANAGED_KMS_KEY"
      kms_key_id                        = encryption_configuration.value
      kms_data_key_reuse_period_seconds = 300
    }
  }

  # The role must be able to write logs when the machine is made.
  depends_on = [aws_iam_role_policy.machine]
}

resource "aws_cloudwatch_log_group" "machine" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days. Log lines hold a question's hash and no documents, and 30 days serve to find a fault.
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

resource "aws_iam_role" "machine" {
  for_each = local.machine_names

  name                 = each.value
  description          = "Runs the state machine ${each.value}."
  assume_role_policy   = data.aws_iam_policy_document.states_trust.json
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
}

resource "aws_iam_role_policy" "machine" {
  for_each = local.machines

  name   = "machine"
  role   = aws_iam_role.machine[each.key].id
  policy = data.aws_iam_policy_document.workflow[each.value.workflow].json
}

data "aws_iam_policy_document" "workflow" {
  for_each = local.workflows

  dynamic "statement" {
    for_each = length(local.named_steps[each.key]) == 0 ? [] : [local.named_steps[each.key]]

    content {
      # Lambda authorises by the invoked version; executions of earlier releases still run theirs.
      sid     = "RunSteps"
      actions = ["lambda:InvokeFunction"]
      resources = [
        for step in statement.value : "arn:${local.partition}:lambda:${local.here}:function:${local.function_names[step]}:*"
      ]
    }
  }

  dynamic "statement" {
    for_each = concat(each.value.statements, local.machine_statements)

    content {
      sid       = statement.value.sid
      actions   = statement.value.actions
      resources = statement.value.resources

      dynamic "condition" {
        for_each = lookup(statement.value, "condition", null) == null ? [] : [statement.value.condition]

        content {
          test     = condition.value.test
          variable = condition.value.variable
          values   = condition.value.values
        }
      }
    }
  }
}

locals {
  # Permissions of every machine for its log, its traces and your key. Log delivery and X-Ray take no resource.
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

  # The rule that notifies Step Functions itself of an execution's end.
  hear_of_the_end = {
    sid       = "HearOfTheEnd"
    actions   = ["events:DescribeRule", "events:PutRule", "events:PutTargets"]
    resources = ["arn:${local.partition}:events:${local.here}:rule/StepFunctionsGetEventsForStepFunctionsExecutionRule"]
  }
  reindex_statements = [
    {
      sid       = "ListDocuments"
      actions   = ["s3:ListBucket"]
      resources = [aws_s3_bucket.bucket["documents"].arn]
    },
    {
      sid       = "WriteResults"
      actions   = ["s3:AbortMultipartUpload", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject"]
      resources = ["${aws_s3_bucket.bucket["work"].arn}/reindex/*"]
    },
    {
      sid       = "CountItems"
      actions   = ["states:DescribeMapRun"]
      resources = ["arn:${local.partition}:states:${local.here}:mapRun:${local.machine_names.reindex}/*"]
    },
    {
      sid       = "StartItems"
      actions   = ["states:StartExecution"]
      resources = [local.machine_arns.reindex, local.machine_arns.ingestion]
    },
    {
      # The execution of an item has a slash and the Map's label after the machine's name.
      sid     = "FollowItems"
      actions = ["states:DescribeExecution", "states:StopExecution"]
      resources = [
        "${local.executions.reindex}/*", "${local.executions.reindex}:*", "${local.executions.ingestion}:*"
      ]
    },
    {
      sid       = "RedriveItems"
      actions   = ["states:RedriveExecution"]
      resources = ["${local.executions.reindex}/*"]
    },
    local.hear_of_the_end
  ]
  intake_statements = [
    {
      sid       = "QueueDocuments"
      actions   = ["dynamodb:DeleteItem", "dynamodb:Query", "dynamodb:UpdateItem"]
      resources = [aws_dynamodb_table.table["intake"].arn]
    },
    {
      sid       = "FindNext"
      actions   = ["dynamodb:Query"]
      resources = ["${aws_dynamodb_table.table["intake"].arn}/index/by_turn"]
    },
    {
      # For executions that the release before began, which wait for a place in that table, and for no document.
      sid       = "TakePlaces"
      actions   = ["dynamodb:UpdateItem"]
      resources = [aws_dynamodb_table.table["documents"].arn]
      condition = { test = "ForAllValues:StringLike", variable = "dynamodb:LeadingKeys", values = ["place/*"] }
    },
    {
      # CloudWatch takes no resource.
      sid       = "ReportAge"
      actions   = ["cloudwatch:PutMetricData"]
      resources = ["*"]
      condition = { test = "StringEquals", variable = "cloudwatch:namespace", values = [var.name] }
    },
    {
      sid       = "StartIngestion"
      actions   = ["states:StartExecution"]
      resources = [local.machine_arns.ingestion, local.machine_arns.intake]
    },
    {
      sid       = "FollowIngestion"
      actions   = ["states:DescribeExecution", "states:StopExecution"]
      resources = ["${local.executions.ingestion}:*"]
    },
    local.hear_of_the_end
  ]

  # Each upload at work runs up to two functions at once, each deletion one. In an account of 10 functions that leaves the
  # seven that a question runs at once; more than five uploads would only meet the embedding model's quota.
  ingestion_places = coalesce(var.ingestion_concurrency, try(var.account_concurrency >= 100, false) ? 5 : 1)
  deletion_places  = 1
}
