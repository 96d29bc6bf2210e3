# The deployment

variable "name" {
  description = "The deployment's name: the prefix of every resource's name, and the metrics' namespace. Must be unique per region in an account: IAM role names are global."
  type        = string
  default     = "selfrag"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,20}$", var.name))
    error_message = "name must be 3 to 21 characters: lower case letters, digits and hyphens, the first one a letter."
  }
}

variable "kms_key_arn" {
  description = "A KMS key of yours for tables, documents, secrets, logs, alarms, queues, the functions' variables, the histories of the state machines and the collection; null takes keys that AWS manages. Its policy must let several services use it: docs/permissions.md has it as JSON."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/", var.kms_key_arn))
    error_message = "kms_key_arn must be the ARN of a key (not of an alias)."
  }
}

variable "log_retention_days" {
  description = "Retention of logs, in days."
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
  description = "Turns on X-Ray traces of the API, the workflow and the functions."
  type        = bool
  default     = true
}

# The functions

variable "package_directory" {
  description = "The folder with the zips of `make package`: the layers, and one for each function."
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

variable "code_signing_config_arn" {
  description = "A code signing configuration of yours for all functions. The zips of `make package` must then be signed and in package_directory; null signs none."
  type        = string
  default     = null

  validation {
    condition     = var.code_signing_config_arn == null || can(regex("^arn:[a-z-]+:lambda:[a-z0-9-]+:[0-9]{12}:code-signing-config:", var.code_signing_config_arn))
    error_message = "code_signing_config_arn must be the ARN of a code signing configuration."
  }
}

variable "memory" {
  description = "Memory in MB by function, to override the defaults."
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

variable "keep_warm" {
  description = "Invokes the functions of a question by a schedule, so that one copy of each stays."
  type        = bool
  default     = false
}

variable "keep_warm_schedule" {
  description = "When keep_warm invokes them: a rate(...) or cron(...) of EventBridge Scheduler, and its timezone. Lambda stops a copy that is idle for some minutes."
  type = object({
    expression = optional(string, "rate(4 minutes)")
    timezone   = optional(string, "UTC")
  })
  default = {}

  validation {
    condition     = can(regex("^(rate|cron)\\(.+\\)$", var.keep_warm_schedule.expression))
    error_message = "keep_warm_schedule.expression must be a rate(...) or a cron(...)."
  }
}

variable "snap_start" {
  description = "Starts the functions of a question from a snapshot that Lambda takes when a version is published: about 67 dollars a month for each release that is kept, and not tried on AWS."
  type        = bool
  default     = false
}

variable "reserved_concurrency" {
  description = "Reserved concurrency by function; -1, the default, reserves none. A reservation is taken from the account's limit."
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

  validation {
    condition = var.account_concurrency == null || alltrue([
      for taken in [sum([for copies in values(merge({ ask = local.ask_share }, var.reserved_concurrency)) : max(copies, 0)])] :
      taken == 0 || try(taken + 100 <= var.account_concurrency, false)
    ])
    error_message = "The reservations, a share for ask included, leave fewer than 100 of account_concurrency, which AWS keeps for functions without one: lower reserved_concurrency, or ask for a higher limit."
  }
}

variable "account_concurrency" {
  description = "The account's limit of concurrent executions in the region (`aws lambda get-account-settings`, ConcurrentExecutions). With it, the API throttles questions (429) to fit the limit, and reserves a sixth of it for `ask` if it is 120 or more; null leaves throttling to api_throttle."
  type        = number
  default     = null

  validation {
    condition     = var.account_concurrency == null || try(var.account_concurrency >= 10 && floor(var.account_concurrency) == var.account_concurrency, false)
    error_message = "account_concurrency must be a whole number of at least 10."
  }
}

variable "log_level" {
  description = "The log level of the functions: INFO or DEBUG. Metrics and saved queries read INFO lines, so a higher level is refused."
  type        = string
  default     = "INFO"

  validation {
    condition     = contains(["DEBUG", "INFO"], var.log_level)
    error_message = "log_level must be INFO or DEBUG."
  }
}

variable "environment" {
  description = "Further environment variables for every function, for instance those of a proxy. No secrets: they would be stored in the state."
  type        = map(string)
  default     = {}
}

# The model

variable "model_provider" {
  description = "The provider of the models: anthropic (with an API key) or bedrock (with the functions' own roles, no key)."
  type        = string
  default     = "anthropic"

  validation {
    condition     = contains(["anthropic", "bedrock"], var.model_provider)
    error_message = "model_provider must be anthropic or bedrock."
  }
}

variable "profile" {
  description = "The models by step: thrifty (the small model does all), balanced (the small one judges support first, the stronger one in doubt) or strict (the stronger one judges support and use). docs/costs.md has the prices."
  type        = string
  default     = "balanced"

  validation {
    condition     = contains(["thrifty", "balanced", "strict"], var.profile)
    error_message = "profile must be thrifty, balanced or strict."
  }
}

variable "models" {
  description = "Model ids by step, to override the profile's; grade_support_first judges support before grade_support's own. Bedrock needs an id, such as us.anthropic.claude-... or amazon.nova-..., for each step that asks the model, and for grade_support_first if the profile is balanced."
  type        = map(string)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.models), concat(local.model_steps, local.first_models))) == 0
    error_message = "models may name only the steps that ask the model: ${join(", ", concat(local.model_steps, local.first_models))}."
  }

  validation {
    condition = var.model_provider != "bedrock" || alltrue([
      for step in local.needed_models : can(regex("^([a-z-]+\\.)?[a-z0-9]+\\.[a-zA-Z0-9]", lookup(var.models, step, "")))
    ])
    error_message = "With model_provider = \"bedrock\" and profile = \"${var.profile}\", models must give a Bedrock id, with its vendor's name, for each of: ${join(", ", local.needed_models)}."
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

variable "max_cost_usd" {
  description = "The most US dollars that the models may cost for a question whose policy names no max_cost_usd; null is no limit. It counts models that have a price."
  type        = number
  default     = null

  validation {
    condition     = var.max_cost_usd == null ? true : var.max_cost_usd > 0 && var.max_cost_usd <= 100
    error_message = "max_cost_usd must be more than 0 and at most 100."
  }
}

variable "daily_max_usd" {
  description = "The most US dollars that the models may cost for all questions of a day (UTC); null is no limit. Each question reserves its max_cost_usd of it, so max_cost_usd is needed."
  type        = number
  default     = null

  validation {
    condition     = var.daily_max_usd == null ? true : var.max_cost_usd == null ? false : var.daily_max_usd >= var.max_cost_usd
    error_message = "daily_max_usd needs max_cost_usd, which each question reserves, and must be at least as much."
  }
}

variable "budget" {
  description = "A monthly budget in US dollars for AWS's charges under the tag `application`, and the addresses that AWS notifies at 80% and when it forecasts an excess; null creates none."
  type = object({
    monthly_usd = number
    emails      = list(string)
  })
  default = null

  validation {
    condition     = var.budget == null ? true : var.budget.monthly_usd > 0 && length(var.budget.emails) > 0
    error_message = "budget must have monthly_usd of more than 0 and at least one address in emails."
  }
}

variable "verdict_ttl_days" {
  description = "Time to live of a cached verdict, in days."
  type        = number
  default     = 30

  validation {
    condition     = var.verdict_ttl_days >= 1 && floor(var.verdict_ttl_days) == var.verdict_ttl_days
    error_message = "verdict_ttl_days must be a whole number of at least 1."
  }
}

# Documents and search

variable "collections" {
  description = "The collections that questions may search: an item each of the table of callers. Beyond some hundreds, add them with the output collection_command, without a deployment: Terraform takes its time for each item."
  type        = list(string)
  default     = ["documents"]

  validation {
    condition     = length(var.collections) > 0 && length(distinct(var.collections)) == length(var.collections)
    error_message = "collections must name at least one collection, and none twice."
  }
}

variable "default_collections" {
  description = "The collections that the deployment's own key means where it names none. Null means all of `collections` if their names take at most 16 KB together, and else none: such a request has to name some."
  type        = list(string)
  default     = null

  validation {
    condition     = var.default_collections == null ? true : length(setsubtract(var.default_collections, var.collections)) == 0
    error_message = "default_collections must be among collections."
  }

  validation {
    condition     = length(jsonencode(var.default_collections)) <= 16384
    error_message = "default_collections must take at most 16 KB as JSON: a question searches only so many collections at once."
  }
}

variable "callers" {
  description = "Callers with their collections and actions: API keys (by id) and IAM roles or users (by ARN). `ask` is to ask questions, `upload` to upload, replace and delete documents; without actions a caller may only ask. A caller that is not bound may do nothing. With `all_collections` a caller may name any collection that the table lists, and `collections` are those that a request means which names none. The deployment's own key, `default`, has both actions in all collections, unless it is named here. The output bind_command binds any number of further callers without a deployment."
  type = map(object({
    collections     = optional(list(string), [])
    all_collections = optional(bool, false)
    actions         = optional(list(string), ["ask"])
  }))
  default = {}

  validation {
    condition     = alltrue([for binding in values(var.callers) : length(binding.collections) > 0 || binding.all_collections])
    error_message = "callers must name at least one collection for each caller, or set all_collections."
  }

  validation {
    # An item has 400 KB. Base64 takes four letters for three bytes.
    condition     = alltrue([for binding in values(var.callers) : length(base64encode(join("", binding.collections))) <= 480000])
    error_message = "callers may name collections of at most 360 KB for each caller: set all_collections for one that may ask all."
  }

  validation {
    condition = alltrue([
      for binding in values(var.callers) : length(binding.actions) > 0 && length(setsubtract(binding.actions, ["ask", "upload"])) == 0
    ])
    error_message = "callers must have actions among ask and upload, at least one for each caller."
  }
}

variable "collection_endpoint" {
  description = "The endpoint of an existing OpenSearch Serverless collection; null creates one."
  type        = string
  default     = null

  validation {
    condition     = var.collection_endpoint == null || can(regex("^https?://[^/]+/?$", var.collection_endpoint))
    error_message = "collection_endpoint must be a URL without a path."
  }
}

variable "collection_public" {
  description = "Makes the collection reachable from the internet (every request is still signed and authorised). Set either this or collection_vpc_endpoint_ids."
  type        = bool
  default     = false

  validation {
    condition     = var.collection_endpoint != null || var.collection_public != (length(var.collection_vpc_endpoint_ids) > 0)
    error_message = "Choose how the collection is reached: either collection_vpc_endpoint_ids = [\"vpce-...\"] (private), or collection_public = true (signed requests from the internet); not both."
  }
}

variable "collection_vpc_endpoint_ids" {
  description = "The OpenSearch Serverless VPC endpoints of a private collection, its only way in."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for id in var.collection_vpc_endpoint_ids : startswith(id, "vpce-")])
    error_message = "collection_vpc_endpoint_ids must be ids that start with vpce-."
  }
}

