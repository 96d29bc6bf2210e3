"""The stand-in for the model: quotes sentences by word overlap, or declines. Its rules may only shrink."""
