"""The laboratory: evaluation, replay, question making and benches; nothing that answers a question imports it."""
