# What `ask` is told has to fit into 4 KB, and the first plan says so, before AWS has named anything.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

run "is_refused" {
  command         = plan
  expect_failures = [aws_lambda_function.ask]

  plan_options {
    target = [aws_lambda_function.ask]
  }

  variables {
    collection_public = true
    package_directory = "."
    cors_origins      = [for number in range(120) : "https://app-${number}.example.com"]
  }
}
