"""`make bench`: the workflow measured against a simulated Messages API; docs/bench.md says what that means."""
