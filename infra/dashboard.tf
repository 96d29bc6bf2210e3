# One page: answers, latency, verdicts, costs, and the state of documents.

locals {
  composed = ["step", "compose_answer"]

  # The plots in reading order, two to a row: a title, its metrics, and their default statistic.
  plots = [
    {
      title   = "Questions by outcome"
      stat    = "Sum"
      metrics = [for status in ["answered", "partial", "abstained", "failed"] : [var.name, "Questions", "status", status]]
    },
    {
      title   = "Questions by strategy"
      stat    = "Sum"
      metrics = [for strategy in ["self_rag", "naive", "corrective", "adaptive", "candidates", "segments"] : [var.name, "Strategies", "strategy", strategy]]
    },
    {
      title   = "Latency of the workflow, ms"
      stat    = "p99"
      metrics = [for machine in local.question_machines : ["AWS/States", "ExecutionTime", "StateMachineArn", local.machine_arns[machine], { label = "${machine} p99" }]]
    },
    {
      title   = "Latency by step, p99, ms"
      stat    = "p99"
      metrics = [for step in keys(local.question_steps) : [var.name, "Latency", "step", step]]
    },
    {
      title   = "Latency by step, median, ms"
      stat    = "p50"
      metrics = [for step in keys(local.question_steps) : [var.name, "Latency", "step", step]]
    },
    {
      title = "Retrieval rate (1 = every question was searched for)"
      stat  = "Average"
      metrics = [
        concat([var.name, "RetrievedQuestions"], local.composed)
      ]
    },
    {
      title   = "Verdicts: Retrieve"
      stat    = "Sum"
      metrics = [for decision in ["yes", "no", "continue", "ungraded"] : [var.name, "RetrievalDecisions", "decision", decision]]
    },
    {
      title = "Verdicts: IsSup"
      stat  = "Sum"
      metrics = [
        for level in ["fully_supported", "partially_supported", "no_support", "ungraded"] :
        [var.name, "SupportLevels", "level", level]
      ]
    },
    {
      title = "Verdicts: IsUse, relevant passages and rounds, by question"
      stat  = "Average"
      metrics = [
        concat([var.name, "Utility"], local.composed),
        concat([var.name, "RelevantPassages"], local.composed),
        concat([var.name, "Rounds"], local.composed)
      ]
    },
    {
      title = "Cached verdicts, repaired citations, and calls to the cache that failed"
      stat  = "Sum"
      metrics = concat(
        [concat([var.name, "CachedVerdicts"], local.composed)],
        [concat([var.name, "RepairedCitations"], local.composed)],
        [for step in local.graders : [var.name, "VerdictCacheFailures", "step", step]]
      )
    },
    {
      title   = "Searches by full text alone (the embedding was throttled)"
      stat    = "Sum"
      metrics = [[var.name, "FullTextSearches", "step", "retrieve"]]
    },
    {
      title   = "Questions of POST /v1/ask whose machine was started without its version (Step Functions refused it)"
      stat    = "Sum"
      metrics = [[var.name, "UnversionedAsks", "step", "ask"]]
    },
    {
      title   = "Answers that could not be kept"
      stat    = "Sum"
      metrics = [concat([var.name, "UnkeptAnswers"], local.composed)]
    },
    {
      title = "Features of requests that a model refused (each is asked for in another way)"
      stat  = "Sum"
      metrics = [
        [{ expression = "SEARCH('{\"${var.name}\",feature} MetricName=\"RefusedFeatures\"', 'Sum', 300)", label = "" }]
      ]
    },
    {
      title = "Tokens by step and model"
      stat  = "Sum"
      metrics = [
        [{ expression = "SEARCH('{\"${var.name}\",step,model} MetricName=\"InputTokens\"', 'Sum', 300)", label = "in: " }],
        [{ expression = "SEARCH('{\"${var.name}\",step,model} MetricName=\"CacheReadInputTokens\"', 'Sum', 300)", label = "cached: " }],
        [{ expression = "SEARCH('{\"${var.name}\",step,model} MetricName=\"OutputTokens\"', 'Sum', 300)", label = "out: " }]
      ]
    },
    {
      title = "US dollars by step and model"
      stat  = "Sum"
      metrics = [
        [{ expression = "SEARCH('{\"${var.name}\",step,model} MetricName=\"CostUsd\"', 'Sum', 300)", label = "" }]
      ]
    },
    {
      title = "US dollars by question"
      stat  = "Average"
      metrics = [
        concat([var.name, "QuestionCostUsd"], local.composed, [{ label = "mean" }]),
        concat([var.name, "QuestionCostUsd"], local.composed, [{ label = "p99", stat = "p99" }])
      ]
    },
    {
      title = "Model calls by step and model"
      stat  = "Sum"
      metrics = [
        [{ expression = "SEARCH('{\"${var.name}\",step,model} MetricName=\"ModelCalls\"', 'Sum', 300)", label = "" }]
      ]
    },
    {
      title   = "Steps that brought nothing or raised an error (most are tried again)"
      stat    = "Sum"
      metrics = [for step in sort(concat(keys(local.question_steps), keys(local.ingestion_steps))) : [var.name, "Errors", "step", step]]
    },
    {
      title   = "Steps that the model throttled"
      stat    = "Sum"
      metrics = [for step in sort(local.model_steps) : [var.name, "ThrottledSteps", "step", step]]
    },
    {
      title   = "Functions: errors"
      stat    = "Sum"
      metrics = [for step, function in local.function_names : ["AWS/Lambda", "Errors", "FunctionName", function, { label = step }]]
    },
    {
      title   = "Functions: throttles"
      stat    = "Sum"
      metrics = [for step, function in local.function_names : ["AWS/Lambda", "Throttles", "FunctionName", function, { label = step }]]
    },
    {
      title = "The API: requests and refusals"
      stat  = "Sum"
      metrics = [
        for metric in [["AWS/ApiGateway", "Count"], ["AWS/ApiGateway", "4XXError"], ["AWS/ApiGateway", "5XXError"]] :
        concat(metric, ["ApiName", aws_api_gateway_rest_api.api.name, "Stage", local.stage])
      ]
    },
    {
      title = "Executions that failed, timed out or were throttled"
      stat  = "Sum"
      metrics = concat(
        [for machine in local.question_machines : ["AWS/States", "ExecutionsFailed", "StateMachineArn", local.machine_arns[machine], { label = "${machine} failed" }]],
        [for machine in local.question_machines : ["AWS/States", "ExecutionsTimedOut", "StateMachineArn", local.machine_arns[machine], { label = "${machine} timed out" }]],
        [for machine in ["standard"] : ["AWS/States", "ExecutionThrottled", "StateMachineArn", local.machine_arns[machine], { label = "${machine} throttled" }]]
      )
    },
    {
      title   = "Documents by outcome"
      stat    = "Sum"
      metrics = [for status in ["ready", "failed", "skipped", "removed"] : [var.name, "Documents", "status", status]]
    },
    {
      title = "Ingestion: executions that failed or timed out, events that started none, and seconds that uploads wait"
      stat  = "Sum"
      metrics = concat(
        [[var.name, "OldestUploadSeconds", "queue", "upload", { stat = "Maximum", yAxis = "right" }]],
        [for metric in ["ExecutionsFailed", "ExecutionsTimedOut"] : ["AWS/States", metric, "StateMachineArn", local.machine_arns.ingestion]],
        [["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", aws_sqs_queue.undelivered.name, { stat = "Maximum" }]]
      )
    }
  ]
}

