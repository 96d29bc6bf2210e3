"""The abstention of judges of relevance on NoMIRACL, whose questions people labelled."""
