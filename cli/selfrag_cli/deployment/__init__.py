"""A deployment in AWS: asking it, its executions, its releases, its index after a restore."""
