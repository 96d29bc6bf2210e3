"""An emulator of AWS on loopback, and the Terraform applied to it.

with emulator(tmp_path) as aws:
    stack = Stack(aws, tmp_path / "stack", package_directory, {"web_search": False})
    stack.apply()
    stack.url("/v1/ask"), stack.outputs(), stack.resources(), stack.changes(), stack.destroy()
"""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3

from tests.support.infra.tools import (
    copy_configuration,
    emulator_python,
    environment,
    provider_mirror,
    run,
    terraform,
)

PATIENCE_SECONDS = 300  # its first start compiles it, and other work may go on

# Replaces settings that the emulator lacks (queries, X-Ray groups) or that block destruction. Unsupported calls would
# be retried for minutes, so retries are few.
FOR_THE_EMULATOR: dict[str, Any] = {
    "max_retries": 4,
    "collection_public": True,
    "documents_force_destroy": True,
    "saved_queries": False,
    "secret_recovery_days": 0,
}

# The provider makes functions of files one at a time, and waits five seconds for each; of objects, ten at a time.
PACKAGES = "packages"
_FROM_OBJECTS = """
resource "%s" "%s" {
  filename  = null
  s3_bucket = "packages"
  s3_key    = "%s.zip"
}
"""
_PACKAGED = (
    ("aws_lambda_function", "step", "${each.value.zip}"),
    ("aws_lambda_function", "ask", "ask"),
    ("aws_lambda_layer_version", "layer", "${each.key}"),
)


@contextmanager
def emulator(directory: Path) -> Iterator[str]:
    """Yield the address of an emulator that writes below `directory` and ends with the block."""
    python, port = emulator_python(), _free_port()
    address = f"http://127.0.0.1:{port}"
    # Its workers call AWS at this address; by default it listens on every interface.
    own = {"GATEWAY_PORT": str(port), "BIND_HOST": "127.0.0.1", "MINISTACK_HOST": "127.0.0.1", "TMPDIR": str(directory)}
    own["S3_DATA_DIR"] = str(directory / "s3")
    # Waits and retries of minutes take seconds.
    own["SFN_WAIT_SCALE"] = "0.02"
    program = str(Path(__file__).parents[1] / "emulated" / "process.py")
    with (directory / "emulator.log").open("w") as log:
        process = subprocess.Popen(
            [python, program],
            cwd=directory,
            env=environment(directory, **own),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait_until_up(process, address, directory / "emulator.log")
            yield address
        finally:
            # Its own process group: the emulator and the workers that it started.
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class Stack:
    """A deployment of infra/, made from a copy in `directory`; `seconds` keeps those of the first call of each kind."""

    def __init__(self, aws: str, directory: Path, packages: Path, variables: Mapping[str, Any] | None = None) -> None:
        self.aws, self.directory, self.packages = aws, directory, packages
        self.log = directory / "provider.log"
        self.seconds: dict[str, float] = {}
        self._outputs: dict[str, Any] = {}
        directory.mkdir(parents=True)
        copy_configuration(directory)
        values = {**FOR_THE_EMULATOR, "package_directory": str(packages), **(variables or {})}
        (directory / "test.auto.tfvars.json").write_text(json.dumps(values))
        (directory / "override.tf").write_text("".join(_FROM_OBJECTS % each for each in _PACKAGED))
        self._terraform("init", "-input=false", *provider_mirror())

    def apply(self, *targets: str) -> None:
        """Create everything or apply changes; `targets` limits it to these resources and their dependencies."""
        self._upload()
        chosen = [f"-target={target}" for target in targets]
        self._terraform("apply", "-input=false", "-auto-approve", "-no-color", *chosen)
        outputs = json.loads(self._terraform("output", "-json"))
        self._outputs = {name: output["value"] for name, output in outputs.items()}

    def _upload(self) -> None:
        s3 = boto3.client(
            "s3",
            endpoint_url=self.aws,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )
        s3.create_bucket(Bucket=PACKAGES)
        for package in self.packages.glob("*.zip"):
            s3.upload_file(str(package), PACKAGES, package.name)

    def change(self, **variables: Any) -> None:
        """Apply with other values of these variables."""
        self.set(**variables)
        self.apply()

    def set(self, **variables: Any) -> None:
        """Change variables for later steps."""
        file = self.directory / "test.auto.tfvars.json"
        file.write_text(json.dumps({**json.loads(file.read_text()), **variables}))

    def changes(self) -> dict[str, list[str]]:
        """Return the planned actions by resource address."""
        return {address: change["actions"] for address, change in self._plan() if change["actions"] != ["no-op"]}

    def planned(self) -> dict[str, dict[str, Any]]:
        """Return the attributes that resources would have after another apply, by address, as far as they are known."""
        return {address: change["after"] for address, change in self._plan() if change["after"] is not None}

    def _plan(self) -> list[tuple[str, dict[str, Any]]]:
        self._terraform("plan", "-input=false", "-out=plan", "-no-color")
        plan = json.loads(self._terraform("show", "-json", "plan"))
        return [(each["address"], each["change"]) for each in plan["resource_changes"] if each["mode"] == "managed"]

    def destroy(self) -> None:
        """Remove everything that the last apply left."""
        self._terraform("destroy", "-input=false", "-auto-approve", "-no-color", "-refresh=false")

    def outputs(self) -> dict[str, Any]:
        """Return the outputs' values by name, as the last apply left them."""
        return self._outputs

    def resources(self) -> dict[str, dict[str, Any]]:
        """Return the attributes of every resource that terraform manages, by address."""
        state = json.loads(self._terraform("show", "-json"))
        found = state.get("values", {}).get("root_module", {}).get("resources", [])
        return {each["address"]: each["values"] for each in found if each["mode"] == "managed"}

    def url(self, path: str) -> str:
        """Return the address of a path of the deployed API at the emulator."""
        endpoint = urlsplit(self._outputs["endpoint"])
        api = str(endpoint.hostname).split(".")[0]
        return f"{self.aws}/_aws/execute-api/{api}{endpoint.path}{path}"

    def _terraform(self, verb: str, *options: str) -> str:
        started = time.monotonic()
        # The provider's log names each of its calls.
        logged = {"TF_LOG_PROVIDER": "DEBUG", "TF_LOG_PATH": str(self.log)}
        env = environment(self.directory, AWS_ENDPOINT_URL=self.aws, **logged)
        done = run([terraform(), verb, *options], self.directory, env)
        self.seconds.setdefault(verb, time.monotonic() - started)
        return done.stdout


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_until_up(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    give_up = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < give_up and process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/_ministack/health", timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the emulator did not come up:\n{log.read_text()[-2000:]}")
