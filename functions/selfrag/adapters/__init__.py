"""The services behind the ports: the only importers of boto3, anthropic and opensearchpy."""
