# The tables, paid by request, and the buckets: private, encrypted, over TLS only. A map has a line for each.

locals {
  # By name: the keys, the TTL attribute, and further indices with their keys; with the table's hash key they are local. TTL may be days late, so the code compares
  # dates itself.
  tables = {
    verdicts = { keys = ["key"], ttl = "expires_at", indices = {} }
    answers  = { keys = ["id"], ttl = "expires_at", indices = {} }
    # Powertools' idempotency decides the name of the TTL attribute.
    requests = { keys = ["id"], ttl = "expiration", indices = {} }
    # Feedback on answers, for a year: replays judge changes by it. The index leads to what is deleted with a question.
    feedback = { keys = ["id"], ttl = "expires_at", indices = { by_question = ["question_id", "id"] } }
    # Bindings of callers to collections: key#ID of an API key, principal#ARN of an IAM user or role, client#ID of whom an
    # authorizer lets in. And the collections: collection#NAME.
    callers = { keys = ["caller"], ttl = null, indices = {} }
    # The manifest: the state of each document, and its passages in the collection. Only the part with a document's state has
    # the keys of the index, so the index lists the documents of a collection.
    documents = { keys = ["id", "part"], ttl = null, indices = { by_collection = ["collection", "key"] } }
    # The queue of the intake: documents that wait by their turn, and the places of those that are worked on. The index is
    # local, so that a read of it misses nothing that was just recorded.
    intake = { keys = ["queue", "key"], ttl = null, indices = { by_turn = ["queue", "turn"] } }
  }

  buckets = merge({
    # The bucket that documents are dropped into. Replaced or deleted ones can be restored for a while.
    documents = { versioned = true, force_destroy = var.documents_force_destroy }
    # Work in progress: a document's text, passages and vectors between steps of the ingestion.
    work = { versioned = false, force_destroy = true }
    }, var.text_recognition == "off" ? {} : {
    # Recognised pages and their text, so that they are paid for once. Expired ones are recognised again.
    recognized = { versioned = false, force_destroy = true }
  })
  # Retention of objects that can be made again, in days.
  kept_days = { work = 7, recognized = 365 }
}

resource "aws_dynamodb_table" "table" {
  for_each = local.tables

  name                        = lookup(var.table_names, each.key, "${var.name}-${each.key}")
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = each.value.keys[0]
  range_key                   = try(each.value.keys[1], null)
  deletion_protection_enabled = var.deletion_protection
  # For the function that sends spans.
  stream_enabled   = local.sends_spans && each.key == "answers"
  stream_view_type = local.sends_spans && each.key == "answers" ? "NEW_IMAGE" : null

  dynamic "attribute" {
    for_each = toset(concat(each.value.keys, values(each.value.indices)...))

    content {
      name = attribute.value
      type = "S"
    }
  }

  dynamic "ttl" {
    for_each = each.value.ttl == null ? [] : [each.value.ttl]

    content {
      attribute_name = ttl.value
      enabled        = true
    }
  }

  dynamic "local_secondary_index" {
    for_each = { for index, keys in each.value.indices : index => keys if keys[0] == each.value.keys[0] }

    content {
      name            = local_secondary_index.key
      range_key       = local_secondary_index.value[1]
      projection_type = "ALL"
    }
  }

  dynamic "global_secondary_index" {
    for_each = { for index, keys in each.value.indices : index => keys if keys[0] != each.value.keys[0] }

    content {
      name            = global_secondary_index.key
      hash_key        = global_secondary_index.value[0]
      range_key       = global_secondary_index.value[1]
      projection_type = "ALL"
    }
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }
}

# The deployment's own key, and the other callers in `callers`; the output bind_command binds more, without a deployment.
resource "aws_dynamodb_table_item" "caller" {
  # IAM names a session of a role by the role's name alone, without its path.
  for_each = {
    for caller, binding in merge(local.own_key, var.callers) : replace(caller, "/^(arn:[^/]*:role/).*//", "$1") => binding
    if caller != "default" || var.auth == "api_key"
  }

  table_name = aws_dynamodb_table.table["callers"].name
  hash_key   = "caller"
  item = jsonencode(merge({
    caller = {
      S = startswith(each.key, "client#") ? each.key : startswith(each.key, "arn:") ? "principal#${each.key}" : "key#${each.key == "default" ? one(aws_api_gateway_api_key.default[*].id) : each.key}"
    }
    actions = { SS = sort(distinct(each.value.actions)) }
    }, each.value.all_collections ? { all_collections = { BOOL = true } } : {},
    length(each.value.collections) > 0 ? { collections = { SS = sort(distinct(each.value.collections)) } } : {}
  ))
}

resource "aws_dynamodb_table_item" "collection" {
  for_each = local.collection_items

  table_name = aws_dynamodb_table.table["callers"].name
  hash_key   = "caller"
  item       = each.value
}

