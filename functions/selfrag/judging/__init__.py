"""The judges of a question's steps: graders, their prompts, and models with a cache in front of them."""
