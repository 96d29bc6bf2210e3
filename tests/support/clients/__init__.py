"""Other people's tools for the API and for exported files."""
