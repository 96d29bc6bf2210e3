"""The evaluation: answers and graders against what people know; nothing that answers a question imports it."""