variable "subnet_ids" {
  description = "The subnets of the functions that `network` names, needed for a private collection. docs/deploy.md lists the endpoints that they must reach."
  type        = list(string)
  default     = []

  validation {
    condition     = length(var.collection_vpc_endpoint_ids) == 0 || length(var.subnet_ids) > 0
    error_message = "A private collection needs subnet_ids: its functions have to run in the network of the VPC endpoints."
  }
}

variable "network" {
  description = "The functions that run in subnet_ids: collection (retrieve, index_passages and remove_passages) or all."
  type        = string
  default     = "collection"

  validation {
    condition     = contains(["collection", "all"], var.network)
    error_message = "network must be collection or all."
  }

  validation {
    condition     = var.network != "all" || length(var.subnet_ids) > 0
    error_message = "network = \"all\" needs subnet_ids."
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

variable "collection" {
  description = "The generation of the collection: nextgen, which scales to zero after ten idle minutes and then takes 10 to 30 seconds for the first search, or classic, which always runs. A deployment that has a classic one keeps it with collection = \"classic\"; a change replaces the collection: see collection_generation."
  type        = string
  default     = "nextgen"

  validation {
    condition     = contains(["nextgen", "classic"], var.collection)
    error_message = "collection must be nextgen or classic."
  }
}

variable "collection_max_ocus" {
  description = "The most capacity units (OCUs) that a NextGen collection uses for search, and the same for indexing: 2, 4, 8, 16 or a multiple of 16. A classic one has the account's limit."
  type        = number
  default     = 4

  validation {
    condition     = contains([2, 4, 8], var.collection_max_ocus) || (var.collection_max_ocus >= 16 && var.collection_max_ocus <= 1696 && var.collection_max_ocus % 16 == 0)
    error_message = "collection_max_ocus must be 2, 4, 8, 16 or a multiple of 16, up to 1696."
  }
}

variable "keep_awake" {
  description = "When a NextGen collection is kept awake: a cron(...) or rate(...) of EventBridge Scheduler that searches at least every ten minutes, and its timezone; {} is weekdays from 7 to 19. Two OCUs of search then cost about 0.48 dollars an hour, 125 a month for {}. null lets it sleep."
  type = object({
    expression = optional(string, "cron(0/5 7-18 ? * MON-FRI *)")
    timezone   = optional(string, "UTC")
  })
  default = null

  validation {
    condition     = var.keep_awake == null ? true : can(regex("^(rate\\((1 minute|([2-9]|10) minutes)\\)|cron\\(\\S+( \\S+){5}\\))$", var.keep_awake.expression))
    error_message = "keep_awake.expression must be a rate of at most 10 minutes, after which the collection stops, or a cron(...) of six fields."
  }

  validation {
    condition     = var.keep_awake == null || (var.knowledge_base == null && (var.collection_endpoint == null ? var.collection == "nextgen" : can(regex("\\.on\\.aws/?$", var.collection_endpoint))))
    error_message = "keep_awake needs collection = \"nextgen\", and no knowledge base: a classic collection never sleeps."
  }
}

variable "standby_replicas" {
  description = "Keeps replicas of a classic collection in a second zone; without them it costs half as much and survives fewer failures. NextGen always has them. A change replaces the collection: see collection_generation."
  type        = bool
  default     = true

  validation {
    condition     = var.standby_replicas || var.collection == "classic" || var.collection_endpoint != null
    error_message = "standby_replicas = false needs collection = \"classic\", which also keeps a collection that was made so."
  }
}

variable "collection_generation" {
  description = "Raise it by one together with a change that replaces the collection by an empty one, such as of collection or standby_replicas; at the same number such a change is refused. After it, a reindexing loads every document again."
  type        = number
  default     = 1

  validation {
    condition     = var.collection_generation >= 1 && floor(var.collection_generation) == var.collection_generation
    error_message = "collection_generation must be a whole number, 1 or more."
  }
}

variable "index_writers" {
  description = "ARNs of further roles or users that may create the index and write to it, besides the ingestion."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for arn in var.index_writers : can(regex("^arn:[a-z-]+:(iam|sts)::[0-9]{12}:", arn))])
    error_message = "index_writers must be ARNs of IAM roles or users."
  }
}

