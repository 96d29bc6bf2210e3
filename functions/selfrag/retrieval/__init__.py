"""What a search makes of an index: the best passages of each query, without near-duplicates."""
