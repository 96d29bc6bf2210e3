# The REST API in front of the function `ask`: one body, made from the function's OpenAPI description. API Gateway itself
# answers GET /v1/health, as the function does on the laptop; a mock integration does not suit a text as large as the API's
# description.

locals {
  stage   = "live"
  healthy = jsonencode({ status = "ok" })

  # Those of every reply, as SECURITY_HEADERS of functions/selfrag/api/edge/cors.py; a test compares.
  security_headers = {
    X-Content-Type-Options       = "nosniff"
    Cross-Origin-Resource-Policy = "same-origin"
  }

  compressed_from = 1024

  # A browser cannot sign, so there is a page only with API keys.
  has_page = var.auth == "api_key"
  has_keys = var.auth == "api_key" || var.authorizer_usage_plan

  # The paths that need a key or a signature: all but those without data of documents.
  described = flatten([
    for path, methods in jsondecode(file("${path.module}/../functions/selfrag/api/openapi.json")).paths : [
      for method, route in methods : {
        method = upper(method), path = path, open = jsonencode(lookup(route, "security", null)) == "[{}]"
      }
    ]
  ])
  routes = concat(
    local.described,
    local.has_page ? [{ method = "GET", path = "/", open = true }] : [],
    var.agents ? [{ method = "POST", path = local.agents_path, open = false }] : []
  )
  paths = toset([for route in local.routes : route.path])

  # Further methods of a path: HEAD, as open as GET; a browser's preflight; and every other method, for which the function
  # names the allowed ones. Those need a key: without one, any client could start the function.
  methods = concat(
    local.routes,
    [for route in local.routes : merge(route, { method = "HEAD" }) if route.open],
    [for path in local.paths : { method = "ANY", path = path, open = false }],
    [for path in local.paths : { method = "OPTIONS", path = path, open = true } if length(var.cors_origins) > 0 && path != "/"]
  )

  # AWS reads OpenAPI 3.0. Bodies and replies are not described: the function validates every request and answers with
  # problem details, which a validator here cannot.
  body = jsonencode(merge(local.private_policy, {
    openapi = "3.0.1"
    info    = { title = var.name, version = "1" }
    paths = {
      for path in local.paths : path => {
        for each in local.methods : each.method == "ANY" ? "x-amazon-apigateway-any-method" : lower(each.method) => merge(
          {
            responses = {
              for status in ["200"] : status => {
                description = "It runs."
                headers     = { for name in keys(local.security_headers) : name => { schema = { type = "string" } } }
              } if "${each.method} ${path}" == "GET /v1/health"
            }
            security = [for schemes in [local.security_schemes] : { for name in keys(schemes) : name => [] } if !each.open]
          },
          {
            for name, integration in local.integrations : "x-amazon-apigateway-integration" => integration
            if name == lookup(local.answered_by, "${each.method} ${path}", "ask")
          }
        ) if each.path == path
      }
    }
    components = {
      securitySchemes = local.security_schemes
    }
    "x-amazon-apigateway-gateway-responses" = local.gateway_responses
    }, {
    for source in ["AUTHORIZER"] : "x-amazon-apigateway-api-key-source" => source if var.authorizer_usage_plan || local.reads_bearers
  }))
  streaming = var.stream_events ? "stream" : "ask"
  # What answers a method, where it is not the function of its path.
  answered_by = {
    "GET /v1/health"            = "health"
    "POST ${local.agents_path}" = "agents"
    "POST /v1/ask"              = local.streaming
    "POST /v1/chat/completions" = local.streaming
    "POST /v1/responses"        = local.streaming
  }
  integrations = {
    agents = {
      type                = "aws_proxy"
      httpMethod          = "POST"
      uri                 = try(aws_lambda_alias.agents["agents"].invoke_arn, "")
      passthroughBehavior = "when_no_match"
    }
    ask = {
      type                = "aws_proxy"
      httpMethod          = "POST"
      uri                 = aws_lambda_alias.ask.invoke_arn
      passthroughBehavior = "when_no_match"
    }
    health = {
      type                = "mock"
      passthroughBehavior = "when_no_templates"
      requestTemplates    = { "application/json" = jsonencode({ statusCode = 200 }) }
      responses = {
        default = {
          statusCode         = "200"
          responseTemplates  = { "application/json" = local.healthy }
          responseParameters = { for name, value in local.security_headers : "method.response.header.${name}" => "'${value}'" }
        }
      }
    }
    # The provider's invoke_arn is that of a reply as a whole.
    stream = {
      type                 = "aws_proxy"
      httpMethod           = "POST"
      uri                  = "arn:${local.partition}:apigateway:${local.region}:lambda:path/2021-11-15/functions/${join("", aws_lambda_alias.stream[*].arn)}/response-streaming-invocations"
      passthroughBehavior  = "when_no_match"
      responseTransferMode = "STREAM"
      timeoutInMillis      = 1000 * local.stream_steps.stream.timeout
    }
  }
}

