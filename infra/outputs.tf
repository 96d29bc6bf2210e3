output "endpoint" {
  description = "The address of the API: POST {endpoint}/v1/ask. With auth = \"api_key\" its page opens there, in a browser."
  value       = var.domain == null ? aws_api_gateway_stage.live.invoke_url : "https://${var.domain.name}"
}

output "domain_target" {
  description = "The target of the DNS record of `domain`: a name for a CNAME, or with the zone's id for an alias of Route 53; null without a domain."
  value       = one([for each in aws_api_gateway_domain_name.api : { name = each.regional_domain_name, zone_id = each.regional_zone_id }])
}

output "api_key_command" {
  description = "The command that prints the API key, for the header x-api-key; null where callers need none."
  value = one([
    for key in aws_api_gateway_api_key.default :
    "aws apigateway get-api-key --region ${local.region} --include-value --query value --output text --api-key ${key.id}"
  ])
}

output "secret_commands" {
  description = "The command that sets each secret: run it, paste the key, end with Enter and Ctrl-D. The key never appears on a command line."
  value = {
    for name, arns in {
      anthropic = aws_secretsmanager_secret.anthropic[*].arn
      tavily    = aws_secretsmanager_secret.tavily[*].arn
      decider   = aws_secretsmanager_secret.decider[*].arn
      otlp      = aws_secretsmanager_secret.otlp[*].arn
      langfuse  = aws_secretsmanager_secret.langfuse[*].arn
    } :
    name => "aws secretsmanager put-secret-value --region ${local.region} --secret-id ${arns[0]} --secret-string file:///dev/stdin"
    if length(arns) > 0
  }
}

output "console_links" {
  description = "Links to the AWS console."
  value = merge(
    {
      for name, machine in aws_sfn_state_machine.machine :
      "${name}_machine" => "${local.console}/states/home?region=${local.region}#/statemachines/view/${machine.arn}"
    },
    {
      alarms    = "${local.console}/cloudwatch/home?region=${local.region}#alarmsV2:?search=${var.name}"
      traces    = "${local.console}/cloudwatch/home?region=${local.region}#xray:traces/query"
      queries   = "${local.console}/cloudwatch/home?region=${local.region}#logsV2:logs-insights"
      documents = "${local.console}/s3/buckets/${aws_s3_bucket.bucket["documents"].id}?region=${local.region}"
    },
    { for dashboard in aws_cloudwatch_dashboard.overview : "dashboard" => "${local.console}/cloudwatch/home?region=${local.region}#dashboards:name=${dashboard.dashboard_name}" }
  )
}

output "bucket" {
  description = "The bucket that documents are dropped into."
  value       = aws_s3_bucket.bucket["documents"].id
}

output "load_commands" {
  description = "Commands that load a folder or a file into the first collection, ingest one object again, and list the documents that failed with the reason."
  value = {
    folder = "aws s3 sync FOLDER s3://${aws_s3_bucket.bucket["documents"].id}/${var.collections[0]}/ --region ${local.region}"
    file   = "aws s3 cp FILE s3://${aws_s3_bucket.bucket["documents"].id}/${var.collections[0]}/ --region ${local.region}"
    again = join(" ", [
      "aws stepfunctions start-execution --region ${local.region} --state-machine-arn ${aws_sfn_alias.machine["ingestion"].arn}",
      "--input '${jsonencode({ bucket = aws_s3_bucket.bucket["documents"].id, key = "${var.collections[0]}/FILE" })}'"
    ])
    failed = join(" ", [
      "aws dynamodb scan --region ${local.region} --table-name ${aws_dynamodb_table.table["documents"].name} --index-name by_collection",
      "--filter-expression '#s = :f' --expression-attribute-names '{\"#s\": \"status\"}'",
      "--expression-attribute-values '{\":f\": {\"S\": \"failed\"}}' --query 'Items[].[key.S, reason.S]' --output text"
    ])
  }
}

output "reindex_command" {
  description = "The command that ingests every object below a prefix that is not up to date; the prefix \"\" is the whole bucket."
  value = join(" ", [
    "aws stepfunctions start-execution --region ${local.region} --state-machine-arn ${aws_sfn_alias.machine["reindex"].arn}",
    "--input '${jsonencode({ prefix = "${var.collections[0]}/" })}'"
  ])
}

output "rollback_command" {
  description = "The command that lists the releases and makes the previous one live again; --to names any other."
  value       = "selfrag rollback --name ${var.name} --region ${local.region}"
}

output "bind_command" {
  description = "The command that lets an API key ask collections, at once; replace KEY_ID by the key's id. A caller that may also upload, replace and delete documents has the actions ask and upload; an IAM user, or a role without its path, is principal#ARN in place of key#KEY_ID, and a caller admitted by an authorizer is client# and its principalId. The same with delete-item and --key removes the binding."
  value = join(" ", [
    "aws dynamodb put-item --region ${local.region} --table-name ${aws_dynamodb_table.table["callers"].name}",
    "--item '${jsonencode(local.example_binding)}'"
  ])
}

output "collection_command" {
  description = "The command that adds a collection at once, for callers that are bound to all; replace NAME by its name. The same with delete-item and --key removes it."
  value = join(" ", [
    "aws dynamodb put-item --region ${local.region} --table-name ${aws_dynamodb_table.table["callers"].name}",
    "--item '${jsonencode({ caller = { S = "collection#NAME" } })}'"
  ])
}

output "tables" {
  description = "The names of the DynamoDB tables."
  value       = { for name, table in aws_dynamodb_table.table : name => table.name }
}

output "machine_arns" {
  description = "The state machines that answer questions, by the live release's alias."
  value       = { for machine in local.question_machines : machine => aws_sfn_alias.machine[machine].arn }
}

output "ingestion_machine_arn" {
  description = "The state machine that ingests documents, by the live release's alias."
  value       = aws_sfn_alias.machine["ingestion"].arn
}

output "intake_machine_arn" {
  description = "The state machine that queues events of the documents bucket, by the live release's alias."
  value       = aws_sfn_alias.machine["intake"].arn
}

output "reindex_machine_arn" {
  description = "The state machine that ingests every object that is not up to date, by the live release's alias."
  value       = aws_sfn_alias.machine["reindex"].arn
}

output "index_name" {
  description = "The name of the index that the ingestion writes to."
  value       = var.index.name
}

output "collection_endpoint" {
  description = "The endpoint of the collection that is searched."
  value       = local.collection_endpoint
}

output "retrieve_role_arn" {
  description = "The role that searches; the data access policy of your own collection must allow it."
  value       = aws_iam_role.step["retrieve"].arn
}

output "ingestion_role_arns" {
  description = "The roles that write passages and remove them; the data access policy of your own collection must allow them, too."
  value       = { for step in ["index_passages", "remove_passages"] : step => aws_iam_role.step[step].arn }
}

output "alarm_topic_arn" {
  description = "The SNS topic that alarms are sent to."
  value       = aws_sns_topic.alarms.arn
}

locals {
  # Of the output bind_command. checkov reads no # within an expression in a string.
  example_binding = {
    caller      = { S = "key#KEY_ID" }
    collections = { SS = [var.collections[0]] }
    actions     = { SS = ["ask"] }
  }
  console = "https://${local.region}.console.aws.amazon.com"
}
