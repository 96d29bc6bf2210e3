# Events of questions as they come: GET /v1/questions/{question_id}/events, by a function of its own. It stays with its listener
# for up to a minute, and looks at the execution meanwhile; then the listener comes again. It runs the package of `ask` by
# another program, because Lambda's own runtime for Python streams no reply.

locals {
  stream_path = "/v1/questions/{question_id}/events"
  # The entry of steps.tf, where the deployment has the function.
  stream_steps = {
    stream = {
      description = "Streams the events of a question to who listens."
      uses        = ["streams"]
      timeout     = 60
    }
  }
  streaming = var.stream_events ? keys(local.stream_steps) : []

  # Listeners beyond these copies are refused, and look by themselves; so they take none of the functions that questions need.
  stream_copies = 10
  reserved      = sum([for copies in values(merge({ ask = local.ask_share }, var.reserved_concurrency)) : max(copies, 0)])
  # AWS keeps 100 for functions without a reservation.
  stream_share = try(var.account_concurrency - local.reserved >= 100 + local.stream_copies, false) ? local.stream_copies : null

  stream_statements = [
    {
      sid       = "ShowQuestion"
      actions   = ["states:DescribeExecution", "states:GetExecutionHistory"]
      resources = ["${local.executions.standard}:*"]
    },
    {
      sid       = "ReadAnswers"
      actions   = ["dynamodb:GetItem"]
      resources = [aws_dynamodb_table.table["answers"].arn]
    },
    {
      sid       = "KnowCallers"
      actions   = ["dynamodb:GetItem"]
      resources = [aws_dynamodb_table.table["callers"].arn]
    }
  ]
}

resource "aws_lambda_function" "stream" {
  #checkov:skip=CKV_AWS_116:Nothing invokes this function asynchronously, so a dead letter queue would stay empty.
  #checkov:skip=CKV_AWS_117:It reads tables and executions, and asks nothing inside your network.
  #checkov:skip=CKV_AWS_272:Code signing needs a signing profile of the team's own. The packages are reproducible and their hashes are in the plan.
  count = var.stream_events ? 1 : 0

  function_name    = local.function_names.stream
  description      = local.steps.stream.description
  role             = aws_iam_role.step["stream"].arn
  filename         = "${var.package_directory}/ask.zip"
  source_code_hash = filebase64sha256("${var.package_directory}/ask.zip")
  # What answers where no wrapper is heeded: it says that there is no such path, and the page then looks by itself.
  handler                        = "ask.handler.handler"
  runtime                        = "python3.13"
  architectures                  = [var.architecture]
  layers                         = [for layer in local.steps.stream.layers : aws_lambda_layer_version.layer[layer].arn]
  memory_size                    = lookup(var.memory, "stream", local.steps.stream.memory)
  timeout                        = local.steps.stream.timeout
  reserved_concurrent_executions = lookup(var.reserved_concurrency, "stream", local.stream_share)
  kms_key_arn                    = var.kms_key_arn
  publish                        = true

  environment {
    variables = {
      for name, value in merge(local.environments.stream, local.release, var.environment, {
        AWS_LAMBDA_EXEC_WRAPPER = "/var/task/ask/streaming/wrapper.sh"
      }) : name => value if value != null
    }
  }

  logging_config {
    log_format            = "JSON"
    application_log_level = var.log_level
    log_group             = aws_cloudwatch_log_group.step["stream"].name
  }

  tracing_config {
    mode = var.tracing ? "Active" : "PassThrough"
  }

  lifecycle {
    precondition {
      condition     = lookup(var.reserved_concurrency, "stream", local.stream_share) != null
      error_message = "stream_events needs ${local.stream_copies} reserved copies of the function stream, so that listeners take none from questions: set account_concurrency to your account's limit, if it leaves 100 to functions without a reservation, or name stream in reserved_concurrency (-1 reserves none)."
    }
  }

  depends_on = [aws_iam_role_policy.step]
}

resource "aws_lambda_alias" "stream" {
  count = var.stream_events ? 1 : 0

  name             = local.live
  description      = "The release that streams events."
  function_name    = aws_lambda_function.stream[0].function_name
  function_version = aws_lambda_function.stream[0].version
}

resource "aws_lambda_permission" "stream" {
  count = var.stream_events ? 1 : 0

  statement_id  = "api"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_alias.stream[0].function_name
  qualifier     = aws_lambda_alias.stream[0].name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_api_gateway_rest_api.api.execution_arn}/${local.stage}/*"
}
