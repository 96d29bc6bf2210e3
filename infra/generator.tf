# The fine-tuned model of the paper as a second generator, off by default: an endpoint of yours by its name, a server by its
# URL, or an endpoint that is made here (selfrag_hosting), which costs by the hour. docs/generator.md tells which to take.

locals {
  # By name, so that nothing waits for the endpoint: it takes ten minutes, and may fail for want of a quota.
  hosted_endpoint    = "${var.name}-generator"
  hosted_variant     = "all"
  generator_endpoint = var.selfrag_hosting ? local.hosted_endpoint : var.selfrag_endpoint_name
  has_generator      = local.generator_endpoint != null || var.selfrag_generator_url != null

  # What the steps that ask it are told.
  generator_environment = !local.has_generator ? {} : {
    SELFRAG_GENERATOR_URL       = var.selfrag_generator_url
    SELFRAG_GENERATOR_SECRET    = one(aws_secretsmanager_secret.generator[*].arn)
    SELFRAG_GENERATOR_ENDPOINT  = local.generator_endpoint
    SELFRAG_GENERATOR_COMPONENT = var.selfrag_component_name
    SELFRAG_GENERATOR_MODEL     = var.selfrag_model
  }
  # An endpoint has 60 s to answer, and the function that asks has to be there when it does.
  generator_timeout = local.has_generator ? 70 : local.step_defaults.timeout

  # SageMaker writes the names in ARNs in lower case.
  generator_arns = distinct(flatten([
    for kind, name in { endpoint = local.generator_endpoint, inference-component = var.selfrag_component_name } :
    [for each in [name, lower(name)] : "arn:${local.partition}:sagemaker:${local.here}:${kind}/${each}"] if name != null
  ]))
  generator_statements = concat(
    length(local.generator_arns) == 0 ? [] : [{
      sid       = "AskGenerator"
      actions   = ["sagemaker:InvokeEndpoint"]
      resources = local.generator_arns
    }],
    [for arn in aws_secretsmanager_secret.generator[*].arn : {
      sid       = "ReadGeneratorKey"
      actions   = ["secretsmanager:GetSecretValue"]
      resources = [arn]
    }]
  )

  # The weights of a hosted model that are in a bucket, from where SageMaker itself fetches them.
  weights = [for place in [var.selfrag_model_data] : place if startswith(place, "s3://")]
  # The parts of the image's address for the policy of the role that pulls it.
  image_of = var.selfrag_image == null ? null : regex(
    "^(?P<account>[0-9]{12})\\.dkr\\.ecr\\.(?P<region>[a-z0-9-]+)\\.amazonaws\\.com(?:\\.cn)?/(?P<repository>[^:@]+)", var.selfrag_image
  )
  # What AWS's container for large models starts vLLM with. As an asynchronous service it takes the same requests as vLLM
  # itself, and half precision and 4,096 tokens are what the model was trained in.
  image_environment = {
    HF_MODEL_ID                   = length(local.weights) == 0 ? var.selfrag_model_data : "/opt/ml/model"
    OPTION_ASYNC_MODE             = "true"
    OPTION_ROLLING_BATCH          = "disable"
    OPTION_ENTRYPOINT             = "djl_python.lmi_vllm.vllm_async_service"
    OPTION_TENSOR_PARALLEL_DEGREE = "max"
    OPTION_DTYPE                  = "fp16"
    OPTION_MAX_MODEL_LEN          = "4096"
    OPTION_ENABLE_PREFIX_CACHING  = "true"
    SERVING_FAIL_FAST             = "true"
  }
}

resource "aws_secretsmanager_secret" "generator" {
  #checkov:skip=CKV2_AWS_57:The key is that of a server of yours. No function of AWS could rotate it.
  count = var.selfrag_generator_secret ? 1 : 0

  name                    = "${var.name}/generator"
  description             = "The API key of the server of the fine-tuned model, as plain text."
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
}

resource "aws_sagemaker_model" "generator" {
  #checkov:skip=CKV_AWS_370:Without weights in a bucket (selfrag_model_data) the container has to fetch them over the network.
  count = var.selfrag_hosting ? 1 : 0

  # A model cannot be changed: another image or other weights are another model.
  name                     = "${local.hosted_endpoint}-${substr(sha256(jsonencode([var.selfrag_image, var.selfrag_model_data, local.image_environment])), 0, 8)}"
  execution_role_arn       = aws_iam_role.generator[0].arn
  enable_network_isolation = length(local.weights) > 0

  primary_container {
    image       = var.selfrag_image
    environment = local.image_environment

    dynamic "model_data_source" {
      for_each = local.weights

      content {
        s3_data_source {
          compression_type = "None"
          s3_data_type     = "S3Prefix"
          s3_uri           = model_data_source.value
        }
      }
    }
  }

  lifecycle {
    create_before_destroy = true
  }

  depends_on = [aws_iam_role_policy.generator]
}