variable "index" {
  description = "The index that documents are written to, and the dimensions of its vectors. Neither the dimensions nor the name of an index can change: docs/run.md says how to replace it."
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
  description = "The index to search while `index` is being filled, with its own dimensions; null searches `index`."
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
  description = "The region of Bedrock for embeddings, if the deployment's own has no Titan Text Embeddings V2; null is the deployment's own. Texts of documents and questions go there."
  type        = string
  default     = null

  validation {
    condition     = var.embedding_region == null || can(regex("^[a-z]{2}(-[a-z]+)+-[0-9]$", var.embedding_region))
    error_message = "embedding_region must be the name of a region, such as us-east-1."
  }
}

variable "reindex_concurrency" {
  description = "The number of documents that a reindexing processes at once. All share the embedding model's quota with the questions, and each makes up to 2 calls at a time: about 500 a minute with the default, unless the quota is lower."
  type        = number
  default     = 2

  validation {
    condition     = var.reindex_concurrency >= 1 && var.reindex_concurrency <= 1000 && floor(var.reindex_concurrency) == var.reindex_concurrency
    error_message = "reindex_concurrency must be a whole number from 1 to 1000."
  }
}

variable "ingestion_concurrency" {
  description = "The number of uploaded documents that are ingested at once; others wait in a queue. Each runs up to 2 functions at a time. null is 1, or 5 with an account_concurrency of 100 or more."
  type        = number
  default     = null

  validation {
    condition     = var.ingestion_concurrency == null || try(var.ingestion_concurrency >= 1 && var.ingestion_concurrency <= 100 && floor(var.ingestion_concurrency) == var.ingestion_concurrency, false)
    error_message = "ingestion_concurrency must be a whole number from 1 to 100."
  }
}

