"""Local implementations of the ports for DynamoDB, S3 and Step Functions, over SQLite and a directory."""
