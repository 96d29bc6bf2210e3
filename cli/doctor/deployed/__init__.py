"""What is looked at after a deployment."""
