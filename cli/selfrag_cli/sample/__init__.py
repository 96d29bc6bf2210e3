"""The sample: a handbook, web pages, and questions about them."""