locals {
  # A local value: Terraform evaluates for_each anew for each of its instances.
  collection_items    = { for name in var.collections : name => jsonencode({ caller = { S = "collection#${name}" } }) }
  default_collections = var.default_collections != null ? var.default_collections : length(jsonencode(var.collections)) <= 16384 ? var.collections : []
  own_key             = { default = { collections = local.default_collections, all_collections = true, actions = ["ask", "upload"] } }
}

resource "aws_s3_bucket" "bucket" {
  #checkov:skip=CKV_AWS_18:A bucket of logs is the team's own, which access_log_bucket names.
  #checkov:skip=CKV_AWS_21:Of documents versions are kept. What is in the work bucket can be made again from them, and old versions would only keep texts longer.
  #checkov:skip=CKV_AWS_144:One region is where the collection is. Versions and the lifecycle guard documents against mistakes, and the rest can be made again.
  #checkov:skip=CKV2_AWS_62:EventBridge gets the events of documents. Work in progress needs none: the state machine hands it from step to step.
  for_each = local.buckets

  bucket        = "${var.name}-${each.key}-${local.account}-${local.region}"
  force_destroy = each.value.force_destroy
}

# S3 writes these logs with the rights that the policy of your bucket gives to logging.s3.amazonaws.com.
resource "aws_s3_bucket_logging" "bucket" {
  for_each = var.access_log_bucket == null ? {} : local.buckets

  bucket        = aws_s3_bucket.bucket[each.key].id
  target_bucket = var.access_log_bucket
  target_prefix = "access/${aws_s3_bucket.bucket[each.key].id}/"
}

resource "aws_s3_bucket_public_access_block" "bucket" {
  for_each = local.buckets

  bucket                  = aws_s3_bucket.bucket[each.key].id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_versioning" "bucket" {
  for_each = { for name, bucket in local.buckets : name => bucket if bucket.versioned }

  bucket = aws_s3_bucket.bucket[each.key].id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id

  rule {
    bucket_key_enabled = true

    apply_server_side_encryption_by_default {
      sse_algorithm     = "aws:kms"
      kms_master_key_id = var.kms_key_arn
    }
  }
}

# Old versions expire where there are versions, and all objects expire elsewhere.
resource "aws_s3_bucket_lifecycle_configuration" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id

  rule {
    id     = each.value.versioned ? "old-versions" : "done"
    status = "Enabled"

    filter {
      prefix = ""
    }

    dynamic "noncurrent_version_expiration" {
      for_each = each.value.versioned ? [var.old_versions_days] : []

      content {
        noncurrent_days = noncurrent_version_expiration.value
      }
    }

    expiration {
      days                         = lookup(local.kept_days, each.key, null)
      expired_object_delete_marker = each.value.versioned ? true : null
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }
  }

  depends_on = [aws_s3_bucket_versioning.bucket]
}

# The origins whose pages may send a file to an address of POST /v1/documents: the API's own, and the configured ones.
resource "aws_s3_bucket_cors_configuration" "documents" {
  count = local.has_page || length(local.other_pages) > 0 ? 1 : 0

  bucket = aws_s3_bucket.bucket["documents"].id

  cors_rule {
    allowed_methods = ["PUT"]
    allowed_origins = distinct(concat(
      local.has_page ? [for url in [aws_api_gateway_stage.live.invoke_url] : regex("^https://[^/]+", url)] : [],
      local.has_page && var.domain != null ? ["https://${var.domain.name}"] : [], local.other_pages
    ))
    allowed_headers = ["*"]
    max_age_seconds = 3600
  }
}

locals {
  other_pages = concat(var.cors_origins, var.upload_origins)
}

# EventBridge gets an event for every object that is created, changed or deleted; events.tf handles it.
resource "aws_s3_bucket_notification" "documents" {
  bucket      = aws_s3_bucket.bucket["documents"].id
  eventbridge = true
}

resource "aws_s3_bucket_policy" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id
  policy = data.aws_iam_policy_document.tls_only[each.key].json

  depends_on = [aws_s3_bucket_public_access_block.bucket]
}

data "aws_iam_policy_document" "tls_only" {
  for_each = local.buckets

  statement {
    sid    = "TlsOnly"
    effect = "Deny"
    actions = [
      "s3:AbortMultipartUpload", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject", "s3:GetObjectAttributes",
      "s3:GetObjectVersion", "s3:GetObjectVersionAttributes", "s3:ListBucket", "s3:ListBucketMultipartUploads",
      "s3:ListBucketVersions", "s3:ListMultipartUploadParts", "s3:PutObject", "s3:RestoreObject"
    ]
    resources = [aws_s3_bucket.bucket[each.key].arn, "${aws_s3_bucket.bucket[each.key].arn}/*"]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}
