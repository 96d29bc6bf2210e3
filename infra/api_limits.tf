# Throttling over all callers, and of each key by the usage plan.

locals {
  # A synchronous question takes one of the account's concurrent executions for `ask`, and up to six at a time for its steps.
  # With a sixth for `ask`, there is room for the steps that it waits for. AWS keeps 100 for functions without a reservation,
  # so an account with fewer than 120 has none to reserve.
  ask_share = try(var.account_concurrency >= 120, false) ? floor(var.account_concurrency / 6) : -1

  # A stage's settings write a slash of a method's path as ~1. AWS silently ignores any other form.
  throttled = [for route in local.methods : merge(route, { setting = "${replace(route.path, "/", "~1")}/${route.method}" })]

  # A low limit on the paths without a key: AWS charges for requests, but not for throttled ones. Many visitors may open the
  # page at once, and a browser sends a preflight before each new question of a page of yours.
  open_throttles = {
    for route in local.throttled : route.setting => {
      rate  = route.method == "OPTIONS" ? 4 : 2
      burst = contains(["/v1/health", "/v1/openapi.json"], route.path) ? 10 : 40
    } if route.open
  }

  # A question takes the functions 26 s in all, and `stream` as long as it runs. More questions a second than they can run are
  # refused at once.
  question_throttle = var.account_concurrency == null ? var.api_throttle : {
    rate  = min(var.api_throttle.rate, floor(10 * var.account_concurrency / (var.stream_events ? 51 : 26)) / 10)
    burst = min(var.api_throttle.burst, max(2, floor(var.account_concurrency / 10)))
  }
  question_routes = [
    for route in local.throttled : merge(route, { messages = route.path == local.agents_path ? local.messages_per_question : 1 })
    if contains(["POST /v1/ask", "POST /v1/questions", "POST /v1/chat/completions", "POST /v1/responses", "POST ${local.agents_path}"], "${route.method} ${route.path}")
  ]
  # An agent of protocol 2025-11-25 sends four for its first question: initialize, initialized, tools/list and tools/call.
  messages_per_question = 4
  question_throttles = {
    for route in local.question_routes : route.setting => {
      rate  = min(var.api_throttle.rate, route.messages * local.question_throttle.rate)
      burst = min(var.api_throttle.burst, route.messages * local.question_throttle.burst)
    } if var.account_concurrency != null
  }

  # One key gets a quarter, so that it cannot keep the others out, and never more than key_throttle, which is all that its other
  # requests have, such as looks at a question at work.
  key_question_throttle = var.key_question_throttle != null ? var.key_question_throttle : {
    rate  = min(var.key_throttle.rate, max(0.1, floor(10 * local.question_throttle.rate / 4) / 10))
    burst = min(var.key_throttle.burst, max(1, floor(local.question_throttle.burst / 4)))
  }
}

resource "aws_api_gateway_method_settings" "all" {
  #checkov:skip=CKV_AWS_225:Answers depend on the body of a POST and on documents that change, so none is cached here.
  for_each = merge({ "*/*" = var.api_throttle }, local.open_throttles, local.question_throttles)

  rest_api_id = aws_api_gateway_rest_api.api.id
  stage_name  = aws_api_gateway_stage.live.stage_name
  method_path = each.key

  settings {
    metrics_enabled        = var.api_metrics
    logging_level          = "ERROR"
    data_trace_enabled     = false
    throttling_rate_limit  = each.value.rate
    throttling_burst_limit = each.value.burst
  }
}
