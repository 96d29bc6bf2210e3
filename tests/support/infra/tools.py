"""The tools of these tests; a missing one skips a test, or fails it where CI runs."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
INFRA = ROOT / "infra"
DECIDING = ROOT / "tests" / "support" / "roles"


def needed(found: str | Path | None, what: str) -> str:
    """Return the path of a tool, which must be there in CI."""
    if found and Path(found).exists():
        return str(found)
    if os.environ.get("CI"):
        pytest.fail(f"{what}: CI must not go without it")
    pytest.skip(what)


def terraform() -> str:
    """Return the terraform program."""
    return needed(shutil.which("terraform"), "terraform is not installed")


def emulator_python() -> str:
    """Return the interpreter that has ministack."""
    found = os.environ.get("SELFRAG_EMULATOR_PYTHON") or ROOT / ".venv-emulator/bin/python"
    return needed(found, "ministack is not installed: make .venv-emulator")


def checkov() -> str:
    """Return the checkov program."""
    found = os.environ.get("SELFRAG_CHECKOV") or ROOT / ".venv-checkov/bin/checkov"
    return needed(found, "checkov is not installed: make .venv-checkov")


def can_decide() -> bool:
    """Return whether this machine can decide calls by policies; else some tests run with every call allowed."""
    return bool(shutil.which("node")) and (DECIDING / "node_modules").exists()


def simulator() -> list[str]:
    """Return the command that decides calls by policies."""
    node = needed(shutil.which("node"), "node is not installed")
    needed(DECIDING / "node_modules", "iam-simulate is not installed: make install")
    return [node, str(DECIDING / "decide.mjs")]


def provider_mirror() -> list[str]:
    """Return the option of `terraform init` for a folder that holds the provider, if the machine has one."""
    # HOST/hashicorp/aws, the form of a filesystem mirror; elsewhere terraform downloads the provider.
    for provider in [*Path("/opt").glob("*/*/hashicorp/aws"), *Path("/usr/share").glob("*/*/hashicorp/aws")]:
        return [f"-plugin-dir={provider.parents[2]}"]
    return []


# A closed port: a plan that calls AWS fails at once.
NOWHERE = "http://127.0.0.1:9"
# How terraform reaches the provider that runs for all plans, if one does.
_RUNNING: dict[str, str] = {}


@contextmanager
def running_provider(directory: Path) -> Iterator[None]:
    """Run the provider of an initialised configuration for all plans of the block: a start takes two seconds."""
    [program] = (directory / ".terraform" / "providers").glob("*/hashicorp/aws/*/*/terraform-provider-aws*")
    env = environment(directory, AWS_ENDPOINT_URL=NOWHERE)
    process = subprocess.Popen(
        [program, "-debug"], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout
    try:
        said = (re.search(r"TF_REATTACH_PROVIDERS='(.+)'", line) for line in process.stdout)
        [_RUNNING["TF_REATTACH_PROVIDERS"]] = next(found for found in said if found).groups()
        yield
    finally:
        _RUNNING.clear()
        process.terminate()
        process.communicate()


def copy_configuration(directory: Path) -> None:
    """Copy what terraform and the doctor read of infra/, so that they leave nothing in the checkout."""
    for file in INFRA.glob("*.tf"):
        shutil.copy(file, directory)
    shutil.copy(INFRA / "provider.tf.example", directory / "provider.tf")
    shutil.copytree(INFRA / "deployer", directory / "deployer")
    # The definitions and the API's description are expected next to infra/; multiple copies are identical.
    selfrag, own = ROOT / "functions" / "selfrag", directory.parent / "functions" / "selfrag"
    shutil.copytree(selfrag / "workflows", own / "workflows", dirs_exist_ok=True)
    (own / "api").mkdir(exist_ok=True)
    shutil.copy(selfrag / "api" / "openapi.json", own / "api")


def environment(directory: Path, **more: str) -> dict[str, str]:
    """This process's environment without what would reach a real account."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TF_"))}
    # Terraform warns of a configuration that does not exist, and takes the user's when none is named.
    configuration = os.environ.get("TF_CLI_CONFIG_FILE", "")
    if not Path(configuration).is_file():
        configuration = str(directory / "terraform.rc")
        Path(configuration).touch()
    fixed = {
        "TF_CLI_CONFIG_FILE": configuration,
        "TF_IN_AUTOMATION": "1",
        "CHECKPOINT_DISABLE": "1",
        # Terraform holds the provider's schema, which its collector would walk again and again.
        "GOGC": "400",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }
    # Calls to an emulator use a provider with its address.
    calls = more.get("AWS_ENDPOINT_URL", NOWHERE) != NOWHERE
    return {**kept, **fixed, **({} if calls else _RUNNING), **more}


def run(
    command: list[str], directory: Path, env: dict[str, str] | None = None, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a program and show all it printed when it fails."""
    done = subprocess.run(command, cwd=directory, env=env, capture_output=True, text=True, timeout=600, check=False)
    if check and done.returncode:
        pytest.fail(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
    return done
