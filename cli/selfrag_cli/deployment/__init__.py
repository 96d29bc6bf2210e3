"""A deployment in AWS: remote questions, executions, releases, index restoration."""
