"""The ports: Protocols of what selfrag needs from outside, with their values."""
