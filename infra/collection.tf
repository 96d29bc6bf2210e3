# The OpenSearch Serverless collection of the passages, NextGen or classic, and the three policies that access to it needs.
# None of them is created if collection_endpoint names an existing one.

locals {
  # While a new index is being filled, the previous one is searched.
  indices          = { ingestion = var.index, search = var.search_index == null ? var.index : var.search_index }
  makes_collection = var.collection_endpoint == null
  makes_nextgen    = local.makes_collection && var.collection == "nextgen"
  # NextGen collections have hosts in on.aws.
  collection_sleeps = local.makes_nextgen || try(endswith(trimsuffix(var.collection_endpoint, "/"), ".on.aws"), false)
  # The first label of an endpoint's host name is the collection's id.
  collection_id       = local.makes_collection ? one(local.made[*].id) : regex("^https?://([^.:/]+)", var.collection_endpoint)[0]
  collection_endpoint = local.makes_collection ? one(local.made[*].endpoint) : var.collection_endpoint
  collection_arn      = local.makes_collection ? one(local.made[*].arn) : "arn:${local.partition}:aoss:${local.here}:collection/${local.collection_id}"
  # The collection that is made here, whichever it is.
  made = concat(
    [for each in aws_opensearchserverless_collection.passages : { endpoint = each.collection_endpoint, id = each.id, arn = each.arn }],
    [for stack in aws_cloudformation_stack.collection : { endpoint = stack.outputs.CollectionEndpoint, id = stack.outputs.Id, arn = stack.outputs.Arn }]
  )
  # A change of it would make AWS replace the collection by an empty one, or remove it.
  collection_form = local.makes_nextgen ? "collection = \"nextgen\"" : local.makes_collection ? "standby_replicas = ${var.standby_replicas}" : "collection_endpoint"
  # Two names, so that a deployment that moves from one to the other has both for a moment.
  collection_name = local.makes_nextgen ? "${var.name}-nextgen" : var.name
  collection_rule = { ResourceType = "collection", Resource = ["collection/${local.collection_name}"] }
  index_resources = { for use, index in local.indices : use => ["index/${local.collection_name}/${index.name}"] }

  # Access to the collection, by role.
  data_access = concat(
    [
      {
        description = "Searching, and showing the text of documents"
        index       = "search"
        principals  = [for step in var.knowledge_base == null ? ["retrieve", "ask"] : ["ask"] : aws_iam_role.step[step].arn]
        permissions = ["aoss:DescribeIndex", "aoss:ReadDocument"]
      },
      {
        description = "Writing passages"
        index       = "ingestion"
        principals  = [aws_iam_role.step["index_passages"].arn]
        # Missing fields are added to an index of an earlier release.
        permissions = [
          "aoss:CreateIndex", "aoss:DescribeIndex", "aoss:ReadDocument", "aoss:UpdateIndex", "aoss:WriteDocument"
        ]
      },
      {
        description = "Removing passages"
        index       = "ingestion"
        principals  = [aws_iam_role.step["remove_passages"].arn]
        permissions = ["aoss:DescribeIndex", "aoss:ReadDocument", "aoss:WriteDocument"]
      }
    ],
    length(var.index_writers) == 0 ? [] : [{
      description = "Other writers"
      index       = "ingestion"
      principals  = var.index_writers
      permissions = [
        "aoss:CreateIndex", "aoss:DescribeIndex", "aoss:ReadDocument", "aoss:UpdateIndex", "aoss:WriteDocument"
      ]
    }]
  )
}

