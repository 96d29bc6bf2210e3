"""The stand-in for the model: it quotes sentences by overlap, adds up, and declines. Its rules may only shrink."""
