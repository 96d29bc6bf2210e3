"""The page in a browser, with scripted replies."""
