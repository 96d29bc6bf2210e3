"""`selfrag doctor`: looks at an AWS account before a deployment, and at the deployment after it."""
