"""Questions whose answers are known, in the formats that they come in."""
