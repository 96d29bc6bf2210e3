# Each alarm says what a person should do. They cost about 0.10 USD a month each.

locals {
  # By the end of its name: the metric as namespace, name and dimensions, what is too much in five minutes, and what to do.
  # What counts is the sum, or the named statistic; p99 is of a latency and has to stay too long.
  alarms = merge(
    {
      questions-failed = {
        metric    = [var.name, "Questions", { status = "failed" }]
        threshold = var.thresholds.failures
        advice    = "Questions end with the status failed. Look for \"failed\" in the functions' logs: the error's class says whether the model, the search or the settings are at fault. Misconfigured means a secret without its value, or a wrong name."
      }
      api-5xx = {
        metric    = ["AWS/ApiGateway", "5XXError", { ApiName = aws_api_gateway_rest_api.api.name, Stage = aws_api_gateway_stage.live.stage_name }]
        threshold = var.thresholds.api_5xx
        advice    = "The API answers with 5xx. Look at the log of the function ask for the request_id of such an answer; if there is none, at the access log of the API, whose field error says what API Gateway found."
      }
      ingestion-failed = {
        metric    = ["AWS/States", "ExecutionsFailed", { StateMachineArn = local.machine_arns.ingestion }]
        threshold = 1
        advice    = "Documents could not be claimed or recorded. Open the machine ${local.machine_names.ingestion} in the Step Functions console: the error of a failed execution says whether the table of documents or a permission is at fault. When it is mended, start the execution again with the same input."
      }
      ingestion-timed-out = {
        metric    = ["AWS/States", "ExecutionsTimedOut", { StateMachineArn = local.machine_arns.ingestion }]
        threshold = 1
        advice    = "A document was worked on for an hour and not finished. Open the execution in the Step Functions console and see which step it repeated: the model or the collection may refuse calls, or the document may be too large. Another hour later, start it again with the same input."
      }
      documents-failed = {
        metric    = [var.name, "Documents", { status = "failed" }]
        threshold = var.thresholds.documents_failed
        advice    = "Documents could not be read or written, so questions are not answered from them as they are now. The command failed of the output load_commands lists them with the reason: mend the file and upload it again, or start its execution again if a step had failed."
      }
      events-undelivered = {
        metric    = ["AWS/SQS", "ApproximateNumberOfMessagesVisible", { QueueName = aws_sqs_queue.undelivered.name }]
        statistic = "Maximum"
        threshold = 1
        advice    = "Objects came or went, and no execution was started for them. The messages of the queue ${aws_sqs_queue.undelivered.name} name the objects, and their attributes the error. When it is mended, run the command again of the output load_commands for each, and delete the messages."
      }
      reindex-failed = {
        metric    = ["AWS/States", "ExecutionsFailed", { StateMachineArn = local.machine_arns.reindex }]
        threshold = 1
        advice    = "A reindexing broke off. Open the machine ${local.machine_names.reindex} in the Step Functions console: the error says whether the bucket could not be listed, the results not be written or a permission is missing. When it is mended, redrive the execution or start another with the same input: documents that are done are not worked on again."
      }
      evaluation-failed = {
        metric    = ["AWS/States", "ExecutionsFailed", { StateMachineArn = local.machine_arns.evaluation }]
        threshold = 1
        advice    = "An evaluation broke off. Open the machine ${local.machine_names.evaluation} in the Step Functions console: the error says whether its file of questions could not be read, the report not be written or a permission is missing. When it is mended, run the command again with --redrive: what was answered is not asked again."
      }
    },
    # Of the machines for questions only Standard ones have a limit of state transitions, which is the account's.
    { for machine in ["standard"] : "${machine}-throttled" => {
      metric    = ["AWS/States", "ExecutionThrottled", { StateMachineArn = local.machine_arns[machine] }]
      threshold = var.thresholds.throttles
      advice    = "Step Functions slows down the ${machine} machine: the account's limit of state transitions is reached. Answers come later, none is lost. Ask AWS for a higher limit, or send fewer questions to POST /v1/questions at once."
    } },
    # The units are the account's, of all its collections. Each minute has its sum, so five minutes have five.
    { for use in local.makes_collection ? ["Search", "Indexing"] : [] : "collection-${lower(use)}-units" => {
      metric    = ["AWS/AOSS", "${use}OCU", { ClientId = local.account }]
      threshold = 5 * (var.thresholds.ocus + 0.5)
      advice    = "OpenSearch Serverless takes more capacity units (OCUs) than thresholds.ocus, at 0.24 dollars an hour each. See whether a reindexing or many questions explain it; docs/costs.md says how to set a cap for the account, and docs/sizing.md how many units so many passages need."
    } },
    { for machine in local.question_machines : "${machine}-latency" => {
      metric    = ["AWS/States", "ExecutionTime", { StateMachineArn = local.machine_arns[machine] }]
      statistic = "p99"
      threshold = local.machines[machine].type == "EXPRESS" ? var.thresholds.express_p99_ms : var.thresholds.standard_p99_ms
      advice    = "One question in a hundred takes too long on the ${machine} machine. Look at the dashboard for the step that got slower, then at the model provider's status page; a smaller deadline_seconds in the policy gives partial answers sooner."
    } },
    { for machine in local.question_machines : "${machine}-failed" => {
      metric    = ["AWS/States", "ExecutionsFailed", { StateMachineArn = local.machine_arns[machine] }]
      threshold = var.thresholds.failures
      advice    = "Executions of the ${machine} machine fail. Open the machine in the Step Functions console and read the error of a failed state: it names a missing permission or a fault in the workflow. When it is mended, ask anew: do not redrive, for an execution keeps its deadline, which is over by then."
    } },
    { for machine in local.question_machines : "${machine}-timed-out" => {
      metric    = ["AWS/States", "ExecutionsTimedOut", { StateMachineArn = local.machine_arns[machine] }]
      threshold = var.thresholds.failures
      advice    = "Executions of the ${machine} machine run into its time limit, although each question has a deadline of its own. Open one in the console and see which state it waited in."
    } },
    { for step in keys(local.question_steps) : "${step}-latency" => {
      metric    = [var.name, "Latency", { step = step }]
      statistic = "p99"
      threshold = var.thresholds.step_p99_ms
      advice    = "The step ${step} is slow. If other steps are too, look at the model provider's status page; if it is alone, look at its function's log and X-Ray trace: a cold collection, a long document or too little memory."
    } },
    # Most errors are tried again, and what comes of them may pass for an answer: verdicts that are missing, a search without
    # the web. So each function is watched by itself.
    { for step in keys(local.steps) : "${step}-errors" => {
      metric    = ["AWS/Lambda", "Errors", { FunctionName = local.function_names[step] }]
      threshold = var.thresholds.errors
      advice    = "The function ${step} ends with errors, or not in time. Look in its log for \"failed\": the error's class says whether it is busy (TemporarilyUnavailable), wrongly set up (Misconfigured) or at fault; without such a line it could not start or ran out of time or memory."
    } },
    # A step that got no reply from the model is no error of its function, for it has a result.
    { for step in local.model_steps : "${step}-unanswered" => {
      metric    = [var.name, "Errors", { step = step }]
      threshold = var.thresholds.errors
      advice    = "The step ${step} brings nothing, after several requests to the model. Look in its log for \"failed\": TemporarilyUnavailable is a model that refuses, is slow or cannot be reached, DeadlineExceeded a question that had no time left; then at the model provider's status page and the limits of its account, and at ThrottledSteps on the dashboard."
    } },
    { for step in keys(local.steps) : "${step}-throttled" => {
      metric    = ["AWS/Lambda", "Throttles", { FunctionName = local.function_names[step] }]
      threshold = var.thresholds.throttles
      advice    = "Lambda refuses to run more copies of ${step}. Raise its entry in reserved_concurrency, or ask AWS for a higher limit of concurrent executions in this account and region."
    } },
    { for name in aws_sagemaker_endpoint.generator[*].name : "endpoint-errors" => {
      metric    = ["AWS/SageMaker", "Invocation5XXErrors", { EndpointName = name, VariantName = local.hosted_variant }]
      threshold = var.thresholds.errors
      advice    = "The endpoint ${name} of the fine-tuned model answers with errors: questions with generator selfrag fail, those with claude do not. Look at its log group ${aws_cloudwatch_log_group.generator[0].name} for what the container says: too little memory of the GPU, or a server that is still starting."
    } },
    { for name in aws_sagemaker_endpoint.generator[*].name : "endpoint-latency" => {
      metric    = ["AWS/SageMaker", "ModelLatency", { EndpointName = name, VariantName = local.hosted_variant }]
      statistic = "p99"
      # In microseconds.
      threshold = 1000 * var.thresholds.endpoint_p99_ms
      advice    = "The endpoint ${name} of the fine-tuned model is slow, and at 60 s AWS cuts its answer. Too many questions share its one GPU: send fewer at once, ask for fewer passages (top_k) or a smaller beam, or take a larger selfrag_instance_type."
    } },
    { for step in local.graders : "${step}-cache-failures" => {
      metric    = [var.name, "VerdictCacheFailures", { step = step }]
      threshold = var.thresholds.cache_failures
      advice    = "The step ${step} cannot reach the table of remembered verdicts. Questions are still answered, at a higher price. Look at the table ${aws_dynamodb_table.table["verdicts"].name} for throttled requests, and whether the function's role may still read and write it."
    } }
  )
}

