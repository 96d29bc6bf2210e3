# A decision model as a judge, on a server that speaks /v1/systemone: docs/evaluation.md tells how to get one.

locals {
  # The environment of the four graders.
  decider_environment = var.decider == null ? {} : {
    SELFRAG_DECIDER_URL           = var.decider.url
    SELFRAG_DECIDER_MODEL         = var.decider.model
    SELFRAG_DECIDER_SECRET        = one(aws_secretsmanager_secret.decider[*].arn)
    SELFRAG_DECIDER_WINDOW_TOKENS = tostring(var.decider.window_tokens)
    SELFRAG_DECIDER_PRICE         = tostring(var.decider.price)
    SELFRAG_DECIDER_THRESHOLDS    = jsonencode(merge(var.decider.thresholds, var.decider_thresholds))
    SELFRAG_GRADERS               = jsonencode(var.graders)
  }
  decider_statements = [for arn in aws_secretsmanager_secret.decider[*].arn : {
    sid       = "ReadDeciderKey"
    actions   = ["secretsmanager:GetSecretValue"]
    resources = [arn]
  }]
}

check "measured_thresholds" {
  assert {
    condition = var.decider == null || length(setsubtract(
      ["decide_retrieval", "grade_support"], keys(merge(try(var.decider.thresholds, {}), var.decider_thresholds))
    )) == 0
    error_message = "The decider has no measured thresholds for Retrieve and IsSup: its `no` to a search, and in a cascade its `full`, are advice, and Claude judges. Measure them on labelled claims: `selfrag eval graders --adopt infra/graders.auto.tfvars.json`."
  }
}

resource "aws_secretsmanager_secret" "decider" {
  #checkov:skip=CKV2_AWS_57:The key is that of another vendor or of a server of yours. No function of AWS could rotate it.
  count = try(var.decider.secret, false) ? 1 : 0

  name                    = "${var.name}/decider"
  description             = "The API key of the decision model's server, as plain text."
  kms_key_id              = var.kms_key_arn
  recovery_window_in_days = var.secret_recovery_days
}
