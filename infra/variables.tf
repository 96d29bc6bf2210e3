# The deployment

variable "name" {
  description = "The deployment's name: every resource's name starts with it, and the metrics' namespace is this. In an account each region needs another one, for roles belong to no region."
  type        = string
  default     = "selfrag"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,20}$", var.name))
    error_message = "name must be 3 to 21 characters: lower case letters, digits and hyphens, the first one a letter."
  }
}

variable "region" {
  description = "The AWS region; null takes it from the environment or the profile."
  type        = string
  default     = null
}

variable "max_retries" {
  description = "How often a call to AWS is tried again while terraform runs."
  type        = number
  default     = 25

  validation {
    condition     = var.max_retries >= 1 && floor(var.max_retries) == var.max_retries
    error_message = "max_retries must be a whole number of at least 1."
  }
}

variable "tags" {
  description = "Tags for every resource, besides application = name."
  type        = map(string)
  default     = {}
}

variable "kms_key_arn" {
  description = "A KMS key of yours for tables, documents, secrets, logs, alarms, queues, the functions' variables, the histories of the state machines and the collection; null takes keys that AWS manages. Its policy must let logs.REGION.amazonaws.com, cloudwatch.amazonaws.com and events.amazonaws.com use it."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/", var.kms_key_arn))
    error_message = "kms_key_arn must be the ARN of a key (not of an alias)."
  }
}

variable "log_retention_days" {
  description = "How long logs are kept."
  type        = number
  default     = 30

  validation {
    condition = contains(
      [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
      var.log_retention_days
    )
    error_message = "log_retention_days must be a number of days that CloudWatch Logs knows, such as 7, 30, 90 or 365."
  }
}

variable "tracing" {
  description = "Whether X-Ray traces the API, the workflow and the functions."
  type        = bool
  default     = true
}

# The functions

variable "package_directory" {
  description = "Where `make package` put the zips of the two layers and one for each function."
  type        = string
  default     = "../build"
}

variable "architecture" {
  description = "The processor that the functions run on; the packages must be built for it, by `make package ARCHITECTURE=...`."
  type        = string
  default     = "arm64"

  validation {
    condition     = contains(["arm64", "x86_64"], var.architecture)
    error_message = "architecture must be arm64 or x86_64."
  }

  validation {
    condition     = try(trimspace(file("${var.package_directory}/architecture")), var.architecture) == var.architecture
    error_message = "The packages are built for another processor than architecture says: run `make package ARCHITECTURE=${var.architecture}`."
  }
}

variable "memory" {
  description = "Memory in MB by function, for those that should differ from the default."
  type        = map(number)
  default     = {}

  validation {
    condition     = alltrue([for step in keys(var.memory) : contains(keys(local.steps), step)])
    error_message = "memory names a function that does not exist."
  }

  validation {
    condition     = alltrue([for mb in values(var.memory) : mb >= 128 && mb <= 10240 && floor(mb) == mb])
    error_message = "memory must be whole numbers from 128 to 10240."
  }
}

variable "snap_start" {
  description = "Whether the functions of a question start from a snapshot that Lambda takes when a version is published: about 58 dollars a month for each release that is kept, and not tried on AWS."
  type        = bool
  default     = false
}

variable "reserved_concurrency" {
  description = "The most copies that run at once, by function; -1, the default, reserves none. A reservation is taken from the account's limit."
  type        = map(number)
  default     = {}

  validation {
    condition     = alltrue([for step in keys(var.reserved_concurrency) : contains(keys(local.steps), step)])
    error_message = "reserved_concurrency names a function that does not exist."
  }

  validation {
    condition     = alltrue([for copies in values(var.reserved_concurrency) : copies >= -1 && floor(copies) == copies])
    error_message = "reserved_concurrency must be whole numbers, -1 or more."
  }
}

variable "account_concurrency" {
  description = "How many functions the account may run at once in the region (`aws lambda get-account-settings`, ConcurrentExecutions). With it, more questions than that carries are refused at the door (429), and `ask` is given a sixth of it if it is 120 or more; null leaves it to api_throttle alone."
  type        = number
  default     = null

  validation {
    condition     = var.account_concurrency == null || try(var.account_concurrency >= 10 && floor(var.account_concurrency) == var.account_concurrency, false)
    error_message = "account_concurrency must be a whole number of at least 10."
  }
}

variable "log_level" {
  description = "What the functions log: INFO or DEBUG. Not less than INFO: metrics and saved queries are read from lines of that level."
  type        = string
  default     = "INFO"

  validation {
    condition     = contains(["DEBUG", "INFO"], var.log_level)
    error_message = "log_level must be INFO or DEBUG."
  }
}

variable "environment" {
  description = "Further environment variables for every function, for instance those of a proxy. No secrets: they would stand in the state."
  type        = map(string)
  default     = {}
}

# The model

variable "model_provider" {
  description = "Who serves Claude: anthropic (with an API key) or bedrock (with the functions' own roles, no key)."
  type        = string
  default     = "anthropic"

  validation {
    condition     = contains(["anthropic", "bedrock"], var.model_provider)
    error_message = "model_provider must be anthropic or bedrock."
  }
}

variable "profile" {
  description = "Which model judges what: thrifty (the small model does all), balanced (the small one judges support first, the stronger one in doubt) or strict (the stronger one judges support and use). docs/costs.md has the prices."
  type        = string
  default     = "balanced"

  validation {
    condition     = contains(["thrifty", "balanced", "strict"], var.profile)
    error_message = "profile must be thrifty, balanced or strict."
  }
}

variable "models" {
  description = "Model ids by step, for those that should differ from the profile's; grade_support_first is the one that judges support before grade_support's own. Bedrock needs one for each step that asks the model, such as us.anthropic.claude-..., and for grade_support_first where the profile is balanced."
  type        = map(string)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.models), concat(local.model_steps, local.first_models))) == 0
    error_message = "models may name only the steps that ask the model: ${join(", ", concat(local.model_steps, local.first_models))}."
  }

  validation {
    condition = var.model_provider != "bedrock" || alltrue([
      for step in local.needed_models : can(regex("^([a-z-]+\\.)?anthropic\\.", lookup(var.models, step, "")))
    ])
    error_message = "With model_provider = \"bedrock\" and profile = \"${var.profile}\", models must give a Bedrock id of a Claude model for each of: ${join(", ", local.needed_models)}."
  }
}

