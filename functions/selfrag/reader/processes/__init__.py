"""Worker processes for untrusted files, with limits on time, memory and crashes; not a sandbox."""
