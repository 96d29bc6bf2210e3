"""Terminal output: answers, documents, traces."""