variable "ingest_on_upload" {
  description = "Ingests an object at once when it is created, changed or deleted. Off, it waits for a reindexing, and objects deleted in the meantime stay in the index. Objects already in the intake's queue are still ingested."
  type        = bool
  default     = true
}

variable "pipeline" {
  description = "A version of the pipeline, as any word. After a change a document is indexed anew when its object changes, or by a reindexing."
  type        = string
  default     = "1"

  validation {
    condition     = can(regex("^[A-Za-z0-9._-]{1,40}$", var.pipeline))
    error_message = "pipeline must be 1 to 40 letters, digits, dots, hyphens or underscores."
  }
}

variable "text_recognition" {
  description = "Text recognition by Amazon Textract for PDF pages that show pictures and hold no text: \"lines\" (about 1.50 dollars for 1,000 such pages) or \"off\". The region must have Textract; not tried on AWS."
  type        = string
  default     = "off"

  validation {
    condition     = contains(["off", "lines"], var.text_recognition)
    error_message = "text_recognition must be \"off\" or \"lines\"."
  }
}

variable "text_recognition_pages" {
  description = "The most pages of one document that are recognised; the others are left out, with a warning."
  type        = number
  default     = 500

  validation {
    condition     = var.text_recognition_pages >= 1 && var.text_recognition_pages <= 3000 && floor(var.text_recognition_pages) == var.text_recognition_pages
    error_message = "text_recognition_pages must be a whole number from 1 to 3000, which is what Textract takes at once."
  }
}

