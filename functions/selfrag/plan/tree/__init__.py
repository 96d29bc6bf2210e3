"""The tree of `segments`: sentences that are written and judged level by level."""
