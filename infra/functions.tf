# One map says all that differs between the functions: a folder in functions/ is an entry here.

locals {
  model_steps = [
    "decide_retrieval", "generate", "grade_relevance", "grade_support", "grade_utility", "rewrite_question"
  ]
  workflow_steps = setunion(local.model_steps, ["compose_answer", "retrieve", "search_web"])
  step_names     = setunion(local.workflow_steps, ["ask"])

  steps = {
    ask = {
      description = "The HTTP API: starts a question and shows what became of it."
      memory      = 512
      timeout     = 29
      statements  = local.ask_statements
      environment = {
        SELFRAG_EXPRESS_MACHINE_ARN  = local.machine_arns.express
        SELFRAG_STANDARD_MACHINE_ARN = local.machine_arns.standard
        SELFRAG_ANSWERS_TABLE        = aws_dynamodb_table.answers.name
        SELFRAG_REQUESTS_TABLE       = aws_dynamodb_table.requests.name
        SELFRAG_COLLECTIONS          = jsonencode(var.collections)
        SELFRAG_WEB_SEARCH           = tostring(var.web_search)
      }
    }
    decide_retrieval = {
      description = "Retrieve: whether the question needs a search."
      memory      = 512
      timeout     = 30
      statements  = local.model_statements["decide_retrieval"]
      environment = local.model_environment
    }
    retrieve = {
      description = "Searches the collection by vector and by words."
      memory      = 512
      timeout     = 40
      statements  = concat(local.search_statements, local.network_statements)
      environment = {
        SELFRAG_PASSAGE_INDEX       = "selfrag.opensearch.open_passages"
        SELFRAG_EMBEDDER            = "selfrag.titan.open_titan"
        SELFRAG_COLLECTION_ENDPOINT = local.collection_endpoint
        SELFRAG_INDEX_NAME          = local.index_name
        SELFRAG_VECTOR_DIMENSIONS   = "512"
      }
    }
    grade_relevance = {
      description = "IsRel: whether a passage is relevant."
      memory      = 512
      timeout     = 30
      statements  = concat(local.model_statements["grade_relevance"], local.verdict_statements)
      environment = merge(local.model_environment, local.verdict_environment)
    }
    generate = {
      description = "Writes the answer, with citations."
      memory      = 512
      timeout     = 30
      statements  = local.model_statements["generate"]
      environment = local.model_environment
    }
    grade_support = {
      description = "IsSup: whether the evidence supports each claim of the answer."
      memory      = 512
      timeout     = 30
      statements  = concat(local.model_statements["grade_support"], local.verdict_statements)
      environment = merge(local.model_environment, local.verdict_environment)
    }
    grade_utility = {
      description = "IsUse: how useful the answer is, 1 to 5."
      memory      = 512
      timeout     = 30
      statements  = concat(local.model_statements["grade_utility"], local.verdict_statements)
      environment = merge(local.model_environment, local.verdict_environment)
    }
    rewrite_question = {
      description = "Finds a better search query."
      memory      = 512
      timeout     = 30
      statements  = local.model_statements["rewrite_question"]
      environment = local.model_environment
    }
    search_web = {
      description = "Searches the web by Tavily, within the allowed domains."
      memory      = 512
      timeout     = 30
      statements  = local.web_statements
      environment = {
        SELFRAG_WEB_SECRET          = one(aws_secretsmanager_secret.tavily[*].arn)
        SELFRAG_WEB_INCLUDE_DOMAINS = jsonencode(var.web_include_domains)
        SELFRAG_WEB_EXCLUDE_DOMAINS = jsonencode(var.web_exclude_domains)
        SELFRAG_WEB_BASE_URL        = var.web_base_url
      }
    }
    compose_answer = {
      description = "Puts together the response: status, citations, verdicts, cost."
      memory      = 512
      timeout     = 10
      statements  = []
      environment = {}
    }
  }

  # What each function has in its environment; a value of null is left out.
  common_environment = {
    POWERTOOLS_SERVICE_NAME      = "selfrag"
    POWERTOOLS_METRICS_NAMESPACE = var.name
    POWERTOOLS_LOG_LEVEL         = var.log_level
    # Metrics have the dollars of each call, and the response those of the question.
    SELFRAG_PRICES = jsonencode(var.prices)
  }
  model_environment = {
    SELFRAG_MODEL_PROVIDER = var.model_provider
    SELFRAG_MODEL_SECRET   = one(aws_secretsmanager_secret.anthropic[*].arn)
    SELFRAG_MODELS         = jsonencode(var.models)
    SELFRAG_MODEL_BASE_URL = var.model_base_url
  }
  verdict_environment = {
    SELFRAG_VERDICTS_TABLE   = aws_dynamodb_table.verdicts.name
    SELFRAG_VERDICT_TTL_DAYS = tostring(var.verdict_ttl_days)
  }

  # By name, so that the workflow and `ask`, which starts it, need not wait for each other.
  function_arns = {
    for step in local.step_names : step => "arn:${local.partition}:lambda:${local.here}:function:${var.name}-${step}"
  }
}

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
    for_each = each.key == "retrieve" && length(var.subnet_ids) > 0 ? ["private"] : []

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
