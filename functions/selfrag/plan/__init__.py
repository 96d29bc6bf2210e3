"""The plan of a question: the next steps, and why (pure).

A strategy is a module. Each takes the state and the reports of the last pass, and returns the next pass as data:
the steps to run in parallel, or none if the answer is to be composed. No model, no SDK, no clock.
"""
