"""The page as a person has it: a browser, and what may be said to it."""
