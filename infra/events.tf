# From the documents bucket to the ingestion: every object that is created, changed or deleted starts an execution of the
# intake, which records it and runs the ingestion for a few objects at a time.

resource "aws_cloudwatch_event_rule" "documents" {
  name        = "${var.name}-documents"
  description = "Objects of the documents bucket that are created, changed or deleted."
  state       = var.ingest_on_upload ? "ENABLED" : "DISABLED"
  event_pattern = jsonencode({
    source      = ["aws.s3"]
    detail-type = ["Object Created", "Object Deleted"]
    detail      = { bucket = { name = [aws_s3_bucket.bucket["documents"].id] } }
  })
}

resource "aws_cloudwatch_event_target" "ingestion" {
  rule     = aws_cloudwatch_event_rule.documents.name
  arn      = aws_sfn_alias.machine["intake"].arn
  role_arn = aws_iam_role.events.arn

  # Not an input transformer: EventBridge does not escape the values that it puts into a template, and keys may hold
  # quotes.
  input_path = "$.detail"

  # Retries for a day: Step Functions limits starts a second, and many documents may come at once.
  retry_policy {
    maximum_event_age_in_seconds = 86400
    maximum_retry_attempts       = 185
  }

  dead_letter_config {
    arn = aws_sqs_queue.undelivered.arn
  }

  depends_on = [aws_iam_role_policy.events, aws_sqs_queue_policy.undelivered]
}

# Looks at the queues of the intake, should an execution have died that was to go on with them, or a document be tried
# again.
resource "aws_cloudwatch_event_rule" "queues" {
  name                = "${var.name}-queues"
  description         = "Every 15 minutes, the queues of the intake."
  state               = aws_cloudwatch_event_rule.documents.state
  schedule_expression = "rate(15 minutes)"
}

resource "aws_cloudwatch_event_target" "queue" {
  for_each = { deletion = { queue = "deletion" }, upload = { queue = "upload", report = true } }

  rule     = aws_cloudwatch_event_rule.queues.name
  arn      = aws_sfn_alias.machine["intake"].arn
  role_arn = aws_iam_role.events.arn
  input    = jsonencode(each.value)

  # Not into the queue of undelivered events: the next one does the same.
  retry_policy {
    maximum_event_age_in_seconds = 900
    maximum_retry_attempts       = 10
  }

  depends_on = [aws_iam_role_policy.events]
}

resource "aws_iam_role" "events" {
  name                 = "${var.name}-events"
  description          = "Starts the state machine ${local.machine_names.intake} for events of the documents bucket."
  assume_role_policy   = data.aws_iam_policy_document.events_trust.json
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
}

data "aws_iam_policy_document" "events_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["events.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }
  }
}

resource "aws_iam_role_policy" "events" {
  name   = "events"
  role   = aws_iam_role.events.id
  policy = data.aws_iam_policy_document.events.json
}

data "aws_iam_policy_document" "events" {
  statement {
    # Step Functions authorises by the machine, for all of its versions and aliases.
    sid       = "StartIntake"
    actions   = ["states:StartExecution"]
    resources = [aws_sfn_state_machine.machine["intake"].arn]
  }
}

# Events that started no execution; the first one raises an alarm.
resource "aws_sqs_queue" "undelivered" {
  name                      = "${var.name}-undelivered"
  message_retention_seconds = 1209600
  sqs_managed_sse_enabled   = var.kms_key_arn == null ? true : null
  kms_master_key_id         = var.kms_key_arn
}

resource "aws_sqs_queue_policy" "undelivered" {
  queue_url = aws_sqs_queue.undelivered.id
  policy    = data.aws_iam_policy_document.undelivered.json
}

data "aws_iam_policy_document" "undelivered" {
  statement {
    sid       = "KeepEvents"
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.undelivered.arn]

    principals {
      type        = "Service"
      identifiers = ["events.amazonaws.com"]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [aws_cloudwatch_event_rule.documents.arn]
    }
  }
}
