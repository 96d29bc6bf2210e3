# Questions that a log answers better than a metric, saved in Logs Insights, and the group of X-Ray's traces.

locals {
  queries = {
    retrieval-rate = {
      steps = ["compose_answer"]
      query = <<-EOT
        filter message = "composed"
        | stats count(*) as questions, avg(strcontains(decision, "yes")) * 100 as searched_percent by bin(1d)
      EOT
    }
    slowest-steps = {
      steps = local.workflow_steps
      query = <<-EOT
        filter ispresent(Latency)
        | stats count(*) as runs, pct(Latency, 50) as median_ms, pct(Latency, 99) as p99_ms, max(Latency) as max_ms by step
        | sort p99_ms desc
      EOT
    }
    unsupported-claims = {
      steps = ["compose_answer"]
      query = <<-EOT
        fields @timestamp, question, status, support_level, unsupported_claims, utility, rounds
        | filter message = "composed" and unsupported_claims > 0
        | sort @timestamp desc
        | limit 200
      EOT
    }
    failed-documents = {
      steps = local.ingestion_steps
      query = <<-EOT
        fields @timestamp, step, error, status
        | filter message = "failed" or (ispresent(Documents) and status = "failed")
        | sort @timestamp desc
        | limit 200
      EOT
    }
  }
}

resource "aws_cloudwatch_query_definition" "saved" {
  for_each = { for name, query in local.queries : name => query if var.saved_queries }

  name            = "${var.name}/${each.key}"
  log_group_names = [for step in each.value.steps : aws_cloudwatch_log_group.step[step].name]
  query_string    = each.value.query
}

resource "aws_xray_group" "traces" {
  count = var.saved_queries ? 1 : 0

  group_name        = var.name
  filter_expression = "service(\"${var.name}-ask\")"
}
