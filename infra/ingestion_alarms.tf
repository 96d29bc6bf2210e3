# Of the alarms of questions and of all functions see alarms.tf; these are of documents.

resource "aws_cloudwatch_metric_alarm" "ingestion_failed" {
  alarm_name          = "${var.name}-ingestion-failed"
  alarm_description   = "Documents could not be claimed or recorded. Open the machine ${local.ingestion_name} in the Step Functions console: the error of a failed execution says whether the table of documents or a permission is at fault. When it is mended, start the execution again with the same input."
  namespace           = "AWS/States"
  metric_name         = "ExecutionsFailed"
  dimensions          = { StateMachineArn = aws_sfn_state_machine.ingestion.arn }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "ingestion_timed_out" {
  alarm_name          = "${var.name}-ingestion-timed-out"
  alarm_description   = "A document was worked on for an hour and not finished. Open the execution in the Step Functions console and see which step it repeated: the model or the collection may refuse calls, or the document may be too large. Another hour later, start it again with the same input."
  namespace           = "AWS/States"
  metric_name         = "ExecutionsTimedOut"
  dimensions          = { StateMachineArn = aws_sfn_state_machine.ingestion.arn }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "documents_failed" {
  alarm_name          = "${var.name}-documents-failed"
  alarm_description   = "Documents could not be read or written, so questions are not answered from them as they are now. The command failed of the output load_commands lists them with the reason: mend the file and upload it again, or start its execution again if a step had failed."
  namespace           = var.name
  metric_name         = "Documents"
  dimensions          = { status = "failed" }
  statistic           = "Sum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = var.thresholds.documents_failed
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}

resource "aws_cloudwatch_metric_alarm" "events_undelivered" {
  alarm_name          = "${var.name}-events-undelivered"
  alarm_description   = "Objects came or went, and no execution was started for them. The messages of the queue ${aws_sqs_queue.undelivered.name} name the objects, and their attributes the error. When it is mended, run the command again of the output load_commands for each, and delete the messages."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = aws_sqs_queue.undelivered.name }
  statistic           = "Maximum"
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  period              = 300
  evaluation_periods  = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = local.alarm_actions
  ok_actions          = local.alarm_actions
}
