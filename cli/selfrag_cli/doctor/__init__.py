"""`selfrag doctor`: checks of an AWS account before a deployment, and of the deployment after it."""
