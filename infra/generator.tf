# The fine-tuned model on a vLLM server of yours: docs/generator.md tells how to run one.

locals {
  # The environment of the steps that ask it.
  generator_environment = var.selfrag_generator_url == null ? {} : {
    SELFRAG_GENERATOR_URL    = var.selfrag_generator_url
    SELFRAG_GENERATOR_SECRET = one(aws_secretsmanager_secret.generator[*].arn)
    SELFRAG_GENERATOR_MODEL  = var.selfrag_model
  }
  generator_statements = [for arn in aws_secretsmanager_secret.generator[*].arn : {
    sid       = "ReadGeneratorKey"
    actions   = ["secretsmanager:GetSecretValue"]
    resources = [arn]
  }]
}

resource "aws_secretsmanager_secret" "generator" {
  #checkov:skip=CKV2_AWS_57:The key is that of a server of yours. No function of AWS could rotate it.
  count = var.selfrag_generator_secret ? 1 : 0

  name                    = "${var.name}/generator"
  description             = "The API key of the server of the fine-tuned model, as plain text."
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
}
