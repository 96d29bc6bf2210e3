"""What other people's tools make of the API and of exported files."""