resource "aws_api_gateway_rest_api" "api" {
  name        = var.name
  description = "Questions to ${var.name}, answered from its documents."
  body        = local.body

  # In bytes: compression does not shorten smaller replies.
  minimum_compression_size = local.compressed_from

  endpoint_configuration {
    types            = [var.endpoint_type]
    vpc_endpoint_ids = var.endpoint_type == "PRIVATE" ? var.api_vpc_endpoint_ids : null
  }

  # Who demands client certificates closes the address that takes none.
  disable_execute_api_endpoint = try(var.domain.truststore_uri != null, false)

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_lambda_permission" "api" {
  statement_id  = "api"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_alias.ask.function_name
  qualifier     = aws_lambda_alias.ask.name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_api_gateway_rest_api.api.execution_arn}/${local.stage}/*"
}

# A change takes effect only with a new deployment, so the hash covers everything that the stage serves.
resource "aws_api_gateway_deployment" "api" {
  rest_api_id = aws_api_gateway_rest_api.api.id

  triggers = {
    served = sha256(jsonencode([local.body, local.compressed_from]))
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_api_gateway_stage" "live" {
  #checkov:skip=CKV_AWS_120:Answers depend on the body of a POST and on documents that change, so none is cached here.
  #checkov:skip=CKV2_AWS_77:The firewall and its rules are the team's own. web_acl_arn puts it before this stage, and no Java runs behind it.
  #checkov:skip=CKV2_AWS_4:Errors are logged. The metrics of each method cost up to 34 dollars a month, and no alarm needs them: api_metrics switches them on.
  #checkov:skip=CKV2_AWS_51:The only backend is a Lambda function, invoked by IAM. It sees no client certificate.
  rest_api_id          = aws_api_gateway_rest_api.api.id
  deployment_id        = aws_api_gateway_deployment.api.id
  stage_name           = local.stage
  xray_tracing_enabled = var.tracing

  # No query strings, bodies, keys or addresses of callers.
  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.api_access.arn
    format = jsonencode({
      time                = "$context.requestTimeEpoch"
      request_id          = "$context.requestId"
      method              = "$context.httpMethod"
      route               = "$context.resourcePath"
      status              = "$context.status"
      latency_ms          = "$context.responseLatency"
      function_latency_ms = "$context.integrationLatency"
      api_key_id          = "$context.identity.apiKeyId"
      error               = "$context.error.responseType"
      trace               = "$context.xrayTraceId"
    })
  }

  depends_on = [aws_api_gateway_account.logs, aws_cloudwatch_log_group.api_execution]
}

resource "aws_wafv2_web_acl_association" "api" {
  count = var.web_acl_arn == null ? 0 : 1

  resource_arn = aws_api_gateway_stage.live.arn
  web_acl_arn  = var.web_acl_arn
}

# AWS generates the key's value; the output api_key_command prints it.
resource "aws_api_gateway_api_key" "default" {
  count = local.has_keys ? 1 : 0

  name        = "${var.name}-default"
  description = "The first key of ${var.name}."
}

resource "aws_api_gateway_usage_plan" "default" {
  count = local.has_keys ? 1 : 0

  name        = "${var.name}-default"
  description = "Limits of one key."

  api_stages {
    api_id = aws_api_gateway_rest_api.api.id
    stage  = aws_api_gateway_stage.live.stage_name

    dynamic "throttle" {
      for_each = local.question_routes

      content {
        path        = "${throttle.value.path}/${throttle.value.method}"
        rate_limit  = min(var.key_throttle.rate, throttle.value.messages * local.key_question_throttle.rate)
        burst_limit = min(var.key_throttle.burst, throttle.value.messages * local.key_question_throttle.burst)
      }
    }
  }

  throttle_settings {
    rate_limit  = var.key_throttle.rate
    burst_limit = var.key_throttle.burst
  }

  quota_settings {
    limit  = var.key_quota_per_day
    period = "DAY"
  }
}

resource "aws_api_gateway_usage_plan_key" "default" {
  count = local.has_keys ? 1 : 0

  key_id        = aws_api_gateway_api_key.default[0].id
  key_type      = "API_KEY"
  usage_plan_id = aws_api_gateway_usage_plan.default[0].id
}

resource "aws_cloudwatch_log_group" "api_access" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days. Log lines hold a question's hash, and 30 days serve to find a fault.
  name              = "/aws/apigateway/${var.name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

# API Gateway would create this group itself, and keep its logs for ever.
resource "aws_cloudwatch_log_group" "api_execution" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days. Log lines hold a question's hash, and 30 days serve to find a fault.
  name              = "API-Gateway-Execution-Logs_${aws_api_gateway_rest_api.api.id}/${local.stage}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

# One role for the account and region, by which API Gateway writes the logs of all APIs. It is created only on request: the
# account would still name it after its deletion.
resource "aws_api_gateway_account" "logs" {
  count = var.manage_api_gateway_account ? 1 : 0

  cloudwatch_role_arn = aws_iam_role.api_logs[0].arn

  depends_on = [aws_iam_role_policy_attachment.api_logs]
}

resource "aws_iam_role" "api_logs" {
  count = var.manage_api_gateway_account ? 1 : 0

  name                 = "${var.name}-api-logs"
  description          = "Lets API Gateway write logs."
  assume_role_policy   = data.aws_iam_policy_document.api_gateway_trust.json
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
}

resource "aws_iam_role_policy_attachment" "api_logs" {
  count = var.manage_api_gateway_account ? 1 : 0

  role       = aws_iam_role.api_logs[0].name
  policy_arn = "arn:${local.partition}:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
}

data "aws_iam_policy_document" "api_gateway_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["apigateway.amazonaws.com"]
    }
  }
}