variable "documents_force_destroy" {
  description = "Lets `terraform destroy` delete the bucket with the documents in it."
  type        = bool
  default     = false
}

variable "upload_origins" {
  description = "Further origins, such as https://app.example.com, whose pages may upload documents to the API's addresses, besides the API's own page and cors_origins. Name the API's own page here if it has a domain of yours."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for origin in var.upload_origins : can(regex("^https?://[^/*\\s]+$", origin))])
    error_message = "upload_origins must be origins, such as https://app.example.com, without a path or an asterisk."
  }
}

variable "access_log_bucket" {
  description = "A bucket of yours, in the region, for S3's access logs of all buckets, below access/BUCKET/; null for none."
  type        = string
  default     = null
}

variable "old_versions_days" {
  description = "Days for which a replaced or deleted document can be restored."
  type        = number
  default     = 30

  validation {
    condition     = var.old_versions_days >= 1 && floor(var.old_versions_days) == var.old_versions_days
    error_message = "old_versions_days must be a whole number of at least 1."
  }
}

variable "role_path" {
  description = "The path of all roles, such as /apps/selfrag/, where your organisation's policies go by it."
  type        = string
  default     = "/"

  validation {
    condition     = can(regex("^/([!-~]+/)?$", var.role_path)) && length(var.role_path) <= 512
    error_message = "role_path must begin and end with a slash."
  }
}

variable "permissions_boundary" {
  description = "The ARN of a policy that bounds what all roles may do, where your organisation demands one; it has to allow what docs/permissions.md lists."
  type        = string
  default     = null

  validation {
    condition     = var.permissions_boundary == null || can(regex("^arn:[^:]+:iam::([0-9]{12}|aws):policy/", var.permissions_boundary))
    error_message = "permissions_boundary must be the ARN of an IAM policy."
  }
}

variable "table_names" {
  description = "Names of tables that are not NAME-KEY, such as documents = \"selfrag-documents-restored\": AWS restores a table under another name."
  type        = map(string)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.table_names), keys(local.tables))) == 0
    error_message = "table_names may name ${join(", ", keys(local.tables))}."
  }
}

variable "deletion_protection" {
  description = "Protects the tables from deletion."
  type        = bool
  default     = false
}

variable "secret_recovery_days" {
  description = "Days for which a deleted secret can be restored: 7 to 30, or 0 for none."
  type        = number
  default     = 7

  validation {
    condition     = var.secret_recovery_days == 0 || (var.secret_recovery_days >= 7 && var.secret_recovery_days <= 30)
    error_message = "secret_recovery_days must be 0, or 7 to 30."
  }
}

variable "retrieval_guidance" {
  description = "One paragraph of up to 1,000 characters that tells DecideRetrieval what your documents hold, and what not; empty adds nothing to its prompt. All settings of a function have 4 KB together."
  type        = string
  default     = ""

  validation {
    condition     = length(var.retrieval_guidance) <= 1000 && !can(regex("\\p{Cc}", var.retrieval_guidance))
    error_message = "retrieval_guidance must be one paragraph of at most 1,000 characters, without control characters."
  }
}

variable "guardrail" {
  description = "A guardrail of Amazon Bedrock in this region, by its id or ARN, that checks every question and every answer; selfrag abstains from texts that it blocks or masks."
  type = object({
    id      = string
    version = optional(string, "DRAFT")
  })
  default = null

  validation {
    condition     = var.guardrail == null || can(regex("^([a-z0-9]+|arn:aws[a-z-]*:bedrock:[a-z0-9-]+:[0-9]{12}:guardrail/[a-z0-9]+)$", var.guardrail.id))
    error_message = "guardrail.id must be the id or the ARN of a guardrail."
  }

  validation {
    condition     = var.guardrail == null || can(regex("^(DRAFT|[1-9][0-9]{0,7})$", var.guardrail.version))
    error_message = "guardrail.version must be a number, or DRAFT."
  }
}

variable "knowledge_base" {
  description = "A knowledge base of Amazon Bedrock in this region, by its id or ARN, that questions search instead of the collection. All of it is one `collection`, or each document names its own in an attribute of that name. `user_id` is whose documents it shows to all callers."
  type = object({
    id         = string
    collection = optional(string)
    user_id    = optional(string)
  })
  default = null

  validation {
    condition     = var.knowledge_base == null || can(regex("^([0-9a-zA-Z]{10}|arn:aws[a-z-]*:bedrock:[a-z0-9-]+:[0-9]{12}:knowledge-base/[0-9a-zA-Z]{10})$", var.knowledge_base.id))
    error_message = "knowledge_base.id must be the id or the ARN of a knowledge base."
  }
}

