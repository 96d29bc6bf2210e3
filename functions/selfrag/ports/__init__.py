"""The ports: Protocols of what selfrag needs from outside, and code that is written against them alone."""
