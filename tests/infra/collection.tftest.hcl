# A change that would replace a collection is refused by the plan, unless collection_generation is raised with it.

mock_provider "aws" {
  override_during = plan

  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}

variables {
  collection        = "classic"
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

# As after the upgrade of a deployment from before NextGen, whose variables do not name the collection.
run "nextgen" {
  command         = plan
  expect_failures = [terraform_data.kept_collection]

  plan_options {
    target = [terraform_data.kept_collection]
  }

  variables {
    collection = "nextgen"
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
    standby_replicas      = false
    collection_generation = 2
  }
}

run "the_next_change_is_refused_again" {
  command         = plan
  expect_failures = [terraform_data.kept_collection]

  plan_options {
    target = [terraform_data.kept_collection]
  }

  variables {
    collection_generation = 2
  }
}

run "the_same_again" {
  command = apply

  plan_options {
    target = [terraform_data.kept_collection]
  }

  variables {
    standby_replicas      = false
    collection_generation = 2
  }
}

run "allowed_once_more" {
  command = apply

  plan_options {
    target = [terraform_data.kept_collection]
  }

  variables {
    collection_generation = 3
  }
}
