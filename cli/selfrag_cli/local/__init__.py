"""The local stack: what AWS is on the laptop, and the documents and the model that it works with."""
