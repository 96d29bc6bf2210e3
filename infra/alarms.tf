# Each alarm says what a person should do. There is one for each question of an operator ("do functions fail?"), not one
# for each function; docs/run.md has them in a table, and docs/costs.md their price, which is by the metric.

locals {
  # The functions that alarms watch together. AWS takes ten metrics in one alarm, so all functions are three groups.
  watched = {
    model     = { functions = local.model_steps, work = "ask the model" }
    other     = { functions = setsubtract(concat(keys(local.question_steps), keys(local.api_steps)), local.model_steps), work = "ask no model, and of the API" }
    ingestion = { functions = keys(local.ingestion_steps), work = "ingest documents" }
  }
  # A batch of spans waits, and an agent is told, so throttles of these call nobody.
  optional_steps = concat(var.stream_events ? keys(local.stream_steps) : [], var.agents ? keys(local.agent_steps) : [], local.sends_spans ? keys(local.span_steps) : [])
  failing        = { for group, of in local.watched : group => concat(tolist(of.functions), group == "other" ? local.optional_steps : []) }
  # POST /v1/ask is refused where its streaming function is throttled.
  refusing = { for group, of in local.watched : group => concat(tolist(of.functions), group == "other" && var.stream_events ? keys(local.stream_steps) : []) }
  # The steps of a question that wait for a service.
  waiting_steps = [for step, body in local.question_steps : step if length(body.uses) > 0]
  # The default deadline of a question, which a test compares; at 0.8 of it a question is slow, and still answered.
  deadline_ms = 25000
  # The alarms of observability = "small": ten metrics are one dollar a month.
  small_alarms = ["questions-failed", "questions-partial", "express-latency", "standard-latency", "api-5xx", "documents-failed", "uploads-waiting", "events-undelivered", "spending"]

  # By the suffix of the alarm's name: `metrics`, each as namespace, name and dimensions; the threshold for five minutes or
  # the named period; and the advice. The highest of several metrics counts, by its sum or the named statistic, unless there
  # is another `expression`; the p99 of a latency has to stay high. A query (SELECT) reports each step by its name, and costs
  # nothing while nothing is emitted.
  alarms = merge(
    {
      questions-failed = {
        metrics   = [[var.name, "Questions", { status = "failed" }]]
        threshold = var.thresholds.failures
        advice    = "Questions end with the status failed. Look for \"failed\" in the functions' logs: the error's class says whether the model, the search or the settings are at fault. Misconfigured means a secret without its value, or a wrong name."
      }
      # The second metric counts all answers. Fewer than three are no share, so a quiet night calls nobody.
      questions-partial = {
        metrics    = [[var.name, "Questions", { status = "partial" }], [var.name, "RetrievedQuestions", { step = "compose_answer" }]]
        statistic  = "SampleCount"
        expression = "IF(m0 >= 3, 100 * m0 / m1, 0)"
        period     = 900
        threshold  = var.thresholds.partial_percent
        advice     = "Of the answers of 15 minutes, thresholds.partial_percent or more are partial: cut off at the deadline, or not fully supported. If ${var.name}-express-latency is on too, something is slow; see its advice. Else look for \"failed\" in the functions' logs: a model that refuses calls leaves verdicts out. If neither, the documents answer less than is asked: the saved query unsupported-claims lists such answers. The strategies naive and corrective are always partial: set thresholds.partial_percent to 101."
      }
      questions-broken-off = {
        metrics   = [for pair in setproduct(["ExecutionsFailed", "ExecutionsTimedOut"], local.question_machines) : ["AWS/States", pair[0], { StateMachineArn = local.machine_arns[pair[1]] }]]
        threshold = var.thresholds.failures
        advice    = "Executions of the machines for questions (${join(", ", [for machine in local.question_machines : local.machine_names[machine]])}) fail, or reach the machine's timeout although each question has a deadline of its own. The widget \"Executions that failed, timed out or were throttled\" of the dashboard says of which; open it in the Step Functions console and read the error of a failed state, or see which state it waited in. When the cause is fixed, ask anew: do not redrive, because an execution keeps its deadline, which has passed by then."
      }
      api-5xx = {
        metrics   = [["AWS/ApiGateway", "5XXError", { ApiName = aws_api_gateway_rest_api.api.name, Stage = aws_api_gateway_stage.live.stage_name }]]
        threshold = var.thresholds.api_5xx
        advice    = "The API answers with 5xx. Look at the log of the function ask for the request_id of such an answer; if there is none, at the access log of the API, whose field error says what API Gateway found."
      }
      ingestion-broken-off = {
        metrics   = [for metric in ["ExecutionsFailed", "ExecutionsTimedOut"] : ["AWS/States", metric, { StateMachineArn = local.machine_arns.ingestion }]]
        threshold = 1
        advice    = "Documents could not be claimed or recorded, or one did not finish within an hour. Open the machine ${local.machine_names.ingestion} in the Step Functions console: the error of a failed execution says whether the table of documents or a permission is at fault; one that timed out shows which step it repeated: the model or the collection may refuse calls, or the document may be too large. When the cause is fixed, start the execution again with the same input; if it timed out, after another hour."
      }
      batches-failed = {
        metrics   = [for machine in ["intake", "reindex"] : ["AWS/States", "ExecutionsFailed", { StateMachineArn = local.machine_arns[machine] }]]
        threshold = 1
        advice    = "A reindexing or the intake of a document failed. Open the machines ${local.machine_names.intake} and ${local.machine_names.reindex} in the Step Functions console: the error says whether the bucket could not be listed, a file not be read, the results not be written or a permission is missing. When the cause is fixed, redrive a reindexing or start another with the same input: finished work is not repeated. Of the intake, the cause of a failed execution names the object: run the command `again` of the output load_commands for it. If it says that the queue could not be used, nothing in it is lost: it goes on within 15 minutes."
      }
      documents-failed = {
        metrics   = [[var.name, "Documents", { status = "failed" }]]
        threshold = var.thresholds.documents_failed
        advice    = "Documents could not be read or written, so questions are not answered from their present content. The command `failed` of the output load_commands lists them with the reason: correct the file and upload it again, or start its execution again if a step had failed."
      }
      events-undelivered = {
        metrics   = [["AWS/SQS", "ApproximateNumberOfMessagesVisible", { QueueName = aws_sqs_queue.undelivered.name }]]
        statistic = "Maximum"
        threshold = 1
        advice    = "Objects were created or deleted, and no execution was started for them. The messages of the queue ${aws_sqs_queue.undelivered.name} name the objects, and their attributes the error. When the cause is fixed, run the command `again` of the output load_commands for each, and delete the messages."
      }
      # Emitted by the look at the queues, every 15 minutes while uploads wait.
      uploads-waiting = {
        metrics   = [[var.name, "OldestUploadSeconds", { queue = "upload" }]]
        statistic = "Maximum"
        period    = 1800
        threshold = 3600 * var.thresholds.upload_hours
        advice    = "An upload has waited for thresholds.upload_hours, and questions are answered without it. Count the queue (docs/run.md, Ingestion), and again after some minutes. If it shrinks, many documents were uploaded at once: wait, or raise ingestion_concurrency. If not, open the machines ${local.machine_names.intake} and ${local.machine_names.ingestion} in the Step Functions console: a running execution shows the step that it repeats, such as an embedding model that refuses calls."
      }
      answers-unkept = {
        metrics   = [[var.name, "UnkeptAnswers", { step = "compose_answer" }]]
        threshold = 1
        advice    = "An answer could not be kept: it went out with a warning, but neither GET /v1/questions/{id} nor a follow-up finds it. Look for \"answer not kept\" in the log of the function compose_answer: its error is DynamoDB's. Then look at the table ${aws_dynamodb_table.table["answers"].name}: whether the roles of the machines may write it and use its key, and whether the answer was too large."
      }
      # Only Standard machines for questions have a limit of state transitions, which is the account's.
      standard-throttled = {
        metrics   = [["AWS/States", "ExecutionThrottled", { StateMachineArn = local.machine_arns.standard }]]
        threshold = var.thresholds.throttles
        advice    = "Step Functions slows down the machine ${local.machine_names.standard}: the account's limit of state transitions is reached. Answers are delayed, none is lost. Ask AWS for a higher limit, or send fewer questions to POST /v1/questions at once."
      }
      # Without the steps that only compute: the latency of the machines shows what slows them down.
      steps-latency = {
        metrics   = [for step in local.waiting_steps : [var.name, "Latency", { step = step }]]
        statistic = "p99"
        threshold = var.thresholds.step_p99_ms
        advice    = "One of these steps is slow: ${join(", ", local.waiting_steps)}. The widget \"Latency by step, p99, ms\" of the dashboard says which. If it is several, look at the model provider's status page; if it is one alone, look at its function's log and X-Ray trace: a cold collection, a long document or too little memory."
      }
      # A step without a reply from the model is no error of its function, because it has a result.
      steps-unanswered = {
        metrics   = [for step in local.model_steps : [var.name, "Errors", { step = step }]]
        threshold = var.thresholds.errors
        advice    = "One of these steps has no result after several requests to the model: ${join(", ", local.model_steps)}. The widget \"Steps that brought nothing or raised an error\" of the dashboard says which. Look in its function's log for \"failed\": TemporarilyUnavailable is a model that refuses, is slow or cannot be reached, DeadlineExceeded a question that had no time left; then at the model provider's status page and the limits of its account, and at \"Steps that the model throttled\" on the dashboard."
      }
      cache-failures = {
        expression = "SELECT SUM(VerdictCacheFailures) FROM SCHEMA(\"${var.name}\", step) GROUP BY step ORDER BY SUM() DESC"
        threshold  = var.thresholds.cache_failures
        advice     = "The step that the alarm names cannot reach the table of the verdict cache. Questions are still answered, at a higher price. Look at the table ${aws_dynamodb_table.table["verdicts"].name} for throttled requests, and whether the function's role may still read and write it."
      }
    },
    # The units are those of all collections of the account. Each minute has a sum, so five minutes have five.
    { for name in local.makes_collection ? ["collection-units"] : [] : name => {
      metrics   = [for use in ["Search", "Indexing"] : ["AWS/AOSS", "${use}OCU", { ClientId = local.account }]]
      threshold = 5 * (var.thresholds.ocus + 0.5)
      advice    = "OpenSearch Serverless uses more capacity units (OCUs) than thresholds.ocus, for searches or for writing, at 0.24 dollars an hour each. See whether a reindexing or many questions explain it; docs/costs.md says how to set a cap for the account, and how many units so many passages need."
    } },
    { for name in ["spending"] : name => {
      metrics   = [[var.name, "QuestionCostUsd", { step = "compose_answer" }]]
      period    = 86400
      threshold = var.thresholds.daily_usd
      advice    = "The questions of 24 hours cost more for models than thresholds.daily_usd. The metric CostUsd says of which step and model; the API's log, by caller, who asks. key_quota_per_day limits each key, and policy.max_cost_usd each question. What ingestion and AWS itself cost is not in it: see the bill."
    } if var.thresholds.daily_usd != null },
    { for machine in local.question_machines : "${machine}-latency" => {
      metrics   = [["AWS/States", "ExecutionTime", { StateMachineArn = local.machine_arns[machine] }]]
      statistic = "p99"
      threshold = coalesce(local.machines[machine].type == "EXPRESS" ? var.thresholds.express_p99_ms : var.thresholds.standard_p99_ms, 0.8 * local.deadline_ms)
      advice    = "One question in a hundred takes too long on the ${machine} machine; at its deadline it is cut off. The saved query slowest-steps shows the step that got slower. If it asks the model, look at the model provider's status page; if it is Retrieve, at the collection. A smaller deadline_seconds in the policy gives partial answers sooner."
    } },
    # Most errors are retried, and an error may still lead to an answer: with missing verdicts, or without the web. So each
    # function has to stay below the threshold by itself. It is above the seven tries of one search, of a collection that
    # sleeps.
    { for group, of in local.watched : "${group}-functions-errors" => {
      metrics   = [for step in local.failing[group] : ["AWS/Lambda", "Errors", { FunctionName = local.function_names[step] }]]
      threshold = var.thresholds.errors
      advice    = "A function fails or times out, of those that ${of.work}: ${join(", ", local.failing[group])}. The widget \"Functions: errors\" of the dashboard says which. Look in its log for \"failed\": the error's class says whether it is busy (TemporarilyUnavailable), wrongly set up (Misconfigured) or at fault; without such a line it could not start or ran out of time or memory."
    } },
    { for group, of in local.watched : "${group}-functions-throttled" => {
      metrics   = [for step in local.refusing[group] : ["AWS/Lambda", "Throttles", { FunctionName = local.function_names[step] }]]
      threshold = var.thresholds.throttles
      advice    = "Lambda refuses to run more copies of a function, of those that ${of.work}: ${join(", ", local.refusing[group])}. The widget \"Functions: throttles\" of the dashboard says which. Raise its entry in reserved_concurrency, or ask AWS for a higher limit of concurrent executions in this account and region."
    } }
  )
  # A single metric is the alarm's own; several, or a query, are parts of an expression.
  alarms_complete = {
    for name, alarm in local.alarms : name => merge({ statistic = "Sum", expression = "MAX(METRICS())", metrics = [], period = 300 }, alarm, {
      alone                                                     = try(alarm.metrics[1], null) == null ? try(alarm.metrics[0], null) : null
    }) if var.observability == "full" || contains(local.small_alarms, name)
  }
}

