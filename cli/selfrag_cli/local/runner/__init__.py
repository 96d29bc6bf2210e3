"""The deployed definitions, interpreted in this process: states in threads, Lambdas as calls, a history of events."""