# Version 5 of the provider knows no collection groups, and CloudFormation does. The group scales to zero after ten idle
# minutes; AWS refuses one of this generation without standby replicas.
resource "aws_cloudformation_stack" "collection" {
  #checkov:skip=CKV_AWS_124:Nobody but Terraform changes the stack, and it waits and says why one failed.
  count = local.makes_nextgen ? 1 : 0

  name = "${var.name}-collection"
  template_body = jsonencode({
    Description = "The passages of ${var.name}, with their vectors."
    Resources = {
      Group = {
        Type = "AWS::OpenSearchServerless::CollectionGroup"
        Properties = {
          Name            = local.collection_name
          Description     = "The capacity of the passages of ${var.name}."
          Generation      = "NEXTGEN"
          StandbyReplicas = "ENABLED"
          CapacityLimits = merge([for use in ["Indexing", "Search"] : {
            "Min${use}CapacityInOcu" = 0, "Max${use}CapacityInOcu" = var.collection_max_ocus
          }]...)
        }
      }
      Collection = {
        Type      = "AWS::OpenSearchServerless::Collection"
        DependsOn = "Group"
        Properties = {
          Name                = local.collection_name
          Description         = "The passages of ${var.name}, with their vectors."
          Type                = "VECTORSEARCH"
          CollectionGroupName = local.collection_name
        }
      }
    }
    Outputs = { for value in ["Arn", "CollectionEndpoint", "Id"] : value => { Value = { "Fn::GetAtt" = ["Collection", value] } } }
  })
  # An update that would replace the collection by an empty one fails: of its tags, for instance, which cannot change.
  policy_body = jsonencode({
    Statement = [
      { Effect = "Allow", Principal = "*", Action = "Update:*", Resource = "*" },
      { Effect = "Deny", Principal = "*", Action = ["Update:Delete", "Update:Replace"], Resource = "*" }
    ]
  })

  depends_on = [
    aws_opensearchserverless_security_policy.encryption, aws_opensearchserverless_security_policy.network
  ]
}

resource "aws_opensearchserverless_collection" "passages" {
  count = local.makes_collection && !local.makes_nextgen ? 1 : 0

  name             = local.collection_name
  description      = "The passages of ${var.name}, with their vectors."
  type             = "VECTORSEARCH"
  standby_replicas = var.standby_replicas ? "ENABLED" : "DISABLED"

  depends_on = [
    aws_opensearchserverless_security_policy.encryption, aws_opensearchserverless_security_policy.network
  ]
}

# What the collection of this generation was made with. Each change of the generation is a consent for itself, so it
# stays where it is, and the next change of the collection is refused again.
resource "terraform_data" "collection" {
  input            = local.collection_form
  triggers_replace = var.collection_generation

  lifecycle {
    ignore_changes = [input]
  }
}

resource "terraform_data" "kept_collection" {
  lifecycle {
    precondition {
      condition     = contains([local.collection_form, "collection_endpoint"], terraform_data.collection.output)
      error_message = "The collection was made with ${terraform_data.collection.output}; with ${local.collection_form} it and all its passages would be removed.${local.makes_nextgen ? " Set collection = \"classic\", which keeps it." : ""} Raise collection_generation by one to have that, then run reindex_command, which loads every document again: until it has ended, questions find fewer documents, or none."
    }
  }
}

resource "aws_opensearchserverless_security_policy" "encryption" {
  count = local.makes_collection ? 1 : 0

  name        = var.name
  description = "Encryption of the collection."
  type        = "encryption"
  policy = jsonencode(merge(
    { Rules = [local.collection_rule] },
    var.kms_key_arn == null ? { AWSOwnedKey = true } : { AWSOwnedKey = false, KmsARN = var.kms_key_arn }
  ))
}

resource "aws_opensearchserverless_security_policy" "network" {
  count = local.makes_collection ? 1 : 0

  name        = var.name
  description = "Network access to the collection."
  type        = "network"
  policy = jsonencode([merge(
    { Rules = [local.collection_rule], AllowFromPublic = var.collection_public },
    var.collection_public ? {} : { SourceVPCEs = var.collection_vpc_endpoint_ids }
  )])
}

resource "aws_opensearchserverless_access_policy" "data" {
  count = local.makes_collection ? 1 : 0

  name        = var.name
  description = "Access to the collection: searches and writes."
  type        = "data"
  policy = jsonencode([
    for access in local.data_access : {
      Description = access.description
      Principal   = access.principals
      Rules       = [{ ResourceType = "index", Resource = local.index_resources[access.index], Permission = access.permissions }]
    }
  ])
}
