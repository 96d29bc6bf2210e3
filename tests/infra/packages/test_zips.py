"""The zips: reproducible, complete for a Lambda, and minimal."""

import compileall
import hashlib
import json
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable
from email.parser import HeaderParser
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from infra.packages.libraries import HASHES, ROOT
from infra.packages.package import FUNCTIONS, app
from infra.packages.sbom import sbom
from infra.packages.zips import (
    LAYERS,
    SERVICES,
    TRACES,
    function_files,
    steps_of,
    write_zip,
)
from tests.support.cold_start import SECOND_LAYERS, layers_of
from tests.support.infra.rules import local_values, text_of

MEGABYTE = 1024 * 1024
STEPS = steps_of(FUNCTIONS)
LAMBDA = {
    "python_version": "3.13",
    "python_full_version": "3.13.0",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "platform_machine": "aarch64",
    "platform_system": "Linux",
    "sys_platform": "linux",
    "os_name": "posix",
    "extra": "",
}


def digests(out: Path) -> dict[str, str]:
    return {zip_.name: hashlib.sha256(zip_.read_bytes()).hexdigest() for zip_ in out.glob("*.zip")}


def names(zip_: Path) -> list[str]:
    """Return a zip's file names without bytecode."""
    with zipfile.ZipFile(zip_) as content:
        return [name for name in content.namelist() if not name.endswith(".pyc")]


def entries(zip_: Path) -> list[zipfile.ZipInfo]:
    """Return a zip's entries, including bytecode."""
    with zipfile.ZipFile(zip_) as content:
        return content.infolist()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the checkout, elsewhere, younger, with other permissions and with a tool's leavings."""
    checkout = tmp_path / "another place"
    for folder in ("functions", "infra/packages"):
        shutil.copytree(ROOT / folder, checkout / folder, copy_function=shutil.copyfile)
    for file in ("pyproject.toml", "constraints.txt"):
        shutil.copyfile(ROOT / file, checkout / file)
    compileall.compile_dir(checkout / "functions", quiet=2)
    (steps_of(checkout / "functions")["generate"] / ".DS_Store").touch()
    for source in (checkout / "functions").rglob("*.py"):
        source.chmod(0o600)
    return checkout


