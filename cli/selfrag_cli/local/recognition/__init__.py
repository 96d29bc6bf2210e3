"""Text recognition on the laptop, by tesseract where it is installed."""