variable "model_base_url" {
  description = "Another address for the Messages API, such as a gateway; null is Anthropic's own."
  type        = string
  default     = null

  validation {
    condition     = var.model_base_url == null || can(regex("^https?://", var.model_base_url))
    error_message = "model_base_url must be a URL."
  }
}

variable "prices" {
  description = "US dollars per million tokens by model id, as [input, output, cache read], added to the code's table or replacing its entries."
  type        = map(tuple([number, number, number]))
  default     = {}

  validation {
    condition     = alltrue(flatten([for prices in values(var.prices) : [for price in prices : price >= 0]]))
    error_message = "prices cannot be negative."
  }
}

variable "verdict_ttl_days" {
  description = "How long a verdict is remembered."
  type        = number
  default     = 30

  validation {
    condition     = var.verdict_ttl_days >= 1 && floor(var.verdict_ttl_days) == var.verdict_ttl_days
    error_message = "verdict_ttl_days must be a whole number of at least 1."
  }
}

# Documents and search

variable "collections" {
  description = "The collections that may be asked."
  type        = list(string)
  default     = ["documents"]

  validation {
    condition     = length(var.collections) > 0 && length(distinct(var.collections)) == length(var.collections)
    error_message = "collections must name at least one collection, and none twice."
  }
}

variable "key_collections" {
  description = "Which collections an API key (by its id) or an IAM role or user (by its ARN) may ask. Once it names anyone, those that it does not name may ask `default_collections`. The output bind_command binds further callers without a deployment, any number of them."
  type        = map(list(string))
  default     = {}

  validation {
    condition     = alltrue([for names in values(var.key_collections) : length(names) > 0])
    error_message = "key_collections must name at least one collection for each caller."
  }
}

variable "default_collections" {
  description = "Which collections a caller may ask that is bound to none. Null means all of `collections` as long as `key_collections` names nobody, and then none. Set it to [] before you bind callers by the output bind_command alone."
  type        = list(string)
  default     = null

  validation {
    condition     = length(setsubtract(var.default_collections == null ? [] : var.default_collections, var.collections)) == 0
    error_message = "default_collections must be among collections."
  }
}

