"""The tools of agents by the Model Context Protocol, and the Lambda that serves them at `/mcp`."""
