"""`make bench`: the workflow measured against a simulated Messages API; docs/bench/workflow.md says what that means."""