variable "collection_endpoint" {
  description = "The endpoint of an OpenSearch Serverless collection that exists already; null makes one."
  type        = string
  default     = null

  validation {
    condition     = var.collection_endpoint == null || can(regex("^https?://[^/]+/?$", var.collection_endpoint))
    error_message = "collection_endpoint must be a URL without a path."
  }
}

variable "collection_public" {
  description = "Whether the collection can be reached from the internet (every request is still signed and authorised). Chosen explicitly, or else collection_vpc_endpoint_ids."
  type        = bool
  default     = false

  validation {
    condition     = var.collection_endpoint != null || var.collection_public != (length(var.collection_vpc_endpoint_ids) > 0)
    error_message = "Choose how the collection is reached: either collection_vpc_endpoint_ids = [\"vpce-...\"] (private), or collection_public = true; not both."
  }
}

variable "collection_vpc_endpoint_ids" {
  description = "The OpenSearch Serverless VPC endpoints through which alone the collection can be reached."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for id in var.collection_vpc_endpoint_ids : startswith(id, "vpce-")])
    error_message = "collection_vpc_endpoint_ids must be ids that start with vpce-."
  }
}

variable "subnet_ids" {
  description = "The subnets that retrieve, index_passages and remove_passages run in, needed for a private collection. They must reach Bedrock, DynamoDB and S3, by endpoints or a NAT gateway."
  type        = list(string)
  default     = []

  validation {
    condition     = length(var.collection_vpc_endpoint_ids) == 0 || length(var.subnet_ids) > 0
    error_message = "A private collection needs subnet_ids: what reaches it has to run in the network of the VPC endpoints."
  }
}

variable "security_group_ids" {
  description = "The security groups of those functions in the subnets; they must let HTTPS out."
  type        = list(string)
  default     = []

  validation {
    condition     = (length(var.subnet_ids) > 0) == (length(var.security_group_ids) > 0)
    error_message = "subnet_ids and security_group_ids belong together."
  }
}

variable "standby_replicas" {
  description = "Whether the collection has replicas in a second zone; without them it costs half as much and rides out less."
  type        = bool
  default     = true
}

variable "index_writers" {
  description = "ARNs of further roles or users that may create the index and write to it, beside the ingestion."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for arn in var.index_writers : can(regex("^arn:[a-z-]+:(iam|sts)::[0-9]{12}:", arn))])
    error_message = "index_writers must be ARNs of IAM roles or users."
  }
}

variable "index" {
  description = "The index that documents are written to, and the dimensions of its vectors. An index keeps its dimensions, and its name serves once: docs/deploy.md says how to change them."
  type = object({
    name              = optional(string, "passages")
    vector_dimensions = optional(number, 512)
  })
  default = {}

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9_-]{0,31}$", var.index.name))
    error_message = "index must have a name of 1 to 32 lower case letters, digits, hyphens or underscores, the first one a letter or a digit."
  }

  validation {
    condition     = contains([256, 512, 1024], var.index.vector_dimensions)
    error_message = "index must have vector_dimensions that the embedding model offers: 256, 512 or 1024."
  }
}

variable "search_index" {
  description = "The index that is searched while another one is being filled, with its own dimensions; null is the one that is written to."
  type = object({
    name              = optional(string, "passages")
    vector_dimensions = optional(number, 512)
  })
  default = null

  validation {
    condition     = try(var.search_index.name != var.index.name || var.search_index.vector_dimensions == var.index.vector_dimensions, true)
    error_message = "search_index and index have the same name and different vector_dimensions: give the new index a new name."
  }

  validation {
    condition     = try(can(regex("^[a-z0-9][a-z0-9_-]{0,31}$", var.search_index.name)) && contains([256, 512, 1024], var.search_index.vector_dimensions), true)
    error_message = "search_index must have a name and vector_dimensions as index has."
  }
}

variable "embedding_region" {
  description = "The region whose Bedrock embeds texts, where the deployment's own has no Titan Text Embeddings V2; null is the deployment's own. Texts of documents and questions go there."
  type        = string
  default     = null

  validation {
    condition     = var.embedding_region == null || can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]$", var.embedding_region))
    error_message = "embedding_region must be the name of a region, such as us-east-1."
  }
}

