"""Events of a question for the caller who asked it, and the function `stream`, which sends them in AWS."""
