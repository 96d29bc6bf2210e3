# The functions, all alike but for what the map in steps.tf says of each.

resource "aws_lambda_layer_version" "shared" {
  layer_name               = "${var.name}-shared"
  description              = "What the steps share, and the libraries they need."
  filename                 = "${var.package_directory}/layer.zip"
  source_code_hash         = filebase64sha256("${var.package_directory}/layer.zip")
  compatible_runtimes      = ["python3.13"]
  compatible_architectures = [var.architecture]
}

resource "aws_lambda_function" "step" {
  #checkov:skip=CKV_AWS_116:Nothing invokes these functions asynchronously, so a dead letter queue would stay empty.
  #checkov:skip=CKV_AWS_272:Code signing needs a signing profile of the team's own. The packages are reproducible and their hashes are in the plan.
  for_each = local.steps

  function_name                  = "${var.name}-${each.key}"
  description                    = each.value.description
  role                           = aws_iam_role.step[each.key].arn
  filename                       = "${var.package_directory}/${each.key}.zip"
  source_code_hash               = filebase64sha256("${var.package_directory}/${each.key}.zip")
  handler                        = "${each.key}.handler.handler"
  runtime                        = "python3.13"
  architectures                  = [var.architecture]
  layers                         = [aws_lambda_layer_version.shared.arn]
  memory_size                    = lookup(var.memory, each.key, each.value.memory)
  timeout                        = each.value.timeout
  reserved_concurrent_executions = lookup(var.reserved_concurrency, each.key, -1)
  kms_key_arn                    = var.kms_key_arn

  environment {
    variables = {
      for name, value in merge(local.common_environment, each.value.environment, var.environment) :
      name => value if value != null
    }
  }

  logging_config {
    log_format            = "JSON"
    application_log_level = var.log_level
    log_group             = aws_cloudwatch_log_group.step[each.key].name
  }

  tracing_config {
    mode = var.tracing ? "Active" : "PassThrough"
  }

  dynamic "vpc_config" {
    for_each = contains(local.searching_steps, each.key) && length(var.subnet_ids) > 0 ? ["private"] : []

    content {
      subnet_ids         = var.subnet_ids
      security_group_ids = var.security_group_ids
    }
  }

  # A function in a network cannot be made before its role may make network interfaces.
  depends_on = [aws_iam_role_policy.step]
}

resource "aws_cloudwatch_log_group" "step" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days. Log lines hold a question's hash, and 30 days serve to find a fault.
  for_each = local.steps

  name              = "/aws/lambda/${var.name}-${each.key}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}
