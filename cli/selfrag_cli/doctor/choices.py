"""The Terraform's variables that the doctor reads, and its outputs."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from selfrag.domain.errors import InvalidInput, Misconfigured

# The outputs of the Terraform that the doctor reads, by name.
# Most are texts, some are objects of texts.
Outputs = dict[str, Any]
# Terraform reads an environment variable as it stands for these types, and as an expression for any other.
_LITERALS = (str, bool, str | None, int | None)


class DeciderChoice(BaseModel):
    """The server of a decision model."""

    url: str
    model: str
    secret: bool = False
    window_tokens: int = 4096
    thresholds: dict[str, object] = {}


class GuardrailChoice(BaseModel):
    """The variable `guardrail`."""

    id: str
    version: str = "DRAFT"


class KnowledgeBaseChoice(BaseModel):
    """The variable `knowledge_base`."""

    id: str
    collection: str | None = None
    user_id: str | None = None


class Choices(BaseModel):
    """Variables by their names in infra/variables.tf, with its defaults; a test compares them."""

    name: str = "selfrag"
    region: str | None = None
    role_path: str = "/"
    model_provider: str = "anthropic"
    model_base_url: str | None = None
    models: dict[str, str] = {}
    embedding_region: str | None = None
    web_search: bool = False
    collections: list[str] = ["documents"]
    account_concurrency: int | None = None
    manage_api_gateway_account: bool = False
    text_recognition: str = "off"
    otlp_secret: bool = False
    decider: DeciderChoice | None = None
    decider_thresholds: dict[str, object] = {}
    guardrail: GuardrailChoice | None = None
    knowledge_base: KnowledgeBaseChoice | None = None

    @property
    def secrets(self) -> list[str]:
        """Return the names of the secrets that a deployment has."""
        needed = {
            "anthropic": self.model_provider == "anthropic",
            "tavily": self.web_search,
            "decider": self.decider is not None and self.decider.secret,
            "otlp": self.otlp_secret,
        }
        return [f"{self.name}/{each}" for each, is_needed in needed.items() if is_needed]


def choices_in(infra: Path, var_files: Sequence[Path] = (), environment: Mapping[str, str] = os.environ) -> Choices:
    """Read the variables of a folder, later sources over earlier ones as terraform does: TF_VAR_name, files, var_files.

    Raises InvalidInput without the folder or for a source that cannot be read, Misconfigured without python-hcl2.
    """
    if not infra.is_dir():
        raise InvalidInput(
            f"There is no folder {infra}: the doctor reads the Terraform's variables, so run it in a checkout of "
            "selfrag, or name the folder with --infra."
        )
    values: dict[str, object] = {}
    for name, field in Choices.model_fields.items():
        if (text := environment.get(f"TF_VAR_{name}")) is not None:
            literal = field.annotation in _LITERALS
            values |= {name: text} if literal else _parsed(f"{name} = {text}".encode(), f"TF_VAR_{name}", infra)
    for file in (*_files(infra), *var_files):
        if not file.is_file():
            raise InvalidInput(f"There is no file {file}: name a variables file with --var-file.")
        values |= _parsed(file.read_bytes(), str(file), infra)
    try:
        return Choices.model_validate({name: value for name, value in values.items() if value is not None})
    except ValidationError as error:
        wrong = ", ".join(str(each["loc"][0]) for each in error.errors())
        raise InvalidInput(f"The variables of {infra} have no usable value for: {wrong}.") from None


def outputs_of(infra: Path) -> Outputs:
    """Return the outputs' values by name; none where nothing is deployed, or terraform cannot say."""
    terraform = shutil.which("terraform")
    if not terraform:
        return {}
    command = [terraform, f"-chdir={infra}", "output", "-json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (our own arguments)
    if done.returncode:
        return {}
    return {name: output["value"] for name, output in json.loads(done.stdout or "{}").items()}


def deployed_outputs(infra: Path) -> Outputs:
    """Return the outputs of a deployment; raises InvalidInput when there is none."""
    outputs = outputs_of(infra)
    if "endpoint" not in outputs:
        raise InvalidInput(
            f"`terraform -chdir={infra} output` shows no deployment: run `terraform init` there if its state is "
            "elsewhere, or `make deploy` first."
        )
    return outputs


def unquoted(value: object) -> object:
    """Return a value of HCL without the quotes that the parser keeps, of names and of plain texts."""
    if isinstance(value, dict):
        return {unquoted(name): unquoted(part) for name, part in value.items()}
    if isinstance(value, list):
        return [unquoted(part) for part in value]
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1]
    return value


def _files(infra: Path) -> Iterator[Path]:
    named = (infra / "terraform.tfvars", infra / "terraform.tfvars.json")
    automatic = sorted([*infra.glob("*.auto.tfvars"), *infra.glob("*.auto.tfvars.json")])
    yield from (file for file in (*named, *automatic) if file.is_file())


def _parsed(content: bytes, source: str, infra: Path) -> dict[str, object]:
    try:
        text = content.decode()
        if source.endswith(".json"):
            return dict(json.loads(text))
        import hcl2

        return {name: None if value == "null" else unquoted(value) for name, value in hcl2.loads(text + "\n").items()}
    except ImportError as error:
        raise Misconfigured(
            f"Reading {source} takes python-hcl2, which is not installed: run `make doctor` in a checkout of selfrag."
        ) from error
    except Exception:
        # The parser's own message may quote the text, and so a secret.
        raise InvalidInput(f"{source} cannot be read: let `terraform -chdir={infra} validate` say why.") from None