def test_a_second_build_elsewhere_gives_the_same_bytes(
    arm64: Path, copy: Path, tmp_path: Path, build: Callable[..., str]
) -> None:
    settings = {"PYTHONHASHSEED": "42", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1700000000"}

    build(tmp_path / "out", "arm64", checkout=copy, env=settings, umask=0o077)

    assert digests(tmp_path / "out") == digests(arm64)


def test_a_changed_prompt_changes_the_zip_of_its_step_alone(
    arm64: Path, copy: Path, tmp_path: Path, build: Callable[..., str]
) -> None:
    with (steps_of(copy / "functions")["generate"] / "prompt.md").open("a") as prompt:
        prompt.write("Be brief.\n")

    build(tmp_path, "arm64", *(f"--step={step}" for step in STEPS), checkout=copy)

    before = digests(arm64)
    assert [zip_ for zip_, digest in digests(tmp_path).items() if before[zip_] != digest] == ["generate.zip"]


def test_the_order_of_files_in_memory_does_not_reach_the_zip(tmp_path: Path) -> None:
    one = write_zip(tmp_path / "one.zip", {"b.py": b"2", "a.py": b"1"})
    other = write_zip(tmp_path / "other.zip", {"a.py": b"1", "b.py": b"2"})
    assert one.sha256 == other.sha256


def test_there_is_a_zip_for_every_step_and_layer(arm64: Path) -> None:
    assert sorted(digests(arm64)) == sorted(f"{name}.zip" for name in [*STEPS, *LAYERS])


def test_a_step_s_zip_holds_the_step_and_no_other(arm64: Path) -> None:
    for step, folder in STEPS.items():
        held, below = set(names(arm64 / f"{step}.zip")), folder.relative_to(FUNCTIONS).as_posix()
        others = {name for name in held if not name.startswith(f"{below}/")}
        assert others <= {f"selfrag/{folder.parent.name}/__init__.py"}
        assert f"{below}/handler.py" in held
        for kind in ("prompt.md", "openapi.json"):
            assert (f"{below}/{kind}" in held) == (folder / kind).exists()


@pytest.mark.parametrize(
    ("layer", "packages"),
    [
        (
            "layer",
            {
                "adapters",
                "authorize",
                "bootstrap",
                "domain",
                "judging",
                "plan",
                "ports",
                "retrieval",
                "runtime",
                "text",
            },
        ),
        ("readers", {"reader"}),
    ],
)
def test_a_layer_holds_its_packages_whole_below_python(arm64: Path, layer: str, packages: set[str]) -> None:
    held = names(arm64 / f"{layer}.zip")
    assert all(name.startswith("python/") for name in held)
    files = [path for package in packages for path in (FUNCTIONS / "selfrag" / package).rglob("*")]
    kept = {path.relative_to(FUNCTIONS).as_posix() for path in files if path.suffix in (".py", ".md")}
    assert {f"python/{name}" for name in kept} <= set(held)
    assert {name.split("/")[2] for name in held if name.startswith("python/selfrag/")} == packages


def test_no_zip_turns_shared_namespace_into_regular_package(arm64: Path) -> None:
    held = [name for zip_ in arm64.glob("*.zip") for name in names(zip_)]
    assert [name for name in held if name.removeprefix("python/").startswith("selfrag/__init__")] == []


def test_no_zip_holds_tests_or_records_of_an_installation(arm64: Path) -> None:
    held = [name for zip_ in arm64.glob("*.zip") for name in names(zip_)]
    left_over = re.compile(r"/_?tests/|/\.|^python/bin/|dist-info/(RECORD|INSTALLER|direct_url\.json|REQUESTED)$")
    assert [name for name in held if left_over.search(name)] == []


def test_every_file_is_readable_by_lambda_user(arm64: Path) -> None:
    for zip_ in arm64.glob("*.zip"):
        with zipfile.ZipFile(zip_) as content:
            modes = {entry.filename: entry.external_attr >> 16 for entry in content.infolist()}
        assert {mode for name, mode in modes.items() if not name.endswith(".sh")} == {0o100644}


def test_lambda_programs_are_executable(copy: Path, tmp_path: Path) -> None:
    [program] = re.findall(r'AWS_LAMBDA_EXEC_WRAPPER += "/var/task/(.+)"', text_of(ROOT / "infra"))
    zip_ = write_zip(tmp_path / "ask.zip", function_files(copy / "functions", "ask")).path
    with zipfile.ZipFile(zip_) as content:
        assert content.getinfo(program).external_attr >> 16 == 0o100755


def test_the_layers_stay_below_the_limits_of_lambda(arm64: Path, record_property: Callable[[str, str], None]) -> None:
    unzipped = {zip_.stem: sum(entry.file_size for entry in entries(zip_)) for zip_ in arm64.glob("*.zip")}
    for layer in LAYERS:
        zipped = (arm64 / f"{layer}.zip").stat().st_size
        told = f"{zipped / MEGABYTE:.1f} MiB, unzipped {unzipped[layer] / MEGABYTE:.1f} MiB"
        record_property("figures", f"{layer}: {told}")
        assert zipped < 50 * MEGABYTE, "a direct upload takes at most 50 MB"
    for step in STEPS:
        together = unzipped[step] + sum(unzipped[layer] for layer in layers_of(step))
        assert together < 250 * MEGABYTE, f"{step} and its layers are unpacked to no more"
        assert len(layers_of(step)) <= 5


def test_rarely_needed_libraries_have_their_own_layers(arm64: Path) -> None:
    in_layer = {layer: {name.split("/")[1] for name in names(arm64 / f"{layer}.zip")} for layer in LAYERS}
    shared, readers, protocol, traces = in_layer.values()
    assert readers >= {"cmarkgfm", "python_calamine", "selectolax", "semantic_text_splitter"}
    assert protocol >= {"mcp", "jwt", "cryptography"}
    assert traces >= {"google", "opentelemetry"}
    assert readers & shared == protocol & shared == {"selfrag"}, "what every function has is not there twice"
    held = {layer: {"/".join(name.split("/")[1:3]) for name in names(arm64 / f"{layer}.zip")} for layer in LAYERS}
    assert held.pop(TRACES) >= {"opentelemetry/sdk", "opentelemetry/exporter", "google/protobuf"}
    assert not {"opentelemetry/sdk", "opentelemetry/exporter", "google/protobuf"} & set().union(*held.values())


def test_the_functions_with_a_second_layer_are_those_that_terraform_gives_it() -> None:
    blocks = local_values(text_of(ROOT / "infra"))
    maps = [
        block[name] for block in blocks for name in ("ingestion_steps", "agent_steps", "span_steps") if name in block
    ]
    steps = {step: body for steps in maps for step, body in steps.items()}
    assert {step: body["layers"][1] for step, body in steps.items() if "layers" in body} == SECOND_LAYERS


def test_every_compiled_module_is_for_the_lambda_s_processor_and_python(arm64: Path) -> None:
    for zip_ in LAYERS:
        with zipfile.ZipFile(arm64 / f"{zip_}.zip") as layer:
            compiled = [name for name in layer.namelist() if name.endswith(".so")]
            assert compiled
            for name in compiled:
                # Shared libraries, unlike extension modules, do not name a Python version.
                if not re.search(r"/lib\w+\.so$", name):
                    assert re.search(r"\.(cpython-313-aarch64-linux-gnu|abi3)\.so$", name), name
                assert int.from_bytes(layer.read(name)[18:20], "little") == 183, f"{name} is not for AArch64"


def test_layers_contain_compatible_versions_of_all_requirements(arm64: Path) -> None:
    unused = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["exclude-dependencies"]
    packages = []
    for zip_ in LAYERS:
        with zipfile.ZipFile(arm64 / f"{zip_}.zip") as layer:
            about = [name for name in layer.namelist() if name.endswith(".dist-info/METADATA")]
            packages += [HeaderParser().parsestr(layer.read(name).decode()) for name in about]
    versions = {canonicalize_name(package["Name"]): package["Version"] for package in packages}
    missing = [
        f"{package['Name']} needs {requirement}"
        for package in packages
        for requirement in map(Requirement, package.get_all("Requires-Dist", []))
        if not requirement.marker or requirement.marker.evaluate(LAMBDA)
        if canonicalize_name(requirement.name) not in unused
        if (version := versions.get(canonicalize_name(requirement.name))) is None
        or not requirement.specifier.contains(version, prereleases=True)
    ]
    assert missing == []


def test_every_aws_service_that_the_code_names_is_described_in_the_layer() -> None:
    sources = "".join(path.read_text() for path in FUNCTIONS.rglob("*.py"))
    named = set(re.findall(r"""(?:\bcreate_client\(|: \()\s*"([\w-]+)",\s*(?=_?config)""", sources))
    assert {"dynamodb", "s3", "bedrock-runtime"} <= named
    assert named <= SERVICES


def test_the_command_says_each_zip_s_size_and_digest(arm64: Path) -> None:
    printed = (arm64 / "printed").read_text()
    for zip_, digest in digests(arm64).items():
        assert re.search(rf"^{zip_} +{(arm64 / zip_).stat().st_size:,}  {digest}", printed, re.MULTILINE)
    assert "MiB unzipped" in printed


def test_package_architecture_is_recorded_beside_zips(tmp_path: Path) -> None:
    options = ["--libraries", str(tmp_path), "--out", str(tmp_path / "out"), "--step", "retrieve"]
    for chosen, said in (([], "arm64"), (["--architecture", "x86_64"], "x86_64")):
        assert CliRunner().invoke(app, [*options, *chosen]).exit_code == 0
        assert (tmp_path / "out" / "architecture").read_text().strip() == said


def test_bill_of_materials_lists_layer_libraries_at_pinned_versions(arm64: Path) -> None:
    text = (arm64 / "sbom.json").read_text(encoding="utf-8")
    bill = json.loads(text)
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    listed = {(each["name"], each["version"]) for each in bill["components"]}
    assert len(listed) == len(bill["components"])
    pinned = set(re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / HASHES).read_text(encoding="utf-8"), re.M))
    assert listed <= pinned
    assert {"httpx2", "pydantic", "pypdfium2", "opensearch-py"} <= {name for name, _ in listed}
    for each in bill["components"]:
        assert each["purl"] == each["bom-ref"] == f"pkg:pypi/{each['name']}@{each['version']}"
    assert "://" not in text, "no address of a host"
    assert str(ROOT) not in text
    assert text == sbom(ROOT / "build" / "libraries" / "arm64"), "again the same"


