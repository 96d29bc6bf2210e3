"""AWS in a test's process: moto's tables, buckets and secrets, and machines that the laptop's runner interprets."""
