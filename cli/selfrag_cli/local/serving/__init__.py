"""`selfrag serve`: the HTTP API for a directory, which is the bucket that uploads go into."""
