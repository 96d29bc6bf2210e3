# The bucket that documents are dropped into: private, encrypted, versioned, over TLS only.

resource "aws_s3_bucket" "documents" {
  #checkov:skip=CKV_AWS_18:Who reads documents is the business of the account's CloudTrail. A log bucket would need the same care again.
  #checkov:skip=CKV_AWS_144:One region is where the collection is. Versions and the lifecycle guard against mistakes.
  bucket        = "${var.name}-documents-${local.account}-${local.region}"
  force_destroy = var.documents_force_destroy
}

resource "aws_s3_bucket_public_access_block" "documents" {
  bucket                  = aws_s3_bucket.documents.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "documents" {
  bucket = aws_s3_bucket.documents.id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_versioning" "documents" {
  bucket = aws_s3_bucket.documents.id

  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "documents" {
  bucket = aws_s3_bucket.documents.id

  rule {
    bucket_key_enabled = true

    apply_server_side_encryption_by_default {
      sse_algorithm     = "aws:kms"
      kms_master_key_id = var.kms_key_arn
    }
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "documents" {
  bucket = aws_s3_bucket.documents.id

  rule {
    id     = "old-versions"
    status = "Enabled"

    filter {
      prefix = ""
    }

    noncurrent_version_expiration {
      noncurrent_days = var.old_versions_days
    }

    expiration {
      expired_object_delete_marker = true
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }
  }

  depends_on = [aws_s3_bucket_versioning.documents]
}

# EventBridge is told of every object that comes, changes or goes; events.tf says what follows.
resource "aws_s3_bucket_notification" "documents" {
  bucket      = aws_s3_bucket.documents.id
  eventbridge = true
}

resource "aws_s3_bucket_policy" "documents" {
  bucket = aws_s3_bucket.documents.id
  policy = data.aws_iam_policy_document.tls_only["documents"].json

  depends_on = [aws_s3_bucket_public_access_block.documents]
}

data "aws_iam_policy_document" "tls_only" {
  for_each = { documents = aws_s3_bucket.documents.arn, work = aws_s3_bucket.work.arn }

  statement {
    sid    = "TlsOnly"
    effect = "Deny"
    actions = [
      "s3:AbortMultipartUpload", "s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject", "s3:GetObjectAttributes",
      "s3:GetObjectVersion", "s3:GetObjectVersionAttributes", "s3:ListBucket", "s3:ListBucketMultipartUploads",
      "s3:ListBucketVersions", "s3:ListMultipartUploadParts", "s3:PutObject", "s3:RestoreObject"
    ]
    resources = [each.value, "${each.value}/*"]

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