variable "reindex_concurrency" {
  description = "How many documents a reindexing works on at once. All share the embedding model's quota with the questions, and one makes up to 2 calls at a time: about 500 a minute with the default, where the quota is not less."
  type        = number
  default     = 2

  validation {
    condition     = var.reindex_concurrency >= 1 && var.reindex_concurrency <= 1000 && floor(var.reindex_concurrency) == var.reindex_concurrency
    error_message = "reindex_concurrency must be a whole number from 1 to 1000."
  }
}

variable "evaluation_concurrency" {
  description = "How many questions an evaluation in the account asks at once (`selfrag eval --machine`); a question runs up to ten functions at a time. null takes a 20th of account_concurrency, so that half of it is left to others, and 4 where that is null."
  type        = number
  default     = null

  validation {
    condition     = var.evaluation_concurrency == null || try(var.evaluation_concurrency >= 1 && var.evaluation_concurrency <= 1000 && floor(var.evaluation_concurrency) == var.evaluation_concurrency, false)
    error_message = "evaluation_concurrency must be a whole number from 1 to 1000."
  }
}

variable "ingest_on_upload" {
  description = "Whether an object that comes, changes or goes is ingested at once. Off, it waits for a reindexing, and what goes in the meantime stays in the index."
  type        = bool
  default     = true
}

variable "pipeline" {
  description = "What passages depend on beside a document's content and the index, as any word. Change it, and a document is indexed anew when its object is next touched, or by a reindexing."
  type        = string
  default     = "1"

  validation {
    condition     = can(regex("^[A-Za-z0-9._-]{1,40}$", var.pipeline))
    error_message = "pipeline must be 1 to 40 letters, digits, dots, hyphens or underscores."
  }
}

variable "text_recognition" {
  description = "Whether Amazon Textract reads pages of PDFs that show pictures and hold no text: about 1.50 dollars for 1,000 such pages. The region must have Textract; not tried on AWS (doctor: textract)."
  type        = bool
  default     = false
}

variable "text_recognition_pages" {
  description = "How many pages of one document are recognised at the most; the others are left out, with a warning."
  type        = number
  default     = 500

  validation {
    condition     = var.text_recognition_pages >= 1 && var.text_recognition_pages <= 3000 && floor(var.text_recognition_pages) == var.text_recognition_pages
    error_message = "text_recognition_pages must be a whole number from 1 to 3000, which is what Textract takes at once."
  }
}

variable "documents_force_destroy" {
  description = "Whether `terraform destroy` may delete the bucket with the documents in it."
  type        = bool
  default     = false
}

variable "upload_origins" {
  description = "Further origins, such as https://app.example.com, from whose pages browsers may upload documents with the forms that the API gives, besides the API's own page and cors_origins. Its own page at a domain of yours is one."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for origin in var.upload_origins : can(regex("^https?://[^/*\\s]+$", origin))])
    error_message = "upload_origins must be origins, such as https://app.example.com, without a path or an asterisk."
  }
}

variable "old_versions_days" {
  description = "How long a replaced or deleted document can be brought back."
  type        = number
  default     = 30

  validation {
    condition     = var.old_versions_days >= 1 && floor(var.old_versions_days) == var.old_versions_days
    error_message = "old_versions_days must be a whole number of at least 1."
  }
}

variable "deletion_protection" {
  description = "Whether the tables refuse to be deleted."
  type        = bool
  default     = false
}

variable "secret_recovery_days" {
  description = "How long a deleted secret can be brought back: 7 to 30 days, or 0 for not at all."
  type        = number
  default     = 7

  validation {
    condition     = var.secret_recovery_days == 0 || (var.secret_recovery_days >= 7 && var.secret_recovery_days <= 30)
    error_message = "secret_recovery_days must be 0, or 7 to 30."
  }
}

# The web search

variable "web_search" {
  description = "Whether a question may be searched on the web, by Tavily, when the documents have no answer."
  type        = bool
  default     = true
}

variable "web_include_domains" {
  description = "The only domains that the web search may use; empty means all."
  type        = list(string)
  default     = []
}

variable "web_exclude_domains" {
  description = "Domains that the web search never uses."
  type        = list(string)
  default     = []
}

variable "web_base_url" {
  description = "Another address for the web search; null is Tavily's own."
  type        = string
  default     = null

  validation {
    condition     = var.web_base_url == null || can(regex("^https?://", var.web_base_url))
    error_message = "web_base_url must be a URL."
  }
}

