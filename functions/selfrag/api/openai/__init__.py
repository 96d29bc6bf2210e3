"""The API of OpenAI's models in front of the same questions: translation alone, without services."""
