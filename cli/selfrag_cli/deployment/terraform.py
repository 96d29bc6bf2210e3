"""Variables, outputs and state of a deployment, read through terraform."""

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from selfrag.domain.errors import InvalidInput, Misconfigured

# Output values by name: strings, and objects of strings.
Outputs = dict[str, Any]


class DeciderChoice(BaseModel):
    """The server of a decision model."""

    url: str
    model: str
    secret: bool = False
    window_tokens: int = 4096


class Choices(BaseModel):
    """Variables that the doctor reads, with the defaults of infra/variables.tf (a test compares them)."""

    name: str = "selfrag"
    region: str | None = None
    role_path: str = "/"
    model_provider: str = "anthropic"
    model_base_url: str | None = None
    models: dict[str, str] = {}
    embedding_region: str | None = None
    web_search: bool = False
    collections: list[str] = ["documents"]
    collection: str = "nextgen"
    collection_endpoint: str | None = None
    collection_generation: int = 1
    collection_max_ocus: int = 4
    account_concurrency: int | None = None
    manage_api_gateway_account: bool = False
    text_recognition: str = "off"
    otlp_secret: bool = False
    langfuse_host: str | None = None
    decider: DeciderChoice | None = None
    knowledge_base: dict[str, object] | None = None

    @property
    def makes_nextgen(self) -> bool:
        """Return whether the deployment creates a NextGen collection."""
        return self.collection_endpoint is None and self.collection == "nextgen"

    @property
    def secrets(self) -> list[str]:
        """Return the names of a deployment's secrets."""
        needed = {
            "anthropic": self.model_provider == "anthropic",
            "tavily": self.web_search,
            "decider": self.decider is not None and self.decider.secret,
            "otlp": self.otlp_secret,
            "langfuse": self.langfuse_host is not None,
        }
        return [f"{self.name}/{secret}" for secret, is_needed in needed.items() if is_needed]


def read_choices(infra: Path, var_files: Sequence[Path] = ()) -> Choices:
    """Return the variables as terraform resolves them from files, environment and `var_files`.

    Raises InvalidInput without the folder or for invalid values, Misconfigured without terraform.
    """
    if not infra.is_dir():
        raise InvalidInput(
            f"There is no folder {infra}: the doctor reads the Terraform's variables, so run it in a checkout of "
            "selfrag, or name the folder with --infra."
        )
    fields = ", ".join(f"{name} = var.{name}" for name in Choices.model_fields)
    options = [f"-var-file={file.absolute()}" for file in var_files]
    # Base64, because the console quotes strings differently.
    done = _run(infra, "console", "-no-color", *options, typed=f"base64encode(jsonencode({{{fields}}}))\n")
    if done.returncode:
        # Only Terraform's headings: its messages quote the files.
        headings = dict.fromkeys(re.findall(r"^Error: (.+)$", done.stderr, re.M))
        raise InvalidInput(
            f"terraform cannot read the variables of {infra} ({'; '.join(headings)}). `make doctor` prepares the "
            "folder for terraform, and `terraform plan` says which value is wrong."
        )
    values = json.loads(base64.b64decode(done.stdout.splitlines()[-1]))
    return Choices.model_validate({name: value for name, value in values.items() if value is not None})


def read_outputs(infra: Path) -> Outputs:
    """Return a deployment's outputs; raises InvalidInput without one."""
    done = _run(infra, "output", "-json")
    outputs = {} if done.returncode else json.loads(done.stdout or "{}")
    if "endpoint" not in outputs:
        raise InvalidInput(
            f"`terraform -chdir={infra} output` shows no deployment: run `terraform init` there if its state is "
            "elsewhere, or `make deploy` first."
        )
    return {name: output["value"] for name, output in outputs.items()}


def has_resources(infra: Path) -> bool:
    """Return whether a folder's state has resources, even from an interrupted deployment."""
    done = _run(infra, "state", "list")
    return not done.returncode and bool(done.stdout.strip())


def _run(infra: Path, *command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    terraform = shutil.which("terraform")
    if not terraform:
        raise Misconfigured("terraform is not installed: docs/deploy.md says which version a deployment needs.")
    return subprocess.run(  # noqa: S603 (our own arguments)
        [terraform, f"-chdir={infra}", *command], input=typed, capture_output=True, text=True, check=False
    )