resource "aws_cloudwatch_metric_alarm" "alarm" {
  for_each = local.alarms_complete

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.advice
  namespace           = try(each.value.alone[0], null)
  metric_name         = try(each.value.alone[1], null)
  dimensions          = try(each.value.alone[2], null)
  statistic           = each.value.alone == null || each.value.statistic == "p99" ? null : each.value.statistic
  extended_statistic  = each.value.alone != null && each.value.statistic == "p99" ? "p99" : null
  period              = each.value.alone == null ? null : each.value.period
  comparison_operator = each.value.statistic == "p99" ? "GreaterThanThreshold" : "GreaterThanOrEqualToThreshold"
  threshold           = each.value.threshold
  evaluation_periods  = each.value.statistic == "p99" ? 3 : 1
  datapoints_to_alarm = each.value.statistic == "p99" ? 2 : null
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]

  dynamic "metric_query" {
    for_each = each.value.alone == null ? each.value.metrics : []

    content {
      id = "m${metric_query.key}"

      metric {
        namespace   = metric_query.value[0]
        metric_name = metric_query.value[1]
        dimensions  = metric_query.value[2]
        stat        = each.value.statistic
        period      = each.value.period
      }
    }
  }

  dynamic "metric_query" {
    for_each = each.value.alone == null ? [each.value.expression] : []

    content {
      id          = "watched"
      expression  = metric_query.value
      period      = length(each.value.metrics) > 0 ? null : each.value.period
      return_data = true
    }
  }
}

# CloudWatch cannot publish under the key that AWS manages for SNS: it is your key or none, and alarms hold no questions.
resource "aws_sns_topic" "alarms" {
  name              = "${var.name}-alarms"
  kms_master_key_id = var.kms_key_arn
}

resource "aws_sns_topic_policy" "alarms" {
  arn    = aws_sns_topic.alarms.arn
  policy = data.aws_iam_policy_document.alarms.json
}

data "aws_iam_policy_document" "alarms" {
  statement {
    sid       = "CloudWatchAlarms"
    actions   = ["sns:Publish"]
    resources = [aws_sns_topic.alarms.arn]

    principals {
      type        = "Service"
      identifiers = ["cloudwatch.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [local.account]
    }
  }
}

resource "aws_sns_topic_subscription" "email" {
  count = var.alarm_email == null ? 0 : 1

  topic_arn = aws_sns_topic.alarms.arn
  protocol  = "email"
  endpoint  = var.alarm_email
}
