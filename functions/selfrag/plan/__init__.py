"""The plan of a question: the next steps and their reason (pure).

Each strategy is a module. From the state and the last reports it returns the next pass as data: steps to run in
parallel, or none to compose the answer. No model, SDK or clock is used.
"""
