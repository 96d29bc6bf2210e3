# The machine that brings the collection in step with one object of the documents bucket, and what its steps may do.

locals {
  ingestion_name = "${var.name}-ingestion"
}

resource "aws_sfn_state_machine" "ingestion" {
  #checkov:skip=CKV_AWS_285:Execution data are names and titles of documents. They do not belong into a log.
  name       = local.ingestion_name
  type       = "STANDARD"
  role_arn   = aws_iam_role.ingestion.arn
  definition = templatefile("${path.module}/ingestion.asl.json", { for step in local.ingestion_steps : step => local.function_arns[step] })

  logging_configuration {
    level                  = "ERROR"
    include_execution_data = false
    log_destination        = "${aws_cloudwatch_log_group.ingestion.arn}:*"
  }

  tracing_configuration {
    enabled = var.tracing
  }

  depends_on = [aws_iam_role_policy.ingestion, aws_lambda_function.step]
}

resource "aws_cloudwatch_log_group" "ingestion" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days. Log lines hold no documents, and 30 days serve to find a fault.
  name              = "/aws/vendedlogs/states/${local.ingestion_name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_iam_role" "ingestion" {
  name               = local.ingestion_name
  description        = "Runs the state machine ${local.ingestion_name}."
  assume_role_policy = data.aws_iam_policy_document.states_trust.json
}

resource "aws_iam_role_policy" "ingestion" {
  name   = "ingestion"
  role   = aws_iam_role.ingestion.id
  policy = data.aws_iam_policy_document.ingestion.json
}

data "aws_iam_policy_document" "ingestion" {
  statement {
    sid       = "RunSteps"
    actions   = ["lambda:InvokeFunction"]
    resources = [for step in local.ingestion_steps : local.function_arns[step]]
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
  # S3 says that an object is gone only to those who may list the bucket; to others it says that they may not.
  read_document_statements = [
    {
      sid       = "ReadDocuments"
      actions   = ["s3:GetObject"]
      resources = ["${aws_s3_bucket.documents.arn}/*"]
    },
    {
      sid       = "SeeWhatIsGone"
      actions   = ["s3:ListBucket"]
      resources = [aws_s3_bucket.documents.arn]
    }
  ]
  read_work_statements = [{
    sid       = "ReadWork"
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.work.arn}/*"]
  }]
  write_work_statements = [{
    sid       = "WriteWork"
    actions   = ["s3:PutObject"]
    resources = ["${aws_s3_bucket.work.arn}/*"]
  }]

  claim_statements = [{
    sid       = "ClaimAndRecord"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.documents.arn]
  }]
  keep_parts_statements = [{
    sid       = "RememberPassages"
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.documents.arn]
  }]
  forget_parts_statements = [{
    sid       = "ForgetPassages"
    actions   = ["dynamodb:Query", "dynamodb:DeleteItem"]
    resources = [aws_dynamodb_table.documents.arn]
  }]
}
