"""What the state of the Terraform says of a deployment."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from selfrag.domain.errors import InvalidInput

Outputs = dict[str, Any]


def outputs_of(infra: Path) -> Outputs:
    """The outputs' values by name; none where nothing is deployed, or terraform cannot say."""
    terraform = shutil.which("terraform")
    if not terraform:
        return {}
    command = [terraform, f"-chdir={infra}", "output", "-json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own arguments)
    if done.returncode:
        return {}
    return {name: output["value"] for name, output in json.loads(done.stdout or "{}").items()}


def deployed_outputs(infra: Path) -> Outputs:
    """The outputs of a deployment; raises InvalidInput when there is none."""
    outputs = outputs_of(infra)
    if "endpoint" not in outputs:
        raise InvalidInput(
            f"`terraform -chdir={infra} output` knows no deployment: run `terraform init` there if its state is "
            "elsewhere, or `make deploy` first."
        )
    return outputs