def test_a_step_that_does_not_exist_is_refused_and_nothing_is_built(tmp_path: Path) -> None:
    options = ["--libraries", str(tmp_path), "--out", str(tmp_path / "out"), "--step", "grade_nothing"]
    result = CliRunner().invoke(app, options)
    assert result.exit_code == 2
    assert "grade_nothing" in result.output
    assert not (tmp_path / "out").exists()


def test_every_library_of_the_layers_is_pinned(arm64: Path) -> None:
    pins = {canonicalize_name(line.split("==")[0]): line.split("==")[1].strip() for line in constraints()}
    listed = [name for layer in LAYERS for name in names(arm64 / f"{layer}.zip")]
    held = {name.split("/")[1] for name in listed if name.endswith(".dist-info/METADATA")}
    assert len(held) > 20
    for library in held:
        name, version = library.removesuffix(".dist-info").split("-")
        assert pins[canonicalize_name(name)] == version


def test_a_step_is_packed_with_its_path_below_functions(tmp_path: Path) -> None:
    for file in ("question/__init__.py", "question/grade/handler.py", "question/write/handler.py", "api/handler.py"):
        (tmp_path / "selfrag" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "selfrag" / file).touch()
    assert set(steps_of(tmp_path)) == {"ask", "grade", "write"}
    grade = {"selfrag/question/__init__.py", "selfrag/question/grade/handler.py"}
    assert set(function_files(tmp_path, "grade")) == grade
    assert set(function_files(tmp_path, "ask")) == {"selfrag/api/handler.py"}


def constraints() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [line for line in lines if "==" in line and not line.startswith("#")]
