"""Where collections come from: the files of a directory, what is known of them, and what became of each."""
