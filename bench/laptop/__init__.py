"""The time and memory of `selfrag ask` and `selfrag serve` on this machine."""
