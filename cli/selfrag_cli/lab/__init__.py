"""The laboratory: evaluation, replay and question drafting; nothing that answers a question imports it."""
