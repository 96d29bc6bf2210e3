terraform {
  required_version = ">= 1.9"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100, < 7.0"
    }
  }
}

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account   = data.aws_caller_identity.current.account_id
  partition = data.aws_partition.current.partition
  # Provider 6 has `region`, and deprecates the names that provider 5 has: a lookup is no reference to them.
  region = lookup(data.aws_region.current, "region", lookup(data.aws_region.current, "id", null))
  # The part of an ARN between its service and its resource.
  here = "${local.region}:${local.account}"
}
