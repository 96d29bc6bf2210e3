"""A strict double of a vLLM server that runs the paper's model: what it refuses, what it replies, and its faults."""

from tests.support.doubles.vllm.examples import (
    CANDIDATES_EXAMPLE as CANDIDATES_EXAMPLE,
)
from tests.support.doubles.vllm.examples import (
    NO_CHILD_EXAMPLE as NO_CHILD_EXAMPLE,
)
from tests.support.doubles.vllm.examples import (
    SEGMENTS_EXAMPLE as SEGMENTS_EXAMPLE,
)
from tests.support.doubles.vllm.examples import (
    WEAK_CHILD_EXAMPLE as WEAK_CHILD_EXAMPLE,
)
from tests.support.doubles.vllm.faults import Fault as Fault
from tests.support.doubles.vllm.scenario import Node as Node
from tests.support.doubles.vllm.scenario import Said as Said
from tests.support.doubles.vllm.scenario import Scenario as Scenario
from tests.support.doubles.vllm.server import VllmDouble as VllmDouble
from tests.support.doubles.vllm.server import vllm as vllm
