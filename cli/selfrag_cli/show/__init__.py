"""What a person sees on a terminal: answers, documents, traces."""
