"""A strict double of a vLLM server that runs the paper's model: what it refuses, what it replies, and its faults."""

from tests.support.doubles.vllm.examples import (
    CANDIDATES_EXAMPLE,
    NO_CHILD_EXAMPLE,
    SEGMENTS_EXAMPLE,
    WEAK_CHILD_EXAMPLE,
)
from tests.support.doubles.vllm.scenario import Node, Said, Scenario
from tests.support.doubles.vllm.server import Fault, VllmDouble, vllm

__all__ = [
    "CANDIDATES_EXAMPLE", "NO_CHILD_EXAMPLE", "SEGMENTS_EXAMPLE", "WEAK_CHILD_EXAMPLE", "Fault", "Node", "Said",
    "Scenario", "VllmDouble", "vllm",
]  # fmt: skip
