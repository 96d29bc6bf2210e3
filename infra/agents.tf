# The tools of agents by the Model Context Protocol: POST /mcp, by a function of its own. It holds no data and no key: it
# invokes the API's function in the name of the caller, and Retrieve in the caller's collections.

locals {
  agents_path = "/mcp"
  # The entry of steps.tf, where the deployment has the function.
  agent_steps = {
    agents = {
      description = "Answers the messages of agents."
      uses        = ["agents"]
      # Loading the protocol's library takes a start more than a second of one processor.
      memory  = local.one_processor
      timeout = 29
      layers  = ["layer", "protocol"]
    }
  }
  # Live are a release of the function itself, and of the step that it searches by.
  agent_aliases = toset(var.agents ? ["agents", "retrieve"] : [])
  agent_functions = {
    for step in ["ask", "retrieve"] : step => "arn:${local.partition}:lambda:${local.here}:function:${local.function_names[step]}:${local.live}"
  }

  agent_statements = [
    {
      sid       = "AnswerByFunctions"
      actions   = ["lambda:InvokeFunction"]
      resources = values(local.agent_functions)
    },
    {
      sid       = "KnowCallers"
      actions   = ["dynamodb:BatchGetItem", "dynamodb:GetItem"]
      resources = [aws_dynamodb_table.table["callers"].arn]
    }
  ]
}

resource "aws_lambda_alias" "agents" {
  for_each = local.agent_aliases

  name             = local.live
  description      = "The release that answers agents."
  function_name    = aws_lambda_function.step[each.key].function_name
  function_version = aws_lambda_function.step[each.key].version
}

resource "aws_lambda_permission" "agents" {
  count = var.agents ? 1 : 0

  statement_id  = "api"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_alias.agents["agents"].function_name
  qualifier     = aws_lambda_alias.agents["agents"].name
  principal     = "apigateway.amazonaws.com"
  source_arn    = "${aws_api_gateway_rest_api.api.execution_arn}/${local.stage}/*"
}
