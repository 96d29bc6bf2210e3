# A role for each function, with permissions for its code's calls and no others.

locals {
  # The services that a step can use, by the names in its `uses`: the environment of its function (without null values), and
  # the permissions of its role.
  services = {
    # With an API key the steps read its secret; with Bedrock each may invoke its own models: see model_statements.
    model = {
      environment = {
        SELFRAG_MODEL_PROVIDER = var.model_provider
        SELFRAG_MODEL_SECRET   = one(aws_secretsmanager_secret.anthropic[*].arn)
        SELFRAG_PROFILE        = var.profile
        SELFRAG_MODELS         = jsonencode(var.models)
        SELFRAG_MODEL_BASE_URL = var.model_base_url
      }
    }
    # What the organisation says of its documents.
    guidance = {
      environment = { SELFRAG_RETRIEVAL_GUIDANCE = var.retrieval_guidance == "" ? null : var.retrieval_guidance }
    }
    verdicts = {
      environment = {
        SELFRAG_VERDICTS_TABLE   = aws_dynamodb_table.table["verdicts"].name
        SELFRAG_VERDICT_TTL_DAYS = tostring(var.verdict_ttl_days)
      }
      statements = [{
        # Functions also record their calls to the model there, and share its backoff.
        sid       = "RememberVerdicts"
        actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
        resources = [aws_dynamodb_table.table["verdicts"].arn]
      }]
    }
    decider = {
      environment = local.decider_environment
      statements  = local.decider_statements
    }
    guardrail = {
      environment = {
        SELFRAG_GUARDRAIL_ID      = try(var.guardrail.id, null)
        SELFRAG_GUARDRAIL_VERSION = try(var.guardrail.version, null)
      }
      statements = [for guardrail in var.guardrail[*] : {
        sid       = "CheckTexts"
        actions   = ["bedrock:ApplyGuardrail"]
        resources = [startswith(guardrail.id, "arn:") ? guardrail.id : "arn:${local.partition}:bedrock:${local.here}:guardrail/${guardrail.id}"]
      }]
    }
    # In place of the collection.
    knowledge_base = {
      environment = {
        SELFRAG_KNOWLEDGE_BASE_ID         = try(var.knowledge_base.id, null)
        SELFRAG_KNOWLEDGE_BASE_COLLECTION = try(var.knowledge_base.collection, null)
        SELFRAG_KNOWLEDGE_BASE_USER_ID    = try(var.knowledge_base.user_id, null)
      }
      statements = [for base in var.knowledge_base[*] : {
        sid       = "SearchKnowledgeBase"
        actions   = ["bedrock:Retrieve"]
        resources = [startswith(base.id, "arn:") ? base.id : "arn:${local.partition}:bedrock:${local.here}:knowledge-base/${base.id}"]
      }]
    }
    # The data access policy has the permissions in the collection.
    collection = {
      environment = { SELFRAG_COLLECTION_ENDPOINT = local.collection_endpoint }
      statements = [{
        sid       = "UseCollection"
        actions   = ["aoss:APIAccessAll"]
        resources = [local.collection_arn]
      }]
    }
    searched_index = { environment = local.index_environment.search }
    written_index  = { environment = local.index_environment.ingestion }
    embedder = {
      environment = { SELFRAG_EMBEDDING_REGION = var.embedding_region }
      statements = [{
        sid       = "Embed"
        actions   = ["bedrock:InvokeModel"]
        resources = ["arn:${local.partition}:bedrock:${coalesce(var.embedding_region, local.region)}::foundation-model/amazon.titan-embed-text-v2:0"]
      }]
    }
    web = {
      environment = {
        SELFRAG_WEB_SECRET          = one(aws_secretsmanager_secret.tavily[*].arn)
        SELFRAG_WEB_INCLUDE_DOMAINS = jsonencode(var.web_include_domains)
        SELFRAG_WEB_EXCLUDE_DOMAINS = jsonencode(var.web_exclude_domains)
        SELFRAG_WEB_BASE_URL        = var.web_base_url
      }
      statements = !var.web_search ? [] : [{
        sid       = "ReadKey"
        actions   = ["secretsmanager:GetSecretValue"]
        resources = aws_secretsmanager_secret.tavily[*].arn
      }]
    }
    ingestion = {
      environment = {
        SELFRAG_DOCUMENTS_TABLE = aws_dynamodb_table.table["documents"].name
        SELFRAG_WORK_BUCKET     = aws_s3_bucket.bucket["work"].id
        # A document in another collection or index, or with other vectors, is not up to date.
        SELFRAG_PIPELINE = "${var.pipeline}/${var.index.name}/${var.index.vector_dimensions}/${local.collection_id}"
      }
    }
    # Pages of documents that show pictures, for Textract, which reads them with the caller's role.
    keep_pages = {
      environment = local.recognition_environment
      statements = [for arn in local.recognized_arns : {
        sid       = "KeepPages"
        actions   = ["s3:PutObject"]
        resources = ["${arn}/*"]
      }]
    }
    # Textract takes no resource.
    recognition = {
      environment = local.recognition_environment
      statements = flatten([for arn in local.recognized_arns : [
        {
          sid       = "RecognizePages"
          actions   = [for verb in ["Get", "Start"] : "textract:${verb}DocumentTextDetection"]
          resources = ["*"]
        },
        {
          sid       = "ReadAndRememberPages"
          actions   = ["s3:GetObject", "s3:PutObject"]
          resources = ["${arn}/*"]
        },
        {
          sid       = "SeeWhichPagesAreKnown"
          actions   = ["s3:ListBucket"]
          resources = [arn]
        }
      ]])
    }
    # S3 reports a missing object as such only to roles that may list the bucket, and denies access to others.
    read_documents = {
      statements = [
        {
          sid       = "ReadDocuments"
          actions   = ["s3:GetObject"]
          resources = ["${aws_s3_bucket.bucket["documents"].arn}/*"]
        },
        {
          sid       = "SeeWhatIsGone"
          actions   = ["s3:ListBucket"]
          resources = [aws_s3_bucket.bucket["documents"].arn]
        }
      ]
    }
    read_work = {
      statements = [
        {
          sid       = "ReadWork"
          actions   = ["s3:GetObject"]
          resources = ["${aws_s3_bucket.bucket["work"].arn}/*"]
        },
        {
          sid       = "SeeWhichWorkIsDone"
          actions   = ["s3:ListBucket"]
          resources = [aws_s3_bucket.bucket["work"].arn]
        }
      ]
    }
    write_work = {
      statements = [{
        sid       = "WriteWork"
        actions   = ["s3:PutObject"]
        resources = ["${aws_s3_bucket.bucket["work"].arn}/*"]
      }]
    }
    claims = {
      statements = [{
        sid       = "ClaimAndRecord"
        actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
        resources = [aws_dynamodb_table.table["documents"].arn]
      }]
    }
    remember_passages = {
      statements = [{
        sid       = "RememberPassages"
        actions   = ["dynamodb:GetItem", "dynamodb:PutItem"]
        resources = [aws_dynamodb_table.table["documents"].arn]
      }]
    }
    forget_passages = {
      statements = [{
        sid       = "ForgetPassages"
        actions   = ["dynamodb:Query", "dynamodb:DeleteItem"]
        resources = [aws_dynamodb_table.table["documents"].arn]
      }]
    }
    questions = {
      environment = {
        SELFRAG_ANSWERS_TABLE    = aws_dynamodb_table.table["answers"].name
        SELFRAG_REQUESTS_TABLE   = aws_dynamodb_table.table["requests"].name
        SELFRAG_FEEDBACK_TABLE   = aws_dynamodb_table.table["feedback"].name
        SELFRAG_WEB_SEARCH       = tostring(var.web_search)
        SELFRAG_GUARDED          = var.guardrail == null ? null : "true"
        SELFRAG_UPLOADS          = var.knowledge_base == null ? null : "false"
        SELFRAG_MAX_COST_USD     = var.max_cost_usd == null ? null : tostring(var.max_cost_usd)
        SELFRAG_DAILY_MAX_USD    = local.daily_max_usd
        SELFRAG_CALLERS_TABLE    = aws_dynamodb_table.table["callers"].name
        SELFRAG_DOCUMENTS_TABLE  = aws_dynamodb_table.table["documents"].name
        SELFRAG_DOCUMENTS_BUCKET = aws_s3_bucket.bucket["documents"].bucket
        SELFRAG_AUTH             = var.auth
        SELFRAG_CORS_ORIGINS     = length(var.cors_origins) == 0 ? null : join(",", var.cors_origins)
        # A NextGen collection may take 30 seconds to start: a question that can wait has a minute by default.
        SELFRAG_DEADLINE_SECONDS  = local.collection_sleeps ? "60" : null
        SELFRAG_COLLECTION_SLEEPS = tostring(local.collection_sleeps)
        # Less than API Gateway waits, so that a collection which starts is named and is no error.
        SELFRAG_COLLECTION_TIMEOUT_SECONDS = "20"
      }
      statements = local.ask_statements
    }
    # The question's part of the daily cap; `ask` may write to the table anyway.
    spending = {
      environment = {
        SELFRAG_DAILY_MAX_USD  = local.daily_max_usd
        SELFRAG_REQUESTS_TABLE = var.daily_max_usd == null ? null : aws_dynamodb_table.table["requests"].name
      }
      statements = var.daily_max_usd == null ? [] : [{
        sid          = "SettleSpending"
        actions      = ["dynamodb:DeleteItem", "dynamodb:UpdateItem"]
        resources    = [aws_dynamodb_table.table["requests"].arn]
        leading_keys = ["reservation#*", "spending#*"]
      }]
    }
    streams = {
      environment = {
        AWS_LAMBDA_EXEC_WRAPPER = "/var/task/selfrag/api/streaming/wrapper.sh"
        SELFRAG_ASK_FUNCTION    = local.agent_functions.ask
      }
      statements = [{
        sid       = "AnswerByAsk"
        actions   = ["lambda:InvokeFunction"]
        resources = [local.agent_functions.ask]
      }]
    }
    agents = {
      environment = {
        SELFRAG_ASK_FUNCTION      = local.agent_functions.ask
        SELFRAG_RETRIEVE_FUNCTION = local.agent_functions.retrieve
        SELFRAG_CALLERS_TABLE     = aws_dynamodb_table.table["callers"].name
        SELFRAG_CORS_ORIGINS      = length(var.cors_origins) == 0 ? null : join(",", var.cors_origins)
      }
      statements = local.agent_statements
    }
    spans = {
      environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT                        = var.otlp_endpoint
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT = tostring(var.otlp_content)
        OTEL_SERVICE_NAME                                  = var.name
        LANGFUSE_HOST                                      = var.langfuse_host
        SELFRAG_LANGFUSE_SECRET                            = one(aws_secretsmanager_secret.langfuse[*].arn)
        SELFRAG_OTLP_SECRET                                = one(aws_secretsmanager_secret.otlp[*].arn)
      }
      statements = local.span_statements
    }
  }

  daily_max_usd = var.daily_max_usd == null ? null : tostring(var.daily_max_usd)

  # The environment of every function.
  common_environment = {
    POWERTOOLS_SERVICE_NAME      = "selfrag"
    POWERTOOLS_METRICS_NAMESPACE = var.name
    POWERTOOLS_LOG_LEVEL         = var.log_level
    # Prices for the metrics, by call, and for the response, by question.
    SELFRAG_PRICES = jsonencode(var.prices)
  }
  # Outside your network the API shows no text of a collection that only the network reaches.
  unreached = length(var.subnet_ids) == 0 || var.network == "all" ? [] : ["collection", "searched_index"]
  # A knowledge base is searched alone, and embeds the queries itself.
  unsearched = var.knowledge_base == null ? [] : ["collection", "embedder", "searched_index"]
  uses = {
    for step, body in local.steps : step => [
      for service in body.uses : service
      if !contains(step == "ask" ? local.unreached : step == "retrieve" ? local.unsearched : [], service)
    ]
  }
  environments = {
    for step in keys(local.steps) : step => merge(
      local.common_environment, [for service in local.uses[step] : lookup(local.services[service], "environment", {})]...
    )
  }
  recognized_arns = [for name, bucket in aws_s3_bucket.bucket : bucket.arn if name == "recognized"]
  recognition_environment = {
    SELFRAG_TEXT_RECOGNITION  = var.text_recognition
    SELFRAG_RECOGNITION_PAGES = tostring(var.text_recognition_pages)
    SELFRAG_RECOGNIZED_BUCKET = try(aws_s3_bucket.bucket["recognized"].id, null)
  }
  index_environment = {
    for use, index in local.indices : use => {
      SELFRAG_INDEX_NAME        = index.name
      SELFRAG_VECTOR_DIMENSIONS = tostring(index.vector_dimensions)
    }
  }
}

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

  name                 = local.function_names[each.key]
  description          = "Runs the function ${local.function_names[each.key]}."
  assume_role_policy   = data.aws_iam_policy_document.lambda_trust.json
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary
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
    for_each = concat(
      local.trace_statements, [for use in local.key_statements : merge(use, { through = local.key_services })],
      lookup(local.model_statements, each.key, []), contains(local.networked, each.key) ? local.network_statements : [],
      flatten([for service in local.uses[each.key] : lookup(local.services[service], "statements", [])])
    )

    content {
      sid       = statement.value.sid
      actions   = statement.value.actions
      resources = statement.value.resources

      dynamic "condition" {
        for_each = lookup(statement.value, "profiles", null) == null ? [] : [statement.value.profiles]

        content {
          test     = "StringEquals"
          variable = "bedrock:InferenceProfileArn"
          values   = condition.value
        }
      }

      dynamic "condition" {
        for_each = lookup(statement.value, "through", null) == null ? [] : [statement.value.through]

        content {
          test     = "StringLike"
          variable = "kms:ViaService"
          values   = condition.value
        }
      }

      dynamic "condition" {
        for_each = lookup(statement.value, "leading_keys", null) == null ? [] : [statement.value.leading_keys]

        content {
          test     = "ForAllValues:StringLike"
          variable = "dynamodb:LeadingKeys"
          values   = condition.value
        }
      }
    }
  }
}

