# A release is a version of `ask`: it names those of `stream` and of what answers agents, and the versions of the machines, which
# name those of their functions. So one release answers a question from beginning to end, and the alias `live` of `ask` switches new questions to
# another release. `selfrag rollback` moves the aliases back; the versions of earlier releases stay.

locals {
  live = "live"
}

resource "aws_lambda_function" "ask" {
  #checkov:skip=CKV_AWS_116:Nothing invokes this function asynchronously, so a dead letter queue would stay empty.
  #checkov:skip=CKV_AWS_272:Code signing needs a profile of the team's own, which code_signing_config_arn names. The packages are reproducible.
  function_name                  = local.function_names.ask
  description                    = local.steps.ask.description
  role                           = aws_iam_role.step["ask"].arn
  filename                       = "${var.package_directory}/ask.zip"
  source_code_hash               = filebase64sha256("${var.package_directory}/ask.zip")
  handler                        = local.steps.ask.handler
  runtime                        = "python3.13"
  architectures                  = [var.architecture]
  layers                         = [for layer in local.steps.ask.layers : aws_lambda_layer_version.layer[layer].arn]
  memory_size                    = lookup(var.memory, "ask", local.steps.ask.memory)
  timeout                        = local.steps.ask.timeout
  reserved_concurrent_executions = lookup(var.reserved_concurrency, "ask", local.ask_share)
  kms_key_arn                    = var.kms_key_arn
  code_signing_config_arn        = var.code_signing_config_arn
  publish                        = true

  environment {
    variables = {
      for name, value in merge(local.environments.ask, local.release, var.environment) :
      name => value if value != null
    }
  }

  logging_config {
    log_format            = "JSON"
    application_log_level = var.log_level
    log_group             = aws_cloudwatch_log_group.step["ask"].name
  }

  tracing_config {
    mode = var.tracing ? "Active" : "PassThrough"
  }

  dynamic "vpc_config" {
    for_each = contains(local.networked, "ask") ? ["private"] : []

    content {
      subnet_ids         = var.subnet_ids
      security_group_ids = var.security_group_ids
    }
  }

  dynamic "snap_start" {
    for_each = var.snap_start ? ["published"] : []

    content {
      apply_on = "PublishedVersions"
    }
  }

  depends_on = [aws_iam_role_policy.step]

  lifecycle {
    precondition {
      condition = sum([
        for name, value in merge(local.environments.ask, local.longest_names, var.environment) : length(name) + length(value) if value != null
      ]) <= 4096
      error_message = "The environment of the function ask must take at most 4 KB: shorten cors_origins, prices or environment."
    }
  }
}

locals {
  # What only AWS names, as long as it can be: so the first plan of all knows how much `ask` is told.
  longest_names = merge(
    { for name in keys(local.release) : name => "9999999" },
    { for machine in local.question_machines : "SELFRAG_${upper(machine)}_MACHINE_ARN" => "${local.machine_arns[machine]}:9999999" },
    {
      SELFRAG_RELEASE             = jsonencode({ for machine in keys(local.machines) : machine => "9999999" })
      SELFRAG_COLLECTION_ENDPOINT = coalesce(var.collection_endpoint, "https://the-id-of-a-collection.${local.region}.aoss.amazonaws.com")
    }
  )
  release = {
    SELFRAG_EXPRESS_MACHINE_ARN  = aws_sfn_state_machine.machine["express"].state_machine_version_arn
    SELFRAG_STANDARD_MACHINE_ARN = aws_sfn_state_machine.machine["standard"].state_machine_version_arn
    # The version of every machine, for a rollback to this release.
    SELFRAG_RELEASE = jsonencode({
      for machine, body in aws_sfn_state_machine.machine : machine => reverse(split(":", body.state_machine_version_arn))[0]
    })
    SELFRAG_STREAM_VERSION   = try(aws_lambda_function.step["stream"].version, null)
    SELFRAG_AGENTS_VERSION   = try(aws_lambda_function.step["agents"].version, null)
    SELFRAG_RETRIEVE_VERSION = var.agents ? aws_lambda_function.step["retrieve"].version : null
  }
}

resource "aws_lambda_alias" "ask" {
  name             = local.live
  description      = "The release that answers questions."
  function_name    = aws_lambda_function.ask.function_name
  function_version = aws_lambda_function.ask.version
}

# The aliases that EventBridge, the reindexing and people start.
resource "aws_sfn_alias" "machine" {
  for_each = aws_sfn_state_machine.machine

  name        = local.live
  description = "The release that is live."

  routing_configuration {
    state_machine_version_arn = each.value.state_machine_version_arn
    weight                    = 100
  }

  # If Terraform fails, either no alias has moved, or `ask` has the versions that the others should have; a rollback undoes it.
  depends_on = [aws_lambda_alias.ask]
}

moved {
  from = aws_lambda_function.step["ask"]
  to   = aws_lambda_function.ask
}
