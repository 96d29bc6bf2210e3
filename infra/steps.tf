# The functions. One map has all their differences: a folder in functions/ is an entry here. A step `uses` services of
# roles.tf, which give its function their settings and its role their permissions.

locals {
  # Lambda gives processors by memory, and this many MB are one. The clients of AWS take a start about half a second of
  # one, and a question waits for eight starts after a pause; docs/costs.md says what it costs.
  one_processor = 1769

  # The states of workflows/question.asl.yaml.
  question_steps = {
    plan = {
      description = "Plans the next steps, and says why."
      uses        = ["guardrail"]
      memory      = local.one_processor
      timeout     = 10
    }
    decide_retrieval = {
      description = "Retrieve: decides whether the question needs a search."
      uses        = ["model", "verdicts", "decider", "guidance"]
      memory      = local.one_processor
    }
    retrieve = {
      description = "Searches the collection by vector and by words."
      uses        = ["collection", "embedder", "searched_index", "knowledge_base"]
      memory      = local.one_processor
      timeout     = 40
    }
    grade_relevance = {
      description = "IsRel: grades the relevance of a passage."
      uses        = ["model", "verdicts", "decider"]
      memory      = local.one_processor
    }
    generate = {
      description = "Writes the answer, with citations."
      uses        = ["model", "verdicts"]
      memory      = local.one_processor
    }
    grade_support = {
      description = "IsSup: checks each claim of the answer against the evidence."
      uses        = ["model", "verdicts", "decider"]
      memory      = local.one_processor
    }
    grade_utility = {
      description = "IsUse: grades the usefulness of the answer, 1 to 5."
      uses        = ["model", "verdicts", "decider"]
      memory      = local.one_processor
    }
    rewrite_question = {
      description = "Finds a better search query."
      uses        = ["model", "verdicts"]
      memory      = local.one_processor
    }
    pick_candidate = {
      description = "Picks the best of several answers by their verdicts."
      uses        = []
      timeout     = 10
    }
    rank_paths = {
      description = "Keeps the best paths of segments by their verdicts."
      uses        = []
      timeout     = 10
    }
    search_web = {
      description = "Searches the web by Tavily, within the allowed domains."
      uses        = ["web"]
    }
    compose_answer = {
      description = "Composes the response: status, citations, verdicts, cost."
      uses        = ["guardrail", "spending"]
      timeout     = 10
    }
  }

  # The states of workflows/ingestion.asl.yaml.
  ingestion_steps = {
    claim_document = {
      description = "Compares an object with the manifest, and keeps other executions off it."
      uses        = ["ingestion", "read_documents", "claims"]
    }
    # A child process reads the file, then finds a PDF's pages without text: 60 seconds of computing for each.
    parse_document = {
      description = "Reads a document: its text, headings and pages."
      uses        = ["ingestion", "read_documents", "write_work", "keep_pages"]
      layers      = ["layer", "readers"]
      memory      = 2048
      timeout     = 220
    }
    # It starts, polls and merges; no function runs while pages are recognised.
    recognize_pages = {
      description = "Lets Amazon Textract read pages that show pictures, and merges the text into the document."
      uses        = ["ingestion", "read_work", "write_work", "recognition"]
      memory      = 1024
      timeout     = 130
    }
    split_document = {
      description = "Cuts a document into batches of passages."
      uses        = ["ingestion", "read_work", "write_work"]
      layers      = ["layer", "readers"]
      timeout     = 130
    }
    embed_passages = {
      description = "Makes a vector for each passage of a batch, by Titan."
      uses        = ["ingestion", "read_work", "write_work", "embedder", "written_index"]
      timeout     = 130
    }
    index_passages = {
      description = "Writes a batch of passages to the collection, each once."
      uses        = ["ingestion", "read_work", "remember_passages", "collection", "written_index"]
      timeout     = 130
    }
    remove_passages = {
      description = "Removes a document's outdated passages from the collection."
      uses        = ["ingestion", "forget_passages", "collection", "written_index"]
      timeout     = 130
    }
    record_document = {
      description = "Writes a document's status to the manifest."
      uses        = ["ingestion", "claims"]
    }
  }

  # The API in front of them; its function is in releases.tf.
  api_steps = {
    ask = {
      description = "The HTTP API: starts questions and shows their progress and answers."
      # With 512 MB a cold start comes near the 10 s after which Lambda begins anew.
      memory  = 1024
      uses    = ["questions", "collection", "searched_index"]
      timeout = 29
    }
  }

  step_defaults = { memory = 512, timeout = 30, layers = ["layer"] }
  # Each has a zip and a handler in it; most zips are named by their step.
  steps = merge(
    { for step, body in local.question_steps : step => merge(local.step_defaults, { zip = step, handler = "selfrag.question.${step}.handler.handler" }, body) },
    { for step, body in local.ingestion_steps : step => merge(local.step_defaults, { zip = step, handler = "selfrag.ingestion.${step}.handler.handler" }, body) },
    { for step, body in local.api_steps : step => merge(local.step_defaults, { zip = step, handler = "selfrag.api.handler.handler" }, body) },
    { for step, body in local.stream_steps : step => merge(local.step_defaults, { handler = "selfrag.api.handler.handler" }, body) if var.stream_events },
    { for step, body in local.authorizer_steps : step => merge(local.step_defaults, { zip = step, handler = "selfrag.authorize.handler.handler" }, body) if local.reads_bearers },
    { for step, body in local.agent_steps : step => merge(local.step_defaults, { zip = step, handler = "selfrag.agents.handler.handler" }, body) if var.agents },
    { for step, body in local.span_steps : step => merge(local.step_defaults, { zip = step, handler = "selfrag.send_spans.handler.handler" }, body) if local.sends_spans }
  )
  # The layers, by the names of their zips.
  layers = merge(
    {
      layer   = { name = "shared", description = "The code that the steps share, and the libraries they need." }
      readers = { name = "readers", description = "The libraries that read and split documents." }
    },
    { for layer in ["protocol"] : layer => { name = layer, description = "What serves agents: the API's code, and the library of the protocol." } if var.agents },
    { for layer in ["traces"] : layer => { name = layer, description = "The library that sends traces." } if local.sends_spans }
  )
  model_steps = [for step, body in local.steps : step if contains(body.uses, "model")]
  # The models that are asked before a step's own, by the profile or by `models`.
  first_models  = ["grade_support_first"]
  needed_models = concat(local.model_steps, var.profile == "balanced" ? local.first_models : [])
  graders       = [for step, body in local.steps : step if contains(body.uses, "verdicts")]

  # The functions in your network.
  networked = [
    for step in keys(local.steps) : step
    if length(var.subnet_ids) > 0 && (var.network == "all" || contains(local.uses[step], "collection"))
  ]

  function_names = { for step in keys(local.steps) : step => "${var.name}-${step}" }
  # The functions in a definition, as versions of this release. A version changes with its code and its settings, so an
  # execution ends with the functions that it began with.
  published_steps = { for step, function in aws_lambda_function.step : step => function.qualified_arn }
}

