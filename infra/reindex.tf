# The machine that has the ingestion look at all objects below a prefix: for a first load, and when what passages
# depend on has changed.

locals {
  reindex_name = "${var.name}-reindex"
  # By name: its role starts executions of the machine itself, which are the items of its Distributed Map.
  reindex_arn     = "arn:${local.partition}:states:${local.here}:stateMachine:${local.reindex_name}"
  reindex_results = "${aws_s3_bucket.work.arn}/reindex/*"
}

resource "aws_sfn_state_machine" "reindex" {
  #checkov:skip=CKV_AWS_285:Execution data are names of documents and why they failed. They do not belong into a log.
  name     = local.reindex_name
  type     = "STANDARD"
  role_arn = aws_iam_role.reindex.arn
  definition = templatefile("${path.module}/reindex.asl.json", {
    documents_bucket    = aws_s3_bucket.documents.id
    work_bucket         = aws_s3_bucket.work.id
    ingestion_machine   = aws_sfn_state_machine.ingestion.arn
    reindex_concurrency = var.reindex_concurrency
  })

  logging_configuration {
    level                  = "ERROR"
    include_execution_data = false
    log_destination        = "${aws_cloudwatch_log_group.reindex.arn}:*"
  }

  tracing_configuration {
    enabled = var.tracing
  }

  depends_on = [aws_iam_role_policy.reindex]
}

resource "aws_cloudwatch_log_group" "reindex" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days. Log lines hold no documents, and 30 days serve to find a fault.
  name              = "/aws/vendedlogs/states/${local.reindex_name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_iam_role" "reindex" {
  name               = local.reindex_name
  description        = "Runs the state machine ${local.reindex_name}."
  assume_role_policy = data.aws_iam_policy_document.states_trust.json
}

resource "aws_iam_role_policy" "reindex" {
  name   = "reindex"
  role   = aws_iam_role.reindex.id
  policy = data.aws_iam_policy_document.reindex.json
}

data "aws_iam_policy_document" "reindex" {
  statement {
    sid       = "ListDocuments"
    actions   = ["s3:ListBucket"]
    resources = [aws_s3_bucket.documents.arn]
  }

  statement {
    sid       = "WriteResults"
    actions   = ["s3:AbortMultipartUpload", "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject"]
    resources = [local.reindex_results]
  }

  statement {
    sid       = "StartItemsAndIngestion"
    actions   = ["states:StartExecution"]
    resources = [local.reindex_arn, aws_sfn_state_machine.ingestion.arn]
  }

  # The execution of an item has the Map's label after the machine's name, behind a slash.
  statement {
    sid     = "FollowItemsAndIngestion"
    actions = ["states:DescribeExecution", "states:StopExecution"]
    resources = [
      "arn:${local.partition}:states:${local.here}:execution:${local.reindex_name}:*",
      "arn:${local.partition}:states:${local.here}:execution:${local.reindex_name}/*",
      "arn:${local.partition}:states:${local.here}:execution:${local.ingestion_name}:*"
    ]
  }

  statement {
    sid       = "RedriveItems"
    actions   = ["states:RedriveExecution"]
    resources = ["arn:${local.partition}:states:${local.here}:execution:${local.reindex_name}/*"]
  }

  statement {
    sid       = "CountItems"
    actions   = ["states:DescribeMapRun"]
    resources = ["arn:${local.partition}:states:${local.here}:mapRun:${local.reindex_name}/*"]
  }

  # The rule by which Step Functions itself is told that an execution has ended.
  statement {
    sid       = "HearOfTheEnd"
    actions   = ["events:DescribeRule", "events:PutRule", "events:PutTargets"]
    resources = ["arn:${local.partition}:events:${local.here}:rule/StepFunctionsGetEventsForStepFunctionsExecutionRule"]
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

resource "aws_cloudwatch_metric_alarm" "reindex_failed" {
  alarm_name          = "${var.name}-reindex-failed"
  alarm_description   = "A reindexing broke off. Open the machine ${local.reindex_name} in the Step Functions console: the error says whether the bucket could not be listed, the results not be written or a permission is missing. When it is mended, redrive the execution or start another with the same input: documents that are done are not worked on again."
  namespace           = "AWS/States"
  metric_name         = "ExecutionsFailed"
  dimensions          = { StateMachineArn = aws_sfn_state_machine.reindex.arn }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}