resource "aws_cloudwatch_dashboard" "overview" {
  count = var.observability == "full" ? 1 : 0

  dashboard_name = var.name
  dashboard_body = jsonencode({
    widgets = [
      for number, plot in local.plots : {
        type   = "metric"
        x      = 12 * (number % 2)
        y      = 6 * floor(number / 2)
        width  = 12
        height = 6
        properties = {
          title   = plot.title
          region  = local.region
          view    = "timeSeries"
          period  = 300
          stat    = plot.stat
          metrics = plot.metrics
        }
      }
    ]
  })
}
# Saved Logs Insights queries, for questions that a log answers better than a metric, and the X-Ray group.

locals {
  queries = {
    retrieval-rate = {
      steps = ["compose_answer"]
      query = <<-EOT
        filter message = "composed"
        | stats count(*) as questions, avg(strcontains(decision, "yes")) * 100 as searched_percent by bin(1d)
      EOT
    }
    strategies = {
      steps = ["compose_answer"]
      query = <<-EOT
        filter message = "composed"
        | stats count(*) as questions, avg(rounds) as mean_rounds, avg(model_calls) as mean_calls, avg(cost_usd) as mean_usd by strategy, status
        | sort strategy, status
      EOT
    }
    slowest-steps = {
      steps = keys(local.question_steps)
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
      steps = keys(local.ingestion_steps)
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
