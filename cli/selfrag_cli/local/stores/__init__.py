"""The ports over the home's SQLite file and a directory: what DynamoDB, S3 and Step Functions keep in a deployment."""
