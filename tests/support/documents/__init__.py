"""Documents that tests make by hand, sound and damaged."""
