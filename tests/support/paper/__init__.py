"""The paper's worked examples."""
