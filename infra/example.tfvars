# Copy to terraform.tfvars and edit. Every variable is described in variables.tf.

name   = "selfrag"
region = "us-east-1"

# How the collection is reached. A first deployment needs either this line, by which signed requests of those that may
# reach it from the internet, or VPC endpoints, the only way in then (the three lines after it).
# collection_public = true
# collection_vpc_endpoint_ids = ["vpce-..."]
# subnet_ids                  = ["subnet-..."]
# security_group_ids          = ["sg-..."]

# Whether the collection scales to zero (nextgen) or always runs (classic). A deployment that has a classic one keeps it so.
# collection = "classic"

# Who may write to the index beside the ingestion, which loads what is put into the documents bucket.
# index_writers = ["arn:aws:iam::123456789012:role/loader"]

# Claude by Anthropic's API (a key is set after deployment), or by Bedrock.
model_provider = "anthropic"
# model_provider = "bedrock"
# models = { # ids of November 2026; us., eu. and global. say in which regions the model may run
#   decide_retrieval    = "us.anthropic.claude-haiku-5-5"
#   grade_relevance     = "us.anthropic.claude-haiku-5-5"
#   generate            = "global.anthropic.claude-sonnet-5-5"
#   grade_support       = "global.anthropic.claude-sonnet-5-5"
#   grade_support_first = "us.anthropic.claude-haiku-5-5"
#   grade_utility       = "us.anthropic.claude-haiku-5-5"
#   rewrite_question    = "us.anthropic.claude-haiku-5-5"
# }

# Which model judges what: thrifty, balanced or strict.
# profile = "balanced"

# What Amazon Textract reads of pages that show pictures and hold no text: their lines.
# text_recognition = "lines"

# A decision model that judges before Claude: docs/evaluation.md.
# decider = { url = "https://api.typesafe.ai", model = "jev-latest", secret = true, window_tokens = 32000, price = 0.042 }

# A guardrail of Amazon Bedrock that checks every question and every answer.
# guardrail = { id = "abcdefghijkl", version = "1" }

auth = "api_key"

# Whether questions whose policy says so may be searched on the web. Their search queries then go to Tavily.
# web_search = true

# API Gateway writes the logs of all APIs of the account and region by one role. Set this only if
# `aws apigateway get-account` shows no cloudwatchRoleArn: other APIs log by it.
# manage_api_gateway_account = true

# What `aws lambda get-account-settings` shows as ConcurrentExecutions: more questions than that carries are refused.
# account_concurrency = 1000

# Whether POST /v1/ask streams a question's passes to clients that take server-sent events.
# stream_events = true

# Whether agents find the tools of the Model Context Protocol at POST /mcp.
# agents = true

# Where the spans of answers are sent, by OTLP over HTTP, and whether the collector needs headers, such as a key.
# otlp_endpoint = "https://otlp.example.com"
# otlp_secret   = true
# Langfuse, which gets the verdicts as scores.
# langfuse_host = "https://cloud.langfuse.com"

# Who is told when an alarm goes off.
# alarm_email = "team@example.com"

# The most important alarms and no dashboard, for at most a dollar a month.
# observability = "small"
