"""Claude by the Messages API: over HTTP in the functions, by the anthropic SDK elsewhere."""
