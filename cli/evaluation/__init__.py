"""`selfrag eval`: questions whose answers are known, asked in several ways, measured and compared."""
