"""Terraform's plan without AWS: its provider is a mock, so what only AWS knows is unknown (None)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.packages.package import FUNCTIONS
from infra.packages.zips import LAYERS, steps_of
from tests.support.infra.tools import copy_configuration, environment, provider_mirror, run, terraform


@dataclass(frozen=True)
class Plan:
    """The attributes of every resource and its policies by address, and the settings of the steps."""

    resources: dict[str, dict[str, Any]]
    # By step: a function's variables for optional settings.
    told: dict[str, dict[str, str]]

    @property
    def functions(self) -> list[dict[str, Any]]:
        """Return the attributes of every function."""
        return [values for address, values in self.resources.items() if address.startswith("aws_lambda_function.")]

    @property
    def allowed(self) -> dict[str, list[dict[str, Any]]]:
        """Return the statements of the policies by name."""
        return {
            address.removeprefix(_POLICY): values["statement"]
            for address, values in self.resources.items()
            if address.startswith(_POLICY)
        }


_POLICY = "data.aws_iam_policy_document."
_OPTIONAL = "DECIDER|GRADERS|GUARD|DAILY|KNOWLEDGE|UPLOADS|EMBEDDING_REGION|RETRIEVAL_GUIDANCE"
_TEST = """
mock_provider "aws" {
  override_during = plan
  mock_resource "aws_secretsmanager_secret" {
    defaults = { arn = "arn:aws:secretsmanager:us-east-1:000000000000:secret:key" }
  }
  mock_resource "aws_lambda_alias" {
    defaults = { arn = "arn:aws:lambda:us-east-1:000000000000:function:each:live", invoke_arn = "each/invocations" }
  }
  mock_resource "aws_iam_role" {
    defaults = { arn = "arn:aws:iam::000000000000:role/each" }
  }
  mock_resource "aws_cloudwatch_metric_alarm" {
    defaults = { arn = "arn:aws:cloudwatch:us-east-1:000000000000:alarm:each" }
  }
  mock_resource "aws_api_gateway_stage" {
    defaults = {
      arn        = "arn:aws:apigateway:us-east-1::/restapis/api/stages/live"
      invoke_url = "https://api.execute-api.us-east-1.amazonaws.com/live"
    }
  }
  mock_resource "aws_cloudformation_stack" {
    defaults = {
      outputs = {
        Arn                = "arn:aws:aoss:us-east-1:000000000000:collection/each"
        CollectionEndpoint = "https://each.aoss.us-east-1.on.aws"
        Id                 = "each"
      }
    }
  }
  mock_data "aws_iam_policy_document" {
    defaults = { json = "{}" }
  }
  mock_data "aws_caller_identity" {
    defaults = { account_id = "000000000000" }
  }
  mock_data "aws_partition" {
    defaults = { partition = "aws" }
  }
  mock_data "aws_region" {
    defaults = { id = "us-east-1" }
  }
}
run "planned" {
  command = plan
  # Fails with what the functions are told of optional settings.
  assert {
    condition = local.environments == null
    error_message = jsonencode({ for step, of in local.environments : step => {
      for name in keys(of) : name => of[name]
      if can(regex("^SELFRAG_(%s)", name)) ? of[name] != null : false
    } })
  }
}
"""


def prepared(directory: Path) -> Path:
    """Return a folder with the configuration, ready for plans; the functions' packages are empty."""
    copy_configuration(directory)
    for package in [*steps_of(FUNCTIONS), *LAYERS]:
        (directory / f"{package}.zip").touch()
    (directory / "planned.tftest.hcl").write_text(_TEST % _OPTIONAL)
    run([terraform(), "init", "-input=false", "-backend=false", *provider_mirror()], directory, environment(directory))
    return directory


class Planner:
    """Plans in a prepared folder, each set of variables once."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._known: dict[str, Plan] = {}

    def __call__(self, **variables: Any) -> Plan:
        """Return the plan for these variables; fails the test if the plan fails."""
        values = json.dumps({"collection_public": True, "package_directory": ".", **variables}, sort_keys=True)
        if values not in self._known:
            self._known[values] = self._planned(values)
        return self._known[values]

    def _planned(self, values: str) -> Plan:
        (self.directory / "planned.json").write_text(values)
        options = ["-filter=planned.tftest.hcl", "-var-file=planned.json", "-no-color", "-verbose", "-json"]
        done = run([terraform(), "test", *options], self.directory, environment(self.directory), check=False)
        said = [json.loads(line) for line in done.stdout.splitlines()]
        changes = [
            change for each in said if each["type"] == "test_plan" for change in each["test_plan"]["resource_changes"]
        ]
        [*wrong, asserted] = [each["diagnostic"] for each in said if each["type"] == "diagnostic"]
        assert changes, [each["summary"] for each in (*wrong, asserted)]
        return Plan({each["address"]: each["change"]["after"] for each in changes}, json.loads(asserted["detail"]))