# Another instance or another image is another configuration, to which the endpoint changes over while the old one answers.
resource "aws_sagemaker_endpoint_configuration" "generator" {
  #checkov:skip=CKV_AWS_98:The volume holds the weights of a public model and nothing of yours. Instances with a GPU encrypt their own storage.
  count = var.selfrag_hosting ? 1 : 0

  name_prefix = "${local.hosted_endpoint}-"

  production_variants {
    variant_name                                      = local.hosted_variant
    model_name                                        = aws_sagemaker_model.generator[0].name
    instance_type                                     = var.selfrag_instance_type
    initial_instance_count                            = 1
    container_startup_health_check_timeout_in_seconds = 1800
    model_data_download_timeout_in_seconds            = 1800
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_sagemaker_endpoint" "generator" {
  count = var.selfrag_hosting ? 1 : 0

  name                 = local.hosted_endpoint
  endpoint_config_name = aws_sagemaker_endpoint_configuration.generator[0].name

  depends_on = [aws_cloudwatch_log_group.generator]
}

resource "aws_cloudwatch_log_group" "generator" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days, and 30 days serve to find a fault.
  count = var.selfrag_hosting ? 1 : 0

  name              = "/aws/sagemaker/Endpoints/${local.hosted_endpoint}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_iam_role" "generator" {
  count = var.selfrag_hosting ? 1 : 0

  name               = local.hosted_endpoint
  description        = "Starts the container of the fine-tuned model."
  assume_role_policy = data.aws_iam_policy_document.sagemaker_trust[0].json
}

resource "aws_iam_role_policy" "generator" {
  count = var.selfrag_hosting ? 1 : 0

  name   = "generator"
  role   = aws_iam_role.generator[0].id
  policy = data.aws_iam_policy_document.generator[0].json
}

data "aws_iam_policy_document" "sagemaker_trust" {
  count = var.selfrag_hosting ? 1 : 0

  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["sagemaker.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }
  }
}

data "aws_iam_policy_document" "generator" {
  count = var.selfrag_hosting ? 1 : 0

  statement {
    sid       = "Log"
    actions   = ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.generator[0].arn}:*"]
  }

  # Metrics and the login to a registry know no resource.
  statement {
    sid       = "Measure"
    actions   = ["cloudwatch:PutMetricData"]
    resources = ["*"]

    condition {
      test     = "StringLike"
      variable = "cloudwatch:namespace"
      values   = ["/aws/sagemaker/*", "AWS/SageMaker"]
    }
  }

  statement {
    sid       = "LogIntoRegistry"
    actions   = ["ecr:GetAuthorizationToken"]
    resources = ["*"]
  }

  statement {
    sid       = "FetchImage"
    actions   = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]
    resources = ["arn:${local.partition}:ecr:${local.image_of.region}:${local.image_of.account}:repository/${local.image_of.repository}"]
  }

  dynamic "statement" {
    for_each = local.weights

    content {
      sid       = "ReadWeights"
      actions   = ["s3:GetObject"]
      resources = ["arn:${local.partition}:s3:::${trimprefix(statement.value, "s3://")}*"]
    }
  }

  dynamic "statement" {
    for_each = local.weights

    content {
      sid       = "ListWeights"
      actions   = ["s3:ListBucket"]
      resources = ["arn:${local.partition}:s3:::${split("/", trimprefix(statement.value, "s3://"))[0]}"]

      condition {
        test     = "StringLike"
        variable = "s3:prefix"
        values   = ["${join("/", slice(split("/", statement.value), 3, length(split("/", statement.value))))}*"]
      }
    }
  }
}

# AWS sums costs some times a day, so this reports an idle endpoint, or a second one, a day late.
resource "aws_budgets_budget" "generator" {
  count = var.selfrag_hosting ? 1 : 0

  name         = local.hosted_endpoint
  budget_type  = "COST"
  limit_amount = tostring(var.selfrag_budget)
  limit_unit   = "USD"
  time_unit    = "MONTHLY"

  cost_filter {
    name   = "Service"
    values = ["Amazon SageMaker"]
  }

  dynamic "notification" {
    for_each = ["ACTUAL", "FORECASTED"]

    content {
      comparison_operator       = "GREATER_THAN"
      threshold                 = 100
      threshold_type            = "PERCENTAGE"
      notification_type         = notification.value
      subscriber_sns_topic_arns = [aws_sns_topic.alarms.arn]
    }
  }

  depends_on = [aws_sns_topic_policy.alarms]
}
