"""Whether what the search finds answers a question that is to have no answer."""
