"""Search results from an index: the best passages of each query, without near-duplicates."""
