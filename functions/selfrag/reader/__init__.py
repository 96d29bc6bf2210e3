"""The reader: documents of many kinds as text with headings, pages and rows."""