# A new version replaces the previous one: Lambda keeps a copy as long as a function's version has it.
resource "aws_lambda_layer_version" "layer" {
  for_each = local.layers

  layer_name               = "${var.name}-${each.value.name}"
  description              = each.value.description
  filename                 = "${var.package_directory}/${each.key}.zip"
  source_code_hash         = filebase64sha256("${var.package_directory}/${each.key}.zip")
  compatible_runtimes      = ["python3.13"]
  compatible_architectures = [var.architecture]
}

# The functions of the workflows, `stream` and `agents`. Each change publishes a version, and every invocation names its version.
resource "aws_lambda_function" "step" {
  #checkov:skip=CKV_AWS_116:Nothing invokes these functions asynchronously, so a dead letter queue would stay empty.
  #checkov:skip=CKV_AWS_272:Code signing needs a profile of the team's own, which code_signing_config_arn names. The packages are reproducible.
  for_each = { for step, body in local.steps : step => body if !contains(keys(local.api_steps), step) }

  function_name                  = local.function_names[each.key]
  description                    = each.value.description
  role                           = aws_iam_role.step[each.key].arn
  filename                       = "${var.package_directory}/${each.value.zip}.zip"
  source_code_hash               = filebase64sha256("${var.package_directory}/${each.value.zip}.zip")
  handler                        = each.value.handler
  runtime                        = "python3.13"
  architectures                  = [var.architecture]
  layers                         = [for layer in each.value.layers : aws_lambda_layer_version.layer[layer].arn]
  memory_size                    = lookup(var.memory, each.key, each.value.memory)
  timeout                        = each.value.timeout
  reserved_concurrent_executions = lookup(var.reserved_concurrency, each.key, -1)
  kms_key_arn                    = var.kms_key_arn
  code_signing_config_arn        = var.code_signing_config_arn
  publish                        = true

  environment {
    variables = {
      for name, value in merge(local.environments[each.key], var.environment) :
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
    for_each = contains(local.networked, each.key) ? ["private"] : []

    content {
      subnet_ids         = var.subnet_ids
      security_group_ids = var.security_group_ids
    }
  }

  # A snapshot is taken of a published version, and only for questions, which callers wait for.
  dynamic "snap_start" {
    for_each = var.snap_start && contains(keys(local.question_steps), each.key) ? ["published"] : []

    content {
      apply_on = "PublishedVersions"
    }
  }

  # A function in a network cannot be created before its role may create network interfaces.
  depends_on = [aws_iam_role_policy.step]

  lifecycle {
    precondition {
      condition = sum([
        for name, value in merge(local.environments[each.key], var.environment) : length(name) + length(value) if value != null
      ]) <= 4096
      error_message = "The environment of the function ${each.key} must take at most 4 KB: shorten models, prices, retrieval_guidance, the domains of the web search, cors_origins or environment."
    }
  }
}

resource "aws_cloudwatch_log_group" "step" {
  #checkov:skip=CKV_AWS_338:How long logs are kept is log_retention_days. Log lines hold a question's hash, and 30 days serve to find a fault.
  for_each = local.function_names

  name              = "/aws/lambda/${each.value}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}
