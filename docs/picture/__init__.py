"""The picture of the rooms in docs/architecture.svg, drawn from the imports: `python -m docs.picture`."""
