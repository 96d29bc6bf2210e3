"""The contest of `candidates`: an answer from each passage, written and judged apart from the others."""
