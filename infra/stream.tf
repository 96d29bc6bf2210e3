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
      # What answers where no wrapper is heeded says that there is no such path, and the page then looks by itself.
      zip = "ask"
    }
  }
  streams = [for step, function in aws_lambda_function.step : function if step == "stream"]

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
      actions   = ["dynamodb:BatchGetItem", "dynamodb:GetItem"]
      resources = [aws_dynamodb_table.table["callers"].arn]
    }
  ]
}

resource "aws_lambda_alias" "stream" {
  count = var.stream_events ? 1 : 0

  name             = local.live
  description      = "The release that streams events."
  function_name    = local.streams[0].function_name
  function_version = local.streams[0].version

  lifecycle {
    precondition {
      condition     = lookup(var.reserved_concurrency, "stream", local.stream_share) != null
      error_message = "stream_events needs ${local.stream_copies} reserved copies of the function stream, so that listeners take none from questions: set account_concurrency to your account's limit, if it leaves 100 to functions without a reservation, or name stream in reserved_concurrency (-1 reserves none)."
    }
  }
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

moved {
  from = aws_lambda_function.stream[0]
  to   = aws_lambda_function.step["stream"]
}
