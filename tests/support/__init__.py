"""What the tests share: scripted steps, a model server with faults, and a walker of the definition."""
