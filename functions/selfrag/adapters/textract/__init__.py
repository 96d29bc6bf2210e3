"""Text recognition by Amazon Textract."""
