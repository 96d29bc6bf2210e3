"""The servers that stand in for services, and a run against those of them that are careless with keys."""
