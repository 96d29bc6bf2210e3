"""The commands of `selfrag`; what takes a second to load is imported after what can be refused at once."""