resource "aws_cloudwatch_metric_alarm" "alarm" {
  for_each = { for name, alarm in local.alarms : name => merge({ statistic = "Sum" }, alarm) }

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = each.value.advice
  namespace           = each.value.metric[0]
  metric_name         = each.value.metric[1]
  dimensions          = each.value.metric[2]
  statistic           = each.value.statistic == "p99" ? null : each.value.statistic
  extended_statistic  = each.value.statistic == "p99" ? "p99" : null
  comparison_operator = each.value.statistic == "p99" ? "GreaterThanThreshold" : "GreaterThanOrEqualToThreshold"
  threshold           = each.value.threshold
  period              = 300
  evaluation_periods  = each.value.statistic == "p99" ? 3 : 1
  datapoints_to_alarm = each.value.statistic == "p99" ? 2 : null
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

# Under the key that AWS manages for SNS, CloudWatch could not publish: it is your key or none, and alarms hold no questions.
resource "aws_sns_topic" "alarms" {
  name              = "${var.name}-alarms"
  kms_master_key_id = var.kms_key_arn
}

resource "aws_sns_topic_policy" "alarms" {
  arn    = aws_sns_topic.alarms.arn
  policy = data.aws_iam_policy_document.alarms.json
}

data "aws_iam_policy_document" "alarms" {
  dynamic "statement" {
    # Budgets tells of a hosted model's costs, and of nothing else.
    for_each = merge({ CloudWatchAlarms = "cloudwatch" }, var.selfrag_hosting ? { Budgets = "budgets" } : {})

    content {
      sid       = statement.key
      actions   = ["sns:Publish"]
      resources = [aws_sns_topic.alarms.arn]

      principals {
        type        = "Service"
        identifiers = ["${statement.value}.amazonaws.com"]
      }

      condition {
        test     = "StringEquals"
        variable = "aws:SourceAccount"
        values   = [local.account]
      }
    }
  }
}

resource "aws_sns_topic_subscription" "email" {
  count = var.alarm_email == null ? 0 : 1

  topic_arn = aws_sns_topic.alarms.arn
  protocol  = "email"
  endpoint  = var.alarm_email
}
