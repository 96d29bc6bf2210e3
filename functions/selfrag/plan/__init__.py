"""What happens next to a question, and why: pure decisions about the steps of the workflow.

A strategy is a module. Each gets what is known and what the steps of the last pass reported, and gives the next pass as
data: the steps to run side by side, or none where the answer is to be composed. No model, no SDK, no clock.
"""
