"""The stand-in for the model: it quotes sentences by overlap, and declines. Its rules may only shrink."""
