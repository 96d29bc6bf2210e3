"""What is looked at before a deployment."""
