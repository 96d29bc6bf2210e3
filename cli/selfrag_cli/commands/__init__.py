"""The commands of `selfrag`; slow imports come after validation."""
