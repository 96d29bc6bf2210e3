"""Engines that adapters meet on AWS, as Java programs of this machine: OpenSearch with k-NN, and DynamoDB Local."""
