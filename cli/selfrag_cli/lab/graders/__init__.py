"""The graders against people: how often each is right, and what it costs."""
