terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.100"
    }
  }
}

# Credentials and endpoint come from the environment, as for the AWS CLI: AWS_PROFILE, AWS_ENDPOINT_URL.
provider "aws" {
  region      = var.region
  max_retries = var.max_retries

  default_tags {
    tags = merge({ application = var.name }, var.tags)
  }
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account   = data.aws_caller_identity.current.account_id
  partition = data.aws_partition.current.partition
  region    = data.aws_region.current.name
  # The part of an ARN between its service and its resource.
  here = "${local.region}:${local.account}"
}
