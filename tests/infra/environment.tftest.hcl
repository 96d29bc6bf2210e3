# What `ask` is told has to fit into 4 KB, and the first plan says so, before AWS has named anything.

mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

variables {
  collection_public = true
  package_directory = "."
}

run "fits" {
  command = plan

  plan_options {
    target = [aws_lambda_function.ask]
  }

  variables {
    cors_origins = [for number in range(50) : "https://app-${number}.example.com"]
  }
}

run "is_refused" {
  command         = plan
  expect_failures = [aws_lambda_function.ask]

  plan_options {
    target = [aws_lambda_function.ask]
  }

  variables {
    cors_origins = [for number in range(120) : "https://app-${number}.example.com"]
  }
}
