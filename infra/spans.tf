# The traces of answers, sent to a collector of OpenTelemetry (otlp_endpoint) and to Langfuse (langfuse_host): a stream of
# the table of answers brings each answer that is stored to a function, whichever machine it is of. No question waits for
# it, and none fails with it.

locals {
  sends_spans = var.otlp_endpoint != null || var.langfuse_host != null
  # The entry of steps.tf, where the deployment has the function.
  span_steps = {
    send_spans = {
      description = "Sends the traces of answers to a collector and to Langfuse."
      uses        = ["spans"]
      layers      = ["layer", "traces"]
    }
  }

  span_statements = concat(
    [
      {
        sid       = "FollowAnswers"
        actions   = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"]
        resources = [for table in [aws_dynamodb_table.table["answers"]] : table.stream_arn if local.sends_spans]
      },
      {
        # DynamoDB takes no resource for it.
        sid       = "FindStream"
        actions   = ["dynamodb:ListStreams"]
        resources = ["*"]
      }
    ],
    [for arns in [concat(aws_secretsmanager_secret.otlp[*].arn, aws_secretsmanager_secret.langfuse[*].arn)] : {
      sid       = "ReadKeys"
      actions   = ["secretsmanager:GetSecretValue"]
      resources = arns
    } if length(arns) > 0]
  )
}

resource "aws_secretsmanager_secret" "otlp" {
  #checkov:skip=CKV2_AWS_57:The key is the collector's to renew, by hand. No function of AWS could rotate it.
  count = var.otlp_secret ? 1 : 0

  name                    = "${var.name}/otlp"
  description             = "The headers for the collector of spans, as name=value with commas between."
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
}

resource "aws_secretsmanager_secret" "langfuse" {
  #checkov:skip=CKV2_AWS_57:The keys are Langfuse's to renew, by hand. No function of AWS could rotate them.
  count = var.langfuse_host == null ? 0 : 1

  name                    = "${var.name}/langfuse"
  description             = "The public and the secret key of a project of Langfuse, with a colon between."
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
}

# What the collector does not take is tried again, ten times within an hour, and then dropped; the metric
# DroppedEventCount counts it.
resource "aws_lambda_event_source_mapping" "spans" {
  count = local.sends_spans ? 1 : 0

  event_source_arn                   = aws_dynamodb_table.table["answers"].stream_arn
  function_name                      = aws_lambda_function.step["send_spans"].qualified_arn
  starting_position                  = "LATEST"
  batch_size                         = 10
  maximum_batching_window_in_seconds = 5
  maximum_retry_attempts             = 10
  maximum_record_age_in_seconds      = 3600
  # One answer that the collector refuses takes no others with it.
  bisect_batch_on_function_error = true

  filter_criteria {
    filter {
      pattern = jsonencode({ dynamodb = { NewImage = { response = { S = [{ exists = true }] } } } })
    }
  }

  metrics_config { metrics = ["EventCount"] }
}