# The web search

variable "web_search" {
  description = "Lets questions whose policy says so be searched on the web, if the documents have no answer. Their search queries then go to Tavily."
  type        = bool
  default     = false
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
  description = "The authentication of callers: api_key (a key, limited by a usage plan), iam (AWS principals that may call execute-api:Invoke) or authorizer (authorizer_arn)."
  type        = string
  default     = "api_key"

  validation {
    condition     = contains(["api_key", "iam", "authorizer"], var.auth)
    error_message = "auth must be api_key, iam or authorizer."
  }
}

variable "bearer_keys" {
  description = "Takes API keys as Authorization: Bearer KEY, too, as clients of OpenAI's API send them; a small function then reads the key of every request. With auth = \"api_key\" alone."
  type        = bool
  default     = true
}

variable "authorizer_arn" {
  description = "The ARN of a Lambda function of yours, or of a version or alias of it, that authorises requests by the header Authorization (a REQUEST authorizer). The principalId that it returns is the caller, client#ID in callers and bind_command."
  type        = string
  default     = null

  validation {
    condition     = var.authorizer_arn == null || can(regex("^arn:[a-z-]+:lambda:[a-z0-9-]+:[0-9]{12}:function:[\\w-]+(:[\\w$-]+)?$", var.authorizer_arn))
    error_message = "authorizer_arn must be the ARN of a Lambda function."
  }

  validation {
    condition     = (var.auth == "authorizer") == (var.authorizer_arn != null)
    error_message = "auth = \"authorizer\" and authorizer_arn belong together."
  }
}

variable "authorizer_usage_plan" {
  description = "Limits callers by the usage plan of the API key whose value the authorizer returns as usageIdentifierKey; it must return one then."
  type        = bool
  default     = false

  validation {
    condition     = !var.authorizer_usage_plan || var.auth == "authorizer"
    error_message = "authorizer_usage_plan needs auth = \"authorizer\"."
  }
}

variable "endpoint_type" {
  description = "How the API is reached: REGIONAL (from the internet) or PRIVATE (by api_vpc_endpoint_ids alone)."
  type        = string
  default     = "REGIONAL"

  validation {
    condition     = contains(["REGIONAL", "PRIVATE"], var.endpoint_type)
    error_message = "endpoint_type must be REGIONAL or PRIVATE."
  }
}

variable "api_vpc_endpoint_ids" {
  description = "The VPC endpoints (of the service execute-api) by which a private API is reached, and no other way."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for id in var.api_vpc_endpoint_ids : startswith(id, "vpce-")])
    error_message = "api_vpc_endpoint_ids must be ids that start with vpce-."
  }

  validation {
    condition     = (var.endpoint_type == "PRIVATE") == (length(var.api_vpc_endpoint_ids) > 0)
    error_message = "endpoint_type = \"PRIVATE\" and api_vpc_endpoint_ids belong together."
  }
}

variable "domain" {
  description = "A domain of yours for the regional API, with the ARN of its certificate in the region. truststore_uri, the s3:// address of the authorities that sign client certificates, demands one of every caller (mutual TLS), and closes the address of AWS. A certificate of a private authority, or an imported one, needs ownership_certificate_arn with mutual TLS."
  type = object({
    name                      = string
    certificate_arn           = string
    truststore_uri            = optional(string)
    truststore_version        = optional(string)
    ownership_certificate_arn = optional(string)
  })
  default = null

  validation {
    condition     = var.domain == null || try(can(regex("^[a-z0-9-]+(\\.[a-z0-9-]+)+$", var.domain.name)) && startswith(var.domain.certificate_arn, "arn:"), false)
    error_message = "domain needs a name, such as ask.example.com, and the ARN of a certificate."
  }

  validation {
    condition     = try(startswith(var.domain.truststore_uri, "s3://"), var.domain == null || try(var.domain.truststore_uri == null, true))
    error_message = "domain.truststore_uri must begin with s3://."
  }

  validation {
    condition     = var.domain == null || var.endpoint_type == "REGIONAL"
    error_message = "domain needs endpoint_type = \"REGIONAL\"."
  }
}

variable "api_throttle" {
  description = "Rate limit (requests a second) and burst over all callers."
  type        = object({ rate = number, burst = number })
  default     = { rate = 50, burst = 100 }

  validation {
    condition     = var.api_throttle.rate > 0 && var.api_throttle.burst > 0
    error_message = "api_throttle must have a rate and a burst above 0."
  }
}

