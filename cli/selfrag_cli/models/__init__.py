"""What the models of the settings can do."""
