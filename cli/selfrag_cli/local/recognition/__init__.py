"""Local text recognition by tesseract, if installed."""
