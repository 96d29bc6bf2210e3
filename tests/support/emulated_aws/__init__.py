"""AWS in a test's process: moto's interpreter of state machines, as strict as AWS, and the services around it."""
