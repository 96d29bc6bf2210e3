"""What the Terraform gives the functions so that a question does not wait for their starts."""

import re
from pathlib import Path

import pytest

from infra.packages.package import FUNCTIONS
from infra.packages.zips import LAYERS, steps_of
from tests.support.infra.tools import copy_configuration, environment, provider_mirror, run, terraform

STEPS = steps_of(FUNCTIONS)
QUESTION = {step for step, folder in STEPS.items() if folder.parent.name == "question"}
ONE_PROCESSOR = 1769

# Terraform plans without AWS, and fails with what it would set.
PLANNED = """
mock_provider "aws" {
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
}
run "planned" {
  command = plan
  plan_options {
    target = [aws_lambda_function.step]
  }
  variables {
    collection_public = true
    package_directory = "."
    snap_start        = SNAP_START
  }
  assert {
    condition     = length(aws_lambda_function.step) == 0
    error_message = join(" ", [for step, function in aws_lambda_function.step :
      "${step}:${function.memory_size}:${function.publish}:${join(",", function.snap_start[*].apply_on)};"])
  }
}
"""


@pytest.fixture(scope="module")
def infra(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("terraform")
    copy_configuration(directory)
    for package in [*STEPS, *LAYERS]:
        (directory / f"{package}.zip").touch()
    run([terraform(), "init", "-input=false", "-backend=false", *provider_mirror()], directory, environment(directory))
    return directory


def planned(infra: Path, snap_start: str) -> dict[str, tuple[int, str, str]]:
    """Each function's memory in MB, whether it is published, and from what it starts."""
    (infra / "planned.tftest.hcl").write_text(PLANNED.replace("SNAP_START", snap_start))
    said = run([terraform(), "test", "-no-color"], infra, environment(infra), check=False).stderr
    found = re.findall(r"(\w+):(\d+):(\w+):(\w*);", said)
    assert found, said
    return {step: (int(memory), published, start) for step, memory, published, start in found}


def test_what_loads_a_large_library_and_what_every_pass_waits_for_have_a_whole_processor(infra: Path) -> None:
    large = {step for step in QUESTION if (STEPS[step] / "prompt.md").exists()} | {"retrieve"}
    whole = {step for step, (memory, _, _) in planned(infra, "false").items() if memory == ONE_PROCESSOR}
    assert whole == large | {"plan"}


def test_the_functions_of_a_question_and_no_others_start_from_a_snapshot_of_what_is_published(infra: Path) -> None:
    started = planned(infra, "true")
    assert {step for step, (_, _, start) in started.items() if start == "PublishedVersions"} - {"ask"} == QUESTION
    assert {published for _, published, start in started.values() if start} == {"true"}


def test_without_being_told_no_function_starts_from_a_snapshot(infra: Path) -> None:
    assert {start for _, _, start in planned(infra, "false").values()} == {""}
