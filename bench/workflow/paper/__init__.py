"""The paper's own inference, asked and counted: `candidates` and `segments` beside `self_rag`."""
