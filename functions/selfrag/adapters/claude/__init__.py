"""Claude by the anthropic SDK."""
