# The bucket for work in progress: a document's text, passages and vectors, between one step of the ingestion and the next.

resource "aws_s3_bucket" "work" {
  #checkov:skip=CKV_AWS_18:Only the ingestion's functions use it, for a few minutes at a time. Their runs are in the machine's history.
  #checkov:skip=CKV_AWS_21:Everything in it can be made again from the documents, and expires. Old versions would only keep texts longer.
  #checkov:skip=CKV_AWS_144:Everything in it can be made again from the documents.
  #checkov:skip=CKV2_AWS_62:Nothing has to be told of work in progress. The state machine hands it from step to step.
  bucket        = "${var.name}-work-${local.account}-${local.region}"
  force_destroy = true
}

resource "aws_s3_bucket_public_access_block" "work" {
  bucket                  = aws_s3_bucket.work.id
  block_public_acls       = true
  block_public_policy     = true
  ignore_public_acls      = true
  restrict_public_buckets = true
}

resource "aws_s3_bucket_ownership_controls" "work" {
  bucket = aws_s3_bucket.work.id

  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "work" {
  bucket = aws_s3_bucket.work.id

  rule {
    bucket_key_enabled = true

    apply_server_side_encryption_by_default {
      sse_algorithm     = "aws:kms"
      kms_master_key_id = var.kms_key_arn
    }
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "work" {
  bucket = aws_s3_bucket.work.id

  rule {
    id     = "done"
    status = "Enabled"

    filter {
      prefix = ""
    }

    expiration {
      days = 7
    }

    abort_incomplete_multipart_upload {
      days_after_initiation = 7
    }
  }
}

resource "aws_s3_bucket_policy" "work" {
  bucket = aws_s3_bucket.work.id
  policy = data.aws_iam_policy_document.tls_only["work"].json

  depends_on = [aws_s3_bucket_public_access_block.work]
}
