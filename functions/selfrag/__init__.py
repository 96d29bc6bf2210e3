"""The code that the steps share. Deployed as a Lambda layer; imports no step."""
