"""A first set of questions, made from one's own documents: by Claude, or by rule."""
