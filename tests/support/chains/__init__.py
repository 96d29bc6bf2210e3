"""A world of invented facts in chains, and a scripted model that knows only what it reads."""
