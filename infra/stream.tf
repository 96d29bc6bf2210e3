# POST /v1/ask with server-sent events, by a function of its own: it lets `ask` answer, whatever the client takes, and looks at
# the question by it. It runs the package of `ask` by another program, because Lambda's own runtime for Python streams no reply.

locals {
  # The entry of steps.tf, where the deployment has the function.
  stream_steps = {
    stream = {
      description = "Sends the replies to questions part by part."
      uses        = ["streams"]
      # Its start comes before that of `ask`, and a caller waits for both.
      memory = 1024
      # A question has 240 s at the most; the rest is for its start and its response.
      timeout = 300
      # What answers where no wrapper is heeded is the API, whose replies API Gateway then refuses.
      zip = "ask"
    }
  }
}

resource "aws_lambda_alias" "stream" {
  count = var.stream_events ? 1 : 0

  name             = local.live
  description      = "The release that streams events."
  function_name    = aws_lambda_function.step["stream"].function_name
  function_version = aws_lambda_function.step["stream"].version
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
