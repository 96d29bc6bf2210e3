# A change that would replace a collection is refused by the plan, unless replace_collection allows it.

mock_provider "aws" {
  override_during = plan

  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

variables {
  collection_public = true
  package_directory = "."
}

run "made" {
  command = apply

  plan_options {
    target = [terraform_data.kept_collection]
  }
}

run "turned_round" {
  command         = plan
  expect_failures = [terraform_data.kept_collection]

  plan_options {
    target = [terraform_data.kept_collection]
  }

  variables {
    standby_replicas = false
  }
}

run "another_collection" {
  command         = plan
  expect_failures = [terraform_data.kept_collection]

  plan_options {
    target = [terraform_data.kept_collection]
  }

  variables {
    collection_endpoint = "https://abc.us-east-1.aoss.amazonaws.com"
  }
}

run "as_it_is" {
  command = apply

  plan_options {
    target = [terraform_data.kept_collection]
  }
}

run "allowed" {
  command = apply

  plan_options {
    target = [terraform_data.kept_collection]
  }

  variables {
    standby_replicas   = false
    replace_collection = true
  }
}

run "no_longer_allowed" {
  command = apply

  plan_options {
    target = [terraform_data.kept_collection]
  }

  variables {
    standby_replicas = false
  }
}

run "turned_back" {
  command         = plan
  expect_failures = [terraform_data.kept_collection]

  plan_options {
    target = [terraform_data.kept_collection]
  }
}
