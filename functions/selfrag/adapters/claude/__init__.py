"""Claude by the Messages API."""
