"""The paper's own inference, measured: `candidates` and `segments` compared with `self_rag`."""
