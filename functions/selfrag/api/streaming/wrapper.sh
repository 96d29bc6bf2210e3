#!/bin/sh
# Lambda hands this script its interpreter and the arguments of its own runtime, which cannot stream (AWS_LAMBDA_EXEC_WRAPPER).
# The interpreter runs program.py in its place, with the function's package and its layers on its path as the runtime has them.
export PYTHONPATH="$LAMBDA_TASK_ROOT:/opt/python${PYTHONPATH:+:$PYTHONPATH}"
exec "$1" -m selfrag.api.streaming.program
