"""What an organisation demands of a deployment: bounded roles below a path, a shared state, plans that are approved."""

import os
import subprocess
from pathlib import Path

import hcl2
import pytest

from tests.support.infra.planned import Plan, Planner

ROOT = Path(__file__).parents[2]
BOUNDARY, PATH = "arn:aws:iam::123456789012:policy/boundary", "/apps/selfrag/"


def roles(plan: Plan) -> dict[str, tuple[str | None, str]]:
    return {
        address: (role.get("permissions_boundary"), role["path"])
        for address, role in plan.resources.items()
        if address.startswith("aws_iam_role.")
    }


def test_every_role_is_below_the_path_and_within_the_boundary_where_they_are_set(planned: Planner) -> None:
    set_by_us = roles(planned(permissions_boundary=BOUNDARY, role_path=PATH, manage_api_gateway_account=True))
    assert len(set_by_us) > 25
    assert set(set_by_us.values()) == {(BOUNDARY, PATH)}
    assert set(roles(planned()).values()) == {(None, "/")}


def test_the_example_of_a_shared_state_is_one_that_terraform_reads() -> None:
    [terraform] = hcl2.loads((ROOT / "infra" / "backend.tf.example").read_text())["terraform"]
    assert "use_lockfile" in str(terraform["backend"])


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        (["plan"], ["plan"]),
        (["plan", "OUT=a.plan", "VARS=prod.tfvars"], ["plan -var-file={here}/prod.tfvars -out={here}/a.plan"]),
        (["deploy"], ["apply"]),
        (["deploy", "PLAN=a.plan"], ["apply {here}/a.plan"]),
        (["deploy", "VARS=prod.tfvars"], ["apply -var-file={here}/prod.tfvars"]),
    ],
    ids=" ".join,
)
def test_a_plan_is_stored_approved_and_applied_by_the_same_commands(
    command: list[str], calls: list[str], tmp_path: Path
) -> None:
    noted = tmp_path / "noted"
    fake = tmp_path / "terraform"
    fake.write_text(f'#!/bin/sh\nshift\necho "$@" >> {noted}\n')
    fake.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["make", "--silent", "-o", "package", *command], cwd=ROOT, env=environment, check=True)
    assert noted.read_text().splitlines() == ["init -input=false", *(call.format(here=ROOT) for call in calls)]