variable "api_metrics" {
  description = "Metrics for each method of the API, not only for the whole: up to 115 custom metrics, 34 dollars a month while requests arrive. No alarm needs them."
  type        = bool
  default     = false
}

variable "key_throttle" {
  description = "Rate limit (requests a second) and burst of one API key, over all requests; questions have key_question_throttle, too."
  type        = object({ rate = number, burst = number })
  default     = { rate = 5, burst = 10 }

  validation {
    condition     = var.key_throttle.rate > 0 && var.key_throttle.burst > 0
    error_message = "key_throttle must have a rate and a burst above 0."
  }
}

variable "key_question_throttle" {
  description = "Rate limit (questions a second) and burst of one API key, for POST /v1/ask and POST /v1/questions each; null is a quarter of the limit for all callers, by account_concurrency if that is set, else by api_throttle, and at most key_throttle."
  type        = object({ rate = number, burst = number })
  default     = null

  validation {
    condition     = try(var.key_question_throttle.rate > 0 && var.key_question_throttle.burst > 0, var.key_question_throttle == null)
    error_message = "key_question_throttle must have a rate and a burst above 0."
  }
}

variable "key_quota_per_day" {
  description = "Requests a day for one API key, polls of unfinished questions included."
  type        = number
  default     = 5000

  validation {
    condition     = var.key_quota_per_day > 0
    error_message = "key_quota_per_day must be above 0."
  }
}

variable "stream_events" {
  description = "Streams POST /v1/ask and OpenAI's API to clients that take server-sent events, by a separate function, for at most 300 seconds; every other client gets the same reply as without. The function takes one concurrent execution for each question of these paths. Without it a client of POST /v1/ask gets 202, and looks at the question by its id, as the page does; one of OpenAI's API gets its events at the end. Not tried on AWS."
  type        = bool
  default     = false
}

variable "agents" {
  description = "Serves the tools of agents by the Model Context Protocol at POST /mcp, by a separate function. Not tried on AWS."
  type        = bool
  default     = false
}

variable "cors_origins" {
  description = "The origins, such as https://app.example.com, whose pages may call the API from a browser, with the visitor's key, and upload to its addresses; [\"*\"] allows every page. The API's own page needs no entry."
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
  description = "A WAF web ACL (regional) in front of the API; null for none."
  type        = string
  default     = null

  validation {
    condition     = var.web_acl_arn == null || can(regex("^arn:[a-z-]+:wafv2:[a-z0-9-]+:[0-9]{12}:regional/webacl/", var.web_acl_arn))
    error_message = "web_acl_arn must be the ARN of a regional web ACL."
  }
}

variable "manage_api_gateway_account" {
  description = "Sets the role by which API Gateway writes logs, which all APIs of the account and region share: true only if `aws apigateway get-account` shows no cloudwatchRoleArn. Without a role the stage cannot be created."
  type        = bool
  default     = false
}

# Decision models as judges: docs/evaluation.md

variable "decider" {
  description = "A decision model that judges before Claude or in its place: the base URL of its server, the model's name there, whether the server needs a key (the output secret_commands sets it), the tokens that the model reads, its price in dollars per million input tokens, and the thresholds of each grader's cascade; null for none."
  type = object({
    url           = string
    model         = string
    secret        = optional(bool, false)
    window_tokens = optional(number, 4096)
    price         = optional(number, 0)
    thresholds    = optional(map(object({ upper = number, lower = number })), {})
  })
  default = null

  validation {
    condition     = var.decider == null || can(regex("^https://[^/]", var.decider.url))
    error_message = "decider.url must begin with https://: questions and passages are sent there."
  }
  validation {
    condition     = var.decider == null || try(length(var.decider.model) > 0 && var.decider.window_tokens >= 256 && var.decider.price >= 0, false)
    error_message = "decider needs a model, at least 256 window_tokens and a price of 0 or more."
  }
  validation {
    condition     = length(setsubtract(keys(try(var.decider.thresholds, {})), ["decide_retrieval", "grade_relevance", "grade_support", "grade_utility"])) == 0
    error_message = "decider.thresholds are of decide_retrieval, grade_relevance, grade_support and grade_utility."
  }
}

variable "graders" {
  description = "The judge of each grader: claude, decider (Claude only if it gives no verdict) or cascade; others follow the profile. `selfrag eval graders --adopt infra/graders.auto.tfvars.json` writes it."
  type        = map(string)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.graders), ["decide_retrieval", "grade_relevance", "grade_support", "grade_utility"])) == 0 && length(setsubtract(values(var.graders), ["claude", "decider", "cascade"])) == 0
    error_message = "graders are decide_retrieval, grade_relevance, grade_support and grade_utility, each claude, decider or cascade."
  }
  validation {
    condition     = var.decider != null || alltrue([for kind in values(var.graders) : kind == "claude"])
    error_message = "graders that are not claude need a decider."
  }
}

