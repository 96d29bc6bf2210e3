"""Whether a judge of relevance declines where no passage answers, on questions that people labelled (NoMIRACL)."""
