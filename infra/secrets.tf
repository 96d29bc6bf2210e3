# Secrets without values: a value set here would be stored in the state. The output secret_commands sets them.

resource "aws_secretsmanager_secret" "anthropic" {
  #checkov:skip=CKV2_AWS_57:The key is the vendor's to renew, by hand. No function of AWS could rotate it.
  count = var.model_provider == "anthropic" ? 1 : 0

  name                    = "${var.name}/anthropic"
  description             = "The API key of Claude, as plain text."
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
}

resource "aws_secretsmanager_secret" "tavily" {
  #checkov:skip=CKV2_AWS_57:The key is the vendor's to renew, by hand. No function of AWS could rotate it.
  count = var.web_search ? 1 : 0

  name                    = "${var.name}/tavily"
  description             = "The API key of Tavily's web search, as plain text."
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
}
