"""Regenerate policies.json from Terraform in the emulator: two minutes, without AWS.

python -m tests.support.roles.export
"""

import json
import tempfile
import zipfile
from pathlib import Path

from infra.packages.zips import LAYERS
from tests.support.infra.emulator import Stack, emulator
from tests.support.infra.rules import AGENTS, OPTIONS, functions_of
from tests.support.roles.policies import FILE, Policies, policies_of

POLICIES = (
    "aws_iam_role_policy.step",
    "aws_iam_role_policy.machine",
    "aws_iam_role_policy.events",
    "aws_opensearchserverless_access_policy.data",
)


def made() -> Policies:
    """Return the policies of infra/ and the resources they name; the functions' packages are empty."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        packages = directory / "packages"
        packages.mkdir()
        for part in [*functions_of(), AGENTS, *LAYERS]:
            with zipfile.ZipFile(packages / f"{part}.zip", "w") as package:
                package.writestr("empty.txt", "")
        with emulator(directory) as aws:
            stack = Stack(aws, directory / "stack", packages, OPTIONS)
            stack.apply(*POLICIES)
            return policies_of(stack.resources())


if __name__ == "__main__":
    FILE.write_text(json.dumps(made(), indent=2) + "\n", encoding="utf-8")
