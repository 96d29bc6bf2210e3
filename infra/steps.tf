# One map says all that differs between the functions: a folder in functions/ is an entry here.

locals {
  model_steps = [
    "decide_retrieval", "generate", "grade_relevance", "grade_support", "grade_utility", "rewrite_question"
  ]
  workflow_steps = setunion(local.model_steps, ["compose_answer", "retrieve", "search_web"])
  ingestion_steps = toset([
    "claim_document", "parse_document", "split_document", "embed_passages", "index_passages", "remove_passages",
    "record_document"
  ])
  step_names = setunion(local.workflow_steps, local.ingestion_steps, ["ask"])

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
        SELFRAG_KEY_COLLECTIONS      = jsonencode(var.key_collections)
        SELFRAG_DOCUMENTS_TABLE      = aws_dynamodb_table.documents.name
        SELFRAG_DOCUMENTS_BUCKET     = aws_s3_bucket.documents.bucket
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
      statements  = concat(local.collection_statements, local.embed_statements, local.network_statements)
      environment = merge(local.collection_environment, local.embed_environment, local.index_environment["search"])
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
    claim_document = {
      description = "Compares an object with the manifest, and keeps other executions off it."
      memory      = 512
      timeout     = 30
      statements  = concat(local.read_document_statements, local.claim_statements)
      environment = local.ingestion_environment
    }
    # A PDF is read in a process of its own, beside the function's.
    parse_document = {
      description = "Reads a document: its text, headings and pages."
      memory      = 2048
      timeout     = 130
      statements  = concat(local.read_document_statements, local.write_work_statements)
      environment = local.ingestion_environment
    }
    split_document = {
      description = "Cuts a document into batches of passages."
      memory      = 512
      timeout     = 130
      statements  = concat(local.read_work_statements, local.write_work_statements)
      environment = local.ingestion_environment
    }
    embed_passages = {
      description = "Makes a vector for each passage of a batch, by Titan."
      memory      = 512
      timeout     = 130
      statements  = concat(local.read_work_statements, local.write_work_statements, local.embed_statements)
      environment = merge(local.ingestion_environment, local.embed_environment, local.index_environment["ingestion"])
    }
    index_passages = {
      description = "Writes a batch of passages to the collection, each once."
      memory      = 512
      timeout     = 130
      statements = concat(
        local.read_work_statements, local.keep_parts_statements, local.collection_statements, local.network_statements
      )
      environment = merge(
        local.ingestion_environment, local.collection_environment, local.index_environment["ingestion"]
      )
    }
    remove_passages = {
      description = "Removes from the collection what is not of a document any more."
      memory      = 512
      timeout     = 130
      statements  = concat(local.forget_parts_statements, local.collection_statements, local.network_statements)
      environment = merge(
        local.ingestion_environment, local.collection_environment, local.index_environment["ingestion"]
      )
    }
    record_document = {
      description = "Writes to the manifest how a document stands."
      memory      = 512
      timeout     = 30
      statements  = local.claim_statements
      environment = local.ingestion_environment
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
  collection_environment = {
    SELFRAG_PASSAGE_INDEX       = "selfrag.opensearch.open_passages"
    SELFRAG_COLLECTION_ENDPOINT = local.collection_endpoint
  }
  embed_environment = {
    SELFRAG_EMBEDDER = "selfrag.titan.open_titan"
  }
  index_environment = {
    for use, index in local.indices : use => {
      SELFRAG_INDEX_NAME        = index.name
      SELFRAG_VECTOR_DIMENSIONS = tostring(index.vector_dimensions)
    }
  }
  ingestion_environment = {
    SELFRAG_DOCUMENTS_TABLE = aws_dynamodb_table.documents.name
    SELFRAG_WORK_BUCKET     = aws_s3_bucket.work.id
    # A document that is in another index, or has other vectors, is not up to date.
    SELFRAG_PIPELINE = "${var.pipeline}/${var.index.name}/${var.index.vector_dimensions}"
  }

  # By name, so that the workflow and `ask`, which starts it, need not wait for each other.
  function_arns = {
    for step in local.step_names : step => "arn:${local.partition}:lambda:${local.here}:function:${var.name}-${step}"
  }
}
