"""The loop of `naive`, `corrective`, `self_rag` and `adaptive`: search, read, answer, judge, and try again."""