variable "decider_thresholds" {
  description = "The thresholds that were measured, by grader; they go before those in decider. The same file has them."
  type        = map(object({ upper = number, lower = number }))
  default     = {}

  validation {
    condition     = alltrue([for limits in values(var.decider_thresholds) : 0 <= limits.lower && limits.lower <= limits.upper && limits.upper <= 1])
    error_message = "decider_thresholds are from 0 to 1, lower not above upper."
  }
}

# Monitoring

variable "alarm_email" {
  description = "The address for alarms; it has to confirm. Null sends none: subscribe to the topic yourself."
  type        = string
  default     = null

  validation {
    condition     = var.alarm_email == null || can(regex("^[^@ ]+@[^@ ]+$", var.alarm_email))
    error_message = "alarm_email must be an e-mail address."
  }
}

variable "observability" {
  description = "full: an alarm for each question of an operator, and a dashboard. small: the most important alarms and no dashboard, for at most 1 dollar a month."
  type        = string
  default     = "full"

  validation {
    condition     = contains(["full", "small"], var.observability)
    error_message = "observability must be full or small."
  }
}

variable "thresholds" {
  description = "Thresholds of the alarms: p99 of either machine in ms, null for 0.8 of the default deadline (raise it with longer deadlines, such as those of the strategies candidates and segments), and of a step; the percentage of partial answers in 15 minutes; failures, errors of a function, throttles, API 5xx, cache failures and failed documents in five minutes; hours that an upload may wait; capacity units (OCUs) for search or for indexing; and dollars that the models of all questions of a day may cost, null for no alarm."
  type = object({
    express_p99_ms   = optional(number)
    standard_p99_ms  = optional(number)
    step_p99_ms      = optional(number, 15000)
    partial_percent  = optional(number, 25)
    failures         = optional(number, 3)
    errors           = optional(number, 8)
    throttles        = optional(number, 5)
    api_5xx          = optional(number, 3)
    cache_failures   = optional(number, 10)
    documents_failed = optional(number, 1)
    upload_hours     = optional(number, 6)
    ocus             = optional(number, 4)
    daily_usd        = optional(number)
  })
  default = {}

  validation {
    condition     = alltrue([for threshold in values(var.thresholds) : threshold == null ? true : threshold > 0])
    error_message = "thresholds must be above 0."
  }
}

variable "otlp_endpoint" {
  description = "The address of a collector that takes OTLP over HTTP, without /v1/traces, to which a separate function sends each answer: spans, and the verdicts as events to /v1/logs; null sends none. No text of a question, a passage or an answer is in them, unless otlp_content says so."
  type        = string
  default     = null

  validation {
    condition     = var.otlp_endpoint == null || can(regex("^https://[^/@?#\\s]+(/[^@?#\\s]*)?$", var.otlp_endpoint))
    error_message = "otlp_endpoint must be a URL with https and without a key in it, such as https://otlp.example.com: headers with a key belong into a secret (otlp_secret)."
  }
}

variable "otlp_secret" {
  description = "Says that the collector needs headers, such as a key; the output secret_commands sets them."
  type        = bool
  default     = false

  validation {
    condition     = !var.otlp_secret || var.otlp_endpoint != null
    error_message = "otlp_secret belongs to otlp_endpoint."
  }
}

variable "otlp_content" {
  description = "Says that traces and scores contain the reasons of verdicts, which may quote questions and passages."
  type        = bool
  default     = false

  validation {
    condition     = !var.otlp_content || var.otlp_endpoint != null || var.langfuse_host != null
    error_message = "otlp_content belongs to otlp_endpoint or langfuse_host."
  }
}

variable "langfuse_host" {
  description = "The address of Langfuse, such as https://cloud.langfuse.com, which gets the verdicts of each answer as scores, and the spans where otlp_endpoint is null; null sends none. The output secret_commands sets its keys."
  type        = string
  default     = null

  validation {
    condition     = var.langfuse_host == null || can(regex("^https://[^/@?#\\s]+$", var.langfuse_host))
    error_message = "langfuse_host must be a URL with https, without a path and a key, such as https://cloud.langfuse.com."
  }
}

variable "saved_queries" {
  description = "Creates saved Logs Insights queries and an X-Ray group."
  type        = bool
  default     = true
}
