"""Traces of questions as OpenTelemetry spans, for the tools that read them."""
