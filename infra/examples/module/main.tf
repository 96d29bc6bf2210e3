# selfrag as a module of your own configuration: two teams, each with a deployment, by one provider that you configure.

terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100, < 7.0"
    }
  }
}

provider "aws" {
  region = "eu-west-1"

  default_tags {
    tags = { owner = "search" }
  }
}

module "selfrag" {
  # Elsewhere "git::https://HOST/OWNER/selfrag.git//infra?ref=RELEASE", after `make package` in a checkout of that release.
  source   = "../.."
  for_each = { sales = ["contracts"], people = ["handbook"] }

  name              = "selfrag-${each.key}"
  collections       = each.value
  collection_public = true
  package_directory = "${path.module}/../../../build"
}

output "endpoints" {
  description = "The address of each API."
  value       = { for team, deployment in module.selfrag : team => deployment.endpoint }
}
