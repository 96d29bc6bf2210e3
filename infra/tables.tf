# Four tables, paid by request. What expires does so by TTL, which may be days late: the code compares dates itself.

resource "aws_dynamodb_table" "verdicts" {
  name                        = "${var.name}-verdicts"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "key"
  deletion_protection_enabled = var.deletion_protection

  attribute {
    name = "key"
    type = "S"
  }

  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }
}

resource "aws_dynamodb_table" "answers" {
  name                        = "${var.name}-answers"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "id"
  deletion_protection_enabled = var.deletion_protection

  attribute {
    name = "id"
    type = "S"
  }

  ttl {
    attribute_name = "expires_at"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }
}

# The name of the TTL attribute is the one that Powertools' idempotency writes.
resource "aws_dynamodb_table" "requests" {
  name                        = "${var.name}-requests"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "id"
  deletion_protection_enabled = var.deletion_protection

  attribute {
    name = "id"
    type = "S"
  }

  ttl {
    attribute_name = "expiration"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }
}

# The manifest: how each document stands, and which of its passages the collection holds.
resource "aws_dynamodb_table" "documents" {
  name                        = "${var.name}-documents"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "id"
  range_key                   = "part"
  deletion_protection_enabled = var.deletion_protection

  attribute {
    name = "id"
    type = "S"
  }

  attribute {
    name = "part"
    type = "S"
  }

  attribute {
    name = "collection"
    type = "S"
  }

  attribute {
    name = "key"
    type = "S"
  }

  # Only the part that tells a document's state has these, so this lists the documents of a collection.
  global_secondary_index {
    name            = "by_collection"
    hash_key        = "collection"
    range_key       = "key"
    projection_type = "ALL"
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled     = true
    kms_key_arn = var.kms_key_arn
  }
}
