"""The index of passages in an OpenSearch Serverless vector collection."""
