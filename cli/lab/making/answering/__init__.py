"""The check that what the search finds does not answer an unanswerable question."""
