# How callers are authenticated, and by which way they reach the API: the internet, a domain of yours with or without client
# certificates, or VPC endpoints alone.

locals {
  # The entry of steps.tf, where a key may come as a bearer token: API Gateway itself reads x-api-key alone. Its errors are
  # requests without a key, so no alarm counts them; an authorizer that does not answer shows as a 5xx of the API.
  authorizer_steps = {
    authorize = {
      description = "Reads a caller's API key from x-api-key or Authorization."
      uses        = []
      memory      = 256
      timeout     = 5
      layers      = []
    }
  }
  reads_bearers = var.auth == "api_key" && var.bearer_keys
  # By its name, because the body of the API shall be known before the function is. It is of no release.
  authorizer_arn = local.reads_bearers ? "arn:${local.partition}:lambda:${local.here}:function:${local.function_names.authorize}" : var.authorizer_arn

  # The OpenAPI security schemes, all of which a request must satisfy.
  security_schemes = merge(
    { for auth in [var.auth] : "api_key" => { type = "apiKey", in = "header", name = "x-api-key" } if local.has_keys },
    {
      for auth in [var.auth] : "caller" => merge(
        { type = "apiKey", in = "header", name = "Authorization" },
        { "x-amazon-apigateway-authtype" = auth == "iam" ? "awsSigv4" : "custom" },
        { for arn in [local.authorizer_arn] : "x-amazon-apigateway-authorizer" => merge(
          {
            type          = "request"
            authorizerUri = "arn:${local.partition}:apigateway:${local.region}:lambda:path/2015-03-31/functions/${arn}/invocations"
            # A key may be in either of two headers, and replies are kept only by what every request has.
            authorizerResultTtlInSeconds = local.reads_bearers ? 0 : 60
          },
          {
            for role in aws_iam_role.authorizer : "authorizerCredentials" => role.arn
          },
          {
            for source in ["method.request.header.Authorization"] : "identitySource" => source if !local.reads_bearers
          }
        ) if auth != "iam" && arn != null }
      ) if auth != "api_key" || local.reads_bearers
    }
  )

  # API Gateway deploys no private API without a policy, and the last import of a body decides it. A statement for the
  # account leaves it to the account's IAM who may call; for all others the API's own authentication decides.
  private_policy = {
    for type in [var.endpoint_type] : "x-amazon-apigateway-policy" => {
      Version = "2012-10-17"
      Statement = [
        {
          Sid       = "ByTheseEndpointsAlone"
          Effect    = "Deny"
          Principal = "*"
          Action    = "execute-api:Invoke"
          Resource  = "execute-api:/*"
          Condition = { StringNotEquals = { "aws:SourceVpce" = var.api_vpc_endpoint_ids } }
        },
        {
          Sid       = "Callers"
          Effect    = "Allow"
          Principal = { AWS = var.auth == "iam" ? "arn:${local.partition}:iam::${local.account}:root" : "*" }
          Action    = "execute-api:Invoke"
          Resource  = "execute-api:/*"
        }
      ]
    } if type == "PRIVATE"
  }
}

resource "aws_lambda_permission" "authorizer" {
  count = local.reads_bearers ? 1 : 0

  statement_id  = "api"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.step["authorize"].function_name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_api_gateway_rest_api.api.execution_arn}/authorizers/*"
}

# API Gateway calls your function with this role, so the function's own policy stays as it is.
resource "aws_iam_role" "authorizer" {
  count = var.auth == "authorizer" ? 1 : 0

  name                 = "${var.name}-authorizer"
  description          = "Lets API Gateway call the authorizer."
  assume_role_policy   = data.aws_iam_policy_document.api_gateway_trust.json
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
}

resource "aws_iam_role_policy" "authorizer" {
  count = var.auth == "authorizer" ? 1 : 0

  name = "authorizer"
  role = aws_iam_role.authorizer[0].id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Sid = "Authorize", Effect = "Allow", Action = "lambda:InvokeFunction", Resource = var.authorizer_arn }]
  })
}

resource "aws_api_gateway_domain_name" "api" {
  count = var.domain == null ? 0 : 1

  domain_name                            = var.domain.name
  regional_certificate_arn               = var.domain.certificate_arn
  ownership_verification_certificate_arn = var.domain.ownership_certificate_arn
  security_policy                        = "TLS_1_2"

  endpoint_configuration {
    types = ["REGIONAL"]
  }

  dynamic "mutual_tls_authentication" {
    for_each = var.domain.truststore_uri == null ? [] : [var.domain]

    content {
      truststore_uri     = mutual_tls_authentication.value.truststore_uri
      truststore_version = mutual_tls_authentication.value.truststore_version
    }
  }
}

resource "aws_api_gateway_base_path_mapping" "api" {
  count = var.domain == null ? 0 : 1

  api_id      = aws_api_gateway_rest_api.api.id
  stage_name  = aws_api_gateway_stage.live.stage_name
  domain_name = aws_api_gateway_domain_name.api[0].domain_name
}