# The API

variable "auth" {
  description = "Who may ask: api_key (holders of a key, limited by a usage plan) or iam (AWS principals that may call execute-api:Invoke)."
  type        = string
  default     = "api_key"

  validation {
    condition     = contains(["api_key", "iam"], var.auth)
    error_message = "auth must be api_key or iam."
  }
}

variable "api_throttle" {
  description = "Requests a second, and how many at once, over all callers."
  type        = object({ rate = number, burst = number })
  default     = { rate = 50, burst = 100 }

  validation {
    condition     = var.api_throttle.rate > 0 && var.api_throttle.burst > 0
    error_message = "api_throttle must have a rate and a burst above 0."
  }
}

variable "key_throttle" {
  description = "Requests a second, and how many at once, for one API key."
  type        = object({ rate = number, burst = number })
  default     = { rate = 5, burst = 10 }

  validation {
    condition     = var.key_throttle.rate > 0 && var.key_throttle.burst > 0
    error_message = "key_throttle must have a rate and a burst above 0."
  }
}

variable "key_quota_per_day" {
  description = "Requests a day for one API key, each look at a question that is not finished among them."
  type        = number
  default     = 5000

  validation {
    condition     = var.key_quota_per_day > 0
    error_message = "key_quota_per_day must be above 0."
  }
}

variable "cors_origins" {
  description = "The origins, such as https://app.example.com, whose pages may call the API from a browser, each with a key that its visitor has, and upload by its forms; [\"*\"] lets every page. Its own page needs none."
  type        = list(string)
  default     = []

  validation {
    condition = (
      alltrue([for origin in var.cors_origins : can(regex("^https://[^/*,\\s]+$", origin))]) ||
      (length(var.cors_origins) == 1 && contains(var.cors_origins, "*"))
    )
    error_message = "cors_origins must be origins with https, such as https://app.example.com, without a path or an asterisk; or [\"*\"] alone."
  }
}

variable "web_acl_arn" {
  description = "A WAF web ACL (regional) to put before the API; null for none."
  type        = string
  default     = null

  validation {
    condition     = var.web_acl_arn == null || can(regex("^arn:[a-z-]+:wafv2:[a-z0-9-]+:[0-9]{12}:regional/webacl/", var.web_acl_arn))
    error_message = "web_acl_arn must be the ARN of a regional web ACL."
  }
}

variable "manage_api_gateway_account" {
  description = "Whether to set the role by which API Gateway writes logs. It is one for all APIs of the account and region: true only where `aws apigateway get-account` shows no cloudwatchRoleArn. Without any, the stage cannot be made."
  type        = bool
  default     = false
}

# The fine-tuned model: docs/generator.md

variable "selfrag_hosting" {
  description = "Whether to host the fine-tuned model on an endpoint of SageMaker, by the hour: about 1,110 dollars a month with the default instance, whether anybody asks or not."
  type        = bool
  default     = false

  validation {
    condition     = length([for given in [var.selfrag_hosting ? "here" : null, var.selfrag_endpoint_name, var.selfrag_generator_url] : given if given != null]) <= 1
    error_message = "Choose one: selfrag_hosting = true, selfrag_endpoint_name or selfrag_generator_url."
  }

  validation {
    condition     = !var.selfrag_hosting || var.selfrag_image != null
    error_message = "selfrag_hosting needs selfrag_image, the container that serves the model."
  }
}

variable "selfrag_endpoint_name" {
  description = "An endpoint of SageMaker in this account and region that serves the fine-tuned model by vLLM; null has none."
  type        = string
  default     = null

  validation {
    condition     = var.selfrag_endpoint_name == null || can(regex("^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$", var.selfrag_endpoint_name))
    error_message = "selfrag_endpoint_name must be the name of an endpoint (not its ARN)."
  }
}

variable "selfrag_component_name" {
  description = "The inference component of that endpoint, if it has components."
  type        = string
  default     = null

  validation {
    condition     = var.selfrag_component_name == null || can(regex("^[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$", var.selfrag_component_name))
    error_message = "selfrag_component_name must be the name of an inference component (not its ARN)."
  }

  validation {
    condition     = var.selfrag_component_name == null || var.selfrag_endpoint_name != null
    error_message = "selfrag_component_name belongs to selfrag_endpoint_name."
  }
}

