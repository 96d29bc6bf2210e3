"""A question's events as they come: how they are made, and the function `stream`, which sends them in AWS."""
