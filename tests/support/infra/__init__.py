"""The parts that tests of infra/ share."""

import pytest

# Its asserts say as much as those of a test.
pytest.register_assert_rewrite("tests.support.infra.made")
