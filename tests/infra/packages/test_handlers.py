"""Packed code runs: every handler imports from its zip and the layer alone, and no more than it needs."""

from pathlib import Path

import pytest

from infra.packages.package import FUNCTIONS
from infra.packages.zips import SERVICES, steps_of
from tests.support.cold_start import handler_of, run_as_lambda
from tests.support.documents.made_files import made_files

STEPS = steps_of(FUNCTIONS)


def modules(unpacked: Path, step: str) -> set[str]:
    """Return the modules that a step's function loads as it starts, when there is nothing but its zip and the layer."""
    starts = "import os, sys; os.environ['AWS_LAMBDA_FUNCTION_NAME'] = 'f'; "
    code = f"{starts}import {handler_of(unpacked, step)} as h; assert callable(h.handler); print(*sys.modules)"
    done = run_as_lambda(unpacked, step, code)
    assert done.returncode == 0, done.stderr
    # Before the last line the log says what could not be made without a service.
    return set(done.stdout.splitlines()[-1].split())


def loaded(unpacked: Path, step: str) -> set[str]:
    """Return the packages that a step's function loads as it starts."""
    return {name.split(".")[0] for name in modules(unpacked, step)}


@pytest.mark.parametrize("step", STEPS)
def test_function_loads_few_modules_and_model_client_only_if_needed(step: str, unpacked: Path) -> None:
    names = modules(unpacked, step)
    asks_the_model = (STEPS[step] / "prompt.md").exists()
    assert ("selfrag.adapters.claude.http" in names) == asks_the_model
    assert not asks_the_model or len(names) <= 760, "the anthropic SDK alone has 3,000"


def test_compose_answer_loads_neither_the_aws_sdk_nor_an_http_client(unpacked: Path) -> None:
    # Not botocore: Powertools imports its top, half a millisecond, to name itself to AWS.
    heavy = {"anthropic", "opensearchpy", "boto3", "s3transfer", "httpx2", "requests", "urllib3"}
    assert heavy & loaded(unpacked, "compose_answer") == set()


def test_parse_document_loads_file_libraries_lazily(unpacked: Path) -> None:
    libraries = {path.name for path in (unpacked / "readers" / "python").iterdir() if (path / "__init__.py").exists()}
    assert loaded(unpacked, "parse_document") & libraries <= {"yaml"}


def test_every_document_kind_is_read_from_zip_and_layers_alone(unpacked: Path, tmp_path: Path) -> None:
    for ending, content in made_files().items():
        (tmp_path / f"file{ending}").write_bytes(content)
    code = (
        "import pathlib, selfrag.reader.readers as r\n"
        f"for file in sorted(pathlib.Path({str(tmp_path)!r}).iterdir()):\n"
        "    print(file.suffix, len(r.parse(file.name, file.read_bytes()).text) > 10)"
    )
    done = run_as_lambda(unpacked, "parse_document", code)
    assert done.stdout.split("\n")[:-1] == [f"{ending} True" for ending in sorted(made_files())], done.stderr


def test_layer_holds_modules_loaded_by_first_retrieve(unpacked: Path) -> None:
    code = "import selfrag.adapters.opensearch.search, selfrag.adapters.titan, selfrag.adapters.clients"
    done = run_as_lambda(unpacked, "retrieve", code)
    assert done.returncode == 0, done.stderr


def test_every_aws_client_can_be_made_from_the_layer(unpacked: Path) -> None:
    code = f"import boto3; [boto3.client(name, region_name='eu-west-1') for name in {sorted(SERVICES)}]"
    done = run_as_lambda(unpacked, "retrieve", code)
    assert done.returncode == 0, done.stderr


def test_model_client_is_created_from_layer_with_and_without_bedrock(unpacked: Path) -> None:
    code = """
import os
os.environ |= {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "eu-west-1"}
from selfrag.adapters.claude.http import HttpClaude
from selfrag.runtime.settings import Settings
for provider in ("anthropic", "bedrock"):
    HttpClaude.connect(Settings(model_provider=provider), "k")
"""
    done = run_as_lambda(unpacked, "generate", code)
    assert done.returncode == 0, done.stderr


def test_local_packages_are_invisible_to_handlers(unpacked: Path) -> None:
    done = run_as_lambda(unpacked, "retrieve", "import typer")
    assert "ModuleNotFoundError" in done.stderr
