# A budget of what AWS charges for this deployment in a month. It reports and stops nothing.

resource "aws_budgets_budget" "month" {
  count = var.budget == null ? 0 : 1

  name         = var.name
  budget_type  = "COST"
  time_unit    = "MONTHLY"
  limit_amount = tostring(var.budget.monthly_usd)
  limit_unit   = "USD"

  cost_filter {
    name   = "TagKeyValue"
    values = [format("user:application$%s", var.name)]
  }

  dynamic "notification" {
    for_each = { ACTUAL = 80, FORECASTED = 100 }

    content {
      notification_type          = notification.key
      threshold                  = notification.value
      threshold_type             = "PERCENTAGE"
      comparison_operator        = "GREATER_THAN"
      subscriber_email_addresses = var.budget.emails
    }
  }
}