variable "selfrag_generator_url" {
  description = "A vLLM server of yours that serves the fine-tuned model and that the functions can reach, without /v1; null has none."
  type        = string
  default     = null

  validation {
    condition     = var.selfrag_generator_url == null || can(regex("^https?://[^/]", var.selfrag_generator_url))
    error_message = "selfrag_generator_url must be a URL."
  }
}

variable "selfrag_generator_secret" {
  description = "Whether that server asks for a key (vLLM's --api-key); the output secret_commands says how to set it."
  type        = bool
  default     = false

  validation {
    condition     = !var.selfrag_generator_secret || var.selfrag_generator_url != null
    error_message = "selfrag_generator_secret belongs to selfrag_generator_url."
  }
}

variable "selfrag_model" {
  description = "The name that the server serves the model under; null is selfrag/selfrag_llama2_7b for a server by its URL, and the one model that an endpoint has."
  type        = string
  default     = null
}

variable "selfrag_model_data" {
  description = "The weights of a hosted model: s3://BUCKET/PREFIX/, or a name at Hugging Face, from where the container fetches them whenever it starts."
  type        = string
  default     = "selfrag/selfrag_llama2_7b"

  validation {
    condition     = can(regex("^(s3://[a-z0-9][a-z0-9.-]+/(.+/)?|[^/:]+/[^/:]+)$", var.selfrag_model_data))
    error_message = "selfrag_model_data must be s3://BUCKET/PREFIX/, with a slash at the end, or the name of a model at Hugging Face."
  }
}

variable "selfrag_image" {
  description = "The container that serves a hosted model: AWS's container for large models (LMI) with a vLLM that knows logprob_token_ids, by its address in ECR."
  type        = string
  default     = null

  validation {
    condition     = var.selfrag_image == null || can(regex("^[0-9]{12}\\.dkr\\.ecr\\.[a-z0-9-]+\\.amazonaws\\.com(\\.cn)?/[^:@]+[:@].+$", var.selfrag_image))
    error_message = "selfrag_image must be the address of an image in ECR, with its tag or digest."
  }
}

variable "selfrag_instance_type" {
  description = "The instance of a hosted model: one with a GPU of 24 GB for the model of 7 billion parameters."
  type        = string
  default     = "ml.g5.2xlarge"

  validation {
    condition     = can(regex("^ml\\.[a-z0-9]+\\.[a-z0-9]+$", var.selfrag_instance_type))
    error_message = "selfrag_instance_type must be an instance type of SageMaker, such as ml.g5.2xlarge."
  }
}

variable "selfrag_budget" {
  description = "Dollars a month for SageMaker in this account; a hosted model that costs more, or will by AWS's forecast, is told to the alarms' topic."
  type        = number
  default     = 1200

  validation {
    condition     = var.selfrag_budget > 0
    error_message = "selfrag_budget must be above 0."
  }
}

# Watching it

variable "alarm_email" {
  description = "Where alarms are sent; the address has to confirm. Null sends none: subscribe to the topic yourself."
  type        = string
  default     = null

  validation {
    condition     = var.alarm_email == null || can(regex("^[^@ ]+@[^@ ]+$", var.alarm_email))
    error_message = "alarm_email must be an e-mail address."
  }
}

variable "thresholds" {
  description = "What is too much: p99 of either machine and of a step in ms (questions for later may have longer deadlines), and failures, errors of a function, throttles, API 5xx, cache failures and failed documents in five minutes, p99 of a hosted model in ms, and more capacity units (OCUs) than these for search or for indexing."
  type = object({
    express_p99_ms   = optional(number, 25500)
    standard_p99_ms  = optional(number, 120000)
    step_p99_ms      = optional(number, 15000)
    failures         = optional(number, 3)
    errors           = optional(number, 5)
    throttles        = optional(number, 5)
    api_5xx          = optional(number, 3)
    cache_failures   = optional(number, 10)
    documents_failed = optional(number, 1)
    ocus             = optional(number, 4)
    endpoint_p99_ms  = optional(number, 20000)
  })
  default = {}

  validation {
    condition     = alltrue([for threshold in values(var.thresholds) : threshold > 0])
    error_message = "thresholds must be above 0."
  }
}

variable "saved_queries" {
  description = "Whether to save Logs Insights queries and an X-Ray group."
  type        = bool
  default     = true
}
