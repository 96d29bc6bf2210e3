"""The ports: Protocols of external services, with their values."""
