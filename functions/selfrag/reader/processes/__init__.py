"""Worker processes for work on strangers' files: bounds on time, memory and crashes, no sandbox."""