locals {
  # X-Ray takes no resource for these.
  trace_statements = !var.tracing ? [] : [{
    sid       = "Trace"
    actions   = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
    resources = ["*"]
  }]

  # Your key encrypts tables, secrets and environment variables, so access to them needs it. A function uses it by way of
  # these services alone. A machine's role has no such condition: Step Functions encrypts histories with the role itself.
  key_services = [
    for service in ["dynamodb", "lambda", "s3", "secretsmanager", "states"] : "${service}.${local.region}.amazonaws.com*"
  ]
  key_statements = var.kms_key_arn == null ? [] : [{
    sid       = "UseKey"
    actions   = ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey"]
    resources = [var.kms_key_arn]
  }]

  # With an API key the steps read its secret; with Bedrock each may invoke its own model, and the one asked before it.
  # An id with a prefix of a region group (us., eu., global.) is an inference profile, which calls the model in any
  # region of its group: those need both ARNs. The model's own is allowed by way of the profile alone, which keeps the
  # question within the group. Names of other vendors' models may have more dots than one, so the groups are named here.
  by_profile = "^([a-z-]+\\.anthropic\\.|(us|us-gov|eu|apac|au|jp|ca|global)\\.)"
  model_statements = {
    for step, models in local.models_of : step => concat(
      [for secrets in [aws_secretsmanager_secret.anthropic[*].arn] : {
        sid       = "AskModel"
        actions   = ["secretsmanager:GetSecretValue"]
        resources = secrets
      } if var.model_provider != "bedrock"],
      [for arns in [[
        for model in models : can(regex(local.by_profile, model)) ?
        "arn:${local.partition}:bedrock:${local.here}:inference-profile/${model}" :
        "arn:${local.partition}:bedrock:${local.region}::foundation-model/${model}"
        ]] : {
        sid       = "AskModel"
        actions   = ["bedrock:InvokeModel"]
        resources = arns
      } if var.model_provider == "bedrock"],
      [for profiles in [[for model in models : model if can(regex(local.by_profile, model))]] : {
        sid       = "AskModelByProfile"
        actions   = ["bedrock:InvokeModel"]
        resources = distinct([for id in profiles : "arn:${local.partition}:bedrock:*::foundation-model/${replace(id, "/^[a-z-]+\\./", "")}"])
        profiles  = [for id in profiles : "arn:${local.partition}:bedrock:${local.here}:inference-profile/${id}"]
      } if var.model_provider == "bedrock" && length(profiles) > 0]
    )
  }

  models_of = {
    for step in local.model_steps : step => distinct([
      for name in [step, "${step}_first"] : var.models[name] if contains(keys(var.models), name)
    ])
  }

  # Lambda requires these on every resource to put a function into a network.
  network_statements = [{
    sid = "JoinNetwork"
    actions = [
      "ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
      "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses"
    ]
    resources = ["*"]
  }]

  # Step Functions authorises by the machine, for all of its versions.
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
      resources = ["${local.executions.standard}:*"]
    },
    {
      sid       = "ExpectReadAndDeleteAnswers"
      actions   = ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"]
      resources = [aws_dynamodb_table.table["answers"].arn]
    },
    {
      sid       = "KnowCallers"
      actions   = ["dynamodb:BatchGetItem", "dynamodb:GetItem"]
      resources = [aws_dynamodb_table.table["callers"].arn]
    },
    {
      sid       = "RememberRequests"
      actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"]
      resources = [aws_dynamodb_table.table["requests"].arn]
    },
    {
      # Only the operator may read others' feedback.
      sid       = "KeepAndDeleteFeedback"
      actions   = ["dynamodb:DeleteItem", "dynamodb:PutItem"]
      resources = [aws_dynamodb_table.table["feedback"].arn]
    },
    {
      sid       = "ListFeedbackToDelete"
      actions   = ["dynamodb:Query"]
      resources = ["${aws_dynamodb_table.table["feedback"].arn}/index/by_question"]
    },
    {
      # The write records that a deletion has begun.
      sid       = "ShowAndMarkDocuments"
      actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
      resources = [aws_dynamodb_table.table["documents"].arn]
    },
    {
      sid       = "ListDocumentsAndTheirPassages"
      actions   = ["dynamodb:Query"]
      resources = [for part in ["", "/index/by_collection"] : "${aws_dynamodb_table.table["documents"].arn}${part}"]
    },
    {
      # An upload to an address, and a download by a link, run with this role. An address is good only while its object is what
      # it was when the address was made: S3 compares, and reads the object for that.
      sid       = "TakeGiveAndRemoveDocuments"
      actions   = ["s3:PutObject", "s3:GetObject", "s3:DeleteObject"]
      resources = ["${aws_s3_bucket.bucket["documents"].arn}/*"]
    },
    {
      # Without it S3 denies access to a missing object, and does not say that there is none.
      sid       = "SeeWhatIsNew"
      actions   = ["s3:ListBucket"]
      resources = [aws_s3_bucket.bucket["documents"].arn]
    }
  ]
}
