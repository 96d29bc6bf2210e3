"""Spans of answers, sent to a collector of OpenTelemetry as the table of answers tells of them."""
