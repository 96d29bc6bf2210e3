# A role for each function, allowed what its code calls and nothing else.

data "aws_iam_policy_document" "lambda_trust" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "step" {
  for_each = local.steps

  name               = "${var.name}-${each.key}"
  description        = "Runs the function ${var.name}-${each.key}."
  assume_role_policy = data.aws_iam_policy_document.lambda_trust.json
}

resource "aws_iam_role_policy" "step" {
  for_each = local.steps

  name   = "step"
  role   = aws_iam_role.step[each.key].id
  policy = data.aws_iam_policy_document.step[each.key].json
}

data "aws_iam_policy_document" "step" {
  for_each = local.steps

  statement {
    sid       = "Log"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.step[each.key].arn}:*"]
  }

  dynamic "statement" {
    for_each = concat(local.trace_statements, local.key_statements, each.value.statements)

    content {
      sid       = statement.value.sid
      actions   = statement.value.actions
      resources = statement.value.resources
    }
  }
}

locals {
  # X-Ray knows no resource for these.
  trace_statements = !var.tracing ? [] : [{
    sid       = "Trace"
    actions   = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
    resources = ["*"]
  }]

  # Tables, secrets and environment variables that your key encrypts are read and written with it.
  key_statements = var.kms_key_arn == null ? [] : [{
    sid       = "UseKey"
    actions   = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey"]
    resources = [var.kms_key_arn]
  }]

  # With an API key the steps read its secret; with Bedrock each may invoke its own model.
  model_statements = {
    for step in local.model_steps : step => [
      {
        sid       = "AskModel"
        actions   = var.model_provider == "bedrock" ? ["bedrock:InvokeModel"] : ["secretsmanager:GetSecretValue"]
        resources = var.model_provider == "bedrock" ? local.bedrock_models[step] : aws_secretsmanager_secret.anthropic[*].arn
      }
    ]
  }

  # An id with a prefix of a region group (us., eu., global.) is an inference profile, which calls the model in any
  # region of its group: those need both ARNs.
  bedrock_models = {
    for step, model in var.models : step => startswith(model, "anthropic.") ? [
      "arn:${local.partition}:bedrock:${local.region}::foundation-model/${model}"
      ] : [
      "arn:${local.partition}:bedrock:${local.here}:inference-profile/${model}",
      "arn:${local.partition}:bedrock:*::foundation-model/${replace(model, "/^[a-z-]+\\./", "")}"
    ]
  }

  verdict_statements = [{
    sid       = "RememberVerdicts"
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.verdicts.arn]
  }]

  # What each may do in the collection is in its data access policy.
  collection_statements = [{
    sid       = "UseCollection"
    actions   = ["aoss:APIAccessAll"]
    resources = [local.collection_arn]
  }]

  embed_statements = [{
    sid       = "Embed"
    actions   = ["bedrock:InvokeModel"]
    resources = ["arn:${local.partition}:bedrock:${local.region}::foundation-model/amazon.titan-embed-text-v2:0"]
  }]

  # Lambda asks for these on every resource before it puts a function into a network.
  network_statements = length(var.subnet_ids) == 0 ? [] : [{
    sid = "JoinNetwork"
    actions = [
      "ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
      "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses"
    ]
    resources = ["*"]
  }]

  web_statements = !var.web_search ? [] : [{
    sid       = "ReadKey"
    actions   = ["secretsmanager:GetSecretValue"]
    resources = aws_secretsmanager_secret.tavily[*].arn
  }]

  ask_statements = [
    {
      sid       = "AskAndWait"
      actions   = ["states:StartSyncExecution"]
      resources = [local.machine_arns.express]
    },
    {
      sid       = "AskForLater"
      actions   = ["states:StartExecution"]
      resources = [local.machine_arns.standard]
    },
    {
      sid       = "ShowQuestion"
      actions   = ["states:DescribeExecution", "states:GetExecutionHistory"]
      resources = ["arn:${local.partition}:states:${local.here}:execution:${local.machine_names.standard}:*"]
    },
    {
      sid       = "ReadAnswers"
      actions   = ["dynamodb:GetItem"]
      resources = [aws_dynamodb_table.answers.arn]
    },
    {
      sid       = "RememberRequests"
      actions   = ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"]
      resources = [aws_dynamodb_table.requests.arn]
    },
    {
      sid       = "ShowDocuments"
      actions   = ["dynamodb:GetItem"]
      resources = [aws_dynamodb_table.documents.arn]
    },
    {
      sid       = "ListDocuments"
      actions   = ["dynamodb:Query"]
      resources = ["${aws_dynamodb_table.documents.arn}/index/by_collection"]
    },
    {
      # Who is given a form to upload a file uploads it as this role.
      sid       = "TakeAndRemoveDocuments"
      actions   = ["s3:PutObject", "s3:DeleteObject"]
      resources = ["${aws_s3_bucket.documents.arn}/*"]
    }
  ]
}
