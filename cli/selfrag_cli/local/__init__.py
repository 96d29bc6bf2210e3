"""The local stack: local replacements for the AWS services, with documents and models."""
