"""The libraries of the layers: those that the Lambda's machine needs, at the pinned versions, without network."""

import hashlib
import tomllib
from importlib.metadata import distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from infra.packages.libraries import HASHES, REQUIREMENTS, ROOT, NoLibraries, install
from infra.packages.zips import write_zip

ARM64 = ["--python-platform", "aarch64-manylinux_2_28", "--python-version", "3.13"]
FAST = "cp313-cp313-manylinux_2_17_aarch64.manylinux2014_aarch64"
OTHERS = ("cp313-cp313-manylinux_2_17_x86_64", "cp312-cp312-manylinux_2_17_aarch64", "cp313-cp313-macosx_11_0_arm64")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project next to a folder of wheels."""
    wheels = tmp_path / "wheels"
    for tag in (FAST, *OTHERS):
        wheel(wheels, "fast", "1.0", tag, requires=('old; python_version < "3.13"', "heavy", "plain>=1"))
    for version in ("1.0", "1.1"):
        wheel(wheels, "plain", version, "py3-none-any")
    wheel(wheels, "reader", "1.0", "py3-none-any", requires=("plain",))
    folder = tmp_path / "project"
    (folder / HASHES).parent.mkdir(parents=True)
    write_hashes(folder, wheels, ("fast==1.0", "plain==1.0", "reader==1.0"))
    (folder / "pyproject.toml").write_text(
        '[dependency-groups]\nlayer = ["fast"]\nreaders = ["reader"]\nprotocol = []\ntraces = []\n'
        '[tool.uv]\nexclude-dependencies = ["heavy"]\n'
    )
    return folder


def write_hashes(folder: Path, wheels: Path, pins: tuple[str, ...]) -> None:
    """Write the file of hashes with these versions."""
    lines = []
    for pin in pins:
        files = wheels.glob(f"{pin.replace('==', '-')}-*.whl")
        hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)] or ["0" * 64]
        lines += [" ".join([pin, *(f"--hash=sha256:{each}" for each in hashes)])]
    (folder / HASHES).write_text("\n".join(lines) + "\n")


def install_offline(out: Path, project: Path) -> None:
    """Install for Lambda from the folder of wheels alone."""
    cache, wheels = str(project.parent / "cache"), str(project.parent / "wheels")
    install(out, project, [*ARM64, "--no-index", "--find-links", wheels, "--cache-dir", cache])


def wheel(wheels: Path, name: str, version: str, tag: str, requires: tuple[str, ...] = ()) -> None:
    """A wheel with one module, which holds the wheel's tag."""
    about = f"{name}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    metadata += [f"Requires-Dist: {each}" for each in requires]
    files = {
        f"{name}.py": tag,
        f"{about}/METADATA": "\n".join(metadata),
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n",
        f"{about}/RECORD": "",
    }
    write_zip(wheels / f"{name}-{version}-{tag}.whl", {path: text.encode() for path, text in files.items()})


def test_pinned_lambda_wheels_are_installed_on_any_machine(project: Path, tmp_path: Path) -> None:
    install_offline(tmp_path / "out", project)
    assert (tmp_path / "out" / "layer" / "fast.py").read_text() == FAST
    held = {path.name for path in (tmp_path / "out" / "layer").glob("*.dist-info")}
    assert held == {"fast-1.0.dist-info", "plain-1.0.dist-info"}, "neither what 3.13 does not need nor what is left out"


def test_reader_libraries_are_split_from_shared_ones(project: Path, tmp_path: Path) -> None:
    install_offline(tmp_path / "out", project)
    files = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out" / "readers").rglob("*.py")}
    assert files == {"readers/reader.py"}, "plain, which the reader needs, is in the other"


def test_outdated_output_is_removed(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "gone.py").touch()
    install_offline(tmp_path / "out", project)
    assert not (tmp_path / "out" / "gone.py").exists()


def test_unavailable_library_is_named_and_the_folder_is_unchanged(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "kept.py").touch()
    write_hashes(project, project.parent / "wheels", ("fast==1.0", "plain==2.0", "reader==1.0"))
    with pytest.raises(NoLibraries, match=r"plain==2\.0"):
        install_offline(tmp_path / "out", project)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["kept.py"]


def test_a_library_with_another_content_than_its_hash_says_is_refused(project: Path, tmp_path: Path) -> None:
    wheel(project.parent / "wheels", "plain", "1.0", "py3-none-any", requires=("fast",))
    with pytest.raises(NoLibraries, match="Hash mismatch"):
        install_offline(tmp_path / "out", project)


def test_a_library_without_a_hash_is_refused(project: Path, tmp_path: Path) -> None:
    write_hashes(project, project.parent / "wheels", ("fast==1.0", "reader==1.0"))
    with pytest.raises(NoLibraries, match="plain"):
        install_offline(tmp_path / "out", project)


@pytest.mark.parametrize("file", [HASHES, REQUIREMENTS])
def test_the_hashes_are_of_the_pinned_versions_and_name_no_host(file: str) -> None:
    pinned = dict(line.lower().replace("_", "-").split("==") for line in pins(ROOT / "constraints.txt"))
    hashed = dict(line.split(" ")[0].split("==") for line in pins(ROOT / file))
    assert {name: pinned.get(name, version) for name, version in hashed.items()} == hashed
    assert "://" not in (ROOT / file).read_text()
    assert (ROOT / file).read_text().count("--hash=sha256:") > len(hashed)


def test_the_requirements_have_a_hash_for_all_that_an_installation_brings() -> None:
    hashed = {canonicalize_name(line.partition("==")[0]) for line in pins(ROOT / REQUIREMENTS)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    dependencies = {canonicalize_name(Requirement(line).name) for line in project["dependencies"]}
    assert dependencies <= hashed
    brought = {Requirement(line) for name in hashed & installed() for line in requires(name) or ()}
    needed = {
        canonicalize_name(each.name) for each in brought if each.marker is None or each.marker.evaluate({"extra": ""})
    }
    assert needed <= hashed


def installed() -> set[str]:
    return {canonicalize_name(distribution.name) for distribution in distributions()}


def pins(file: Path) -> list[str]:
    """Return the lines of a file of requirements that name a version."""
    return [line for line in file.read_text().splitlines() if "==" in line and not line.startswith((" ", "#"))]


TEAM = {"PIP_INDEX_URL": "http://127.0.0.1:9/team"}


@pytest.mark.parametrize(("environment", "index"), [({}, "everyone"), (TEAM, "team")])
def test_the_index_is_the_one_that_pip_is_configured_with(
    environment: dict[str, str], index: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = http://127.0.0.1:9/everyone\n")
    for name in ("UV_DEFAULT_INDEX", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    settings = {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "UV_CACHE_DIR": str(tmp_path / "cache")}
    for name, value in {**settings, "UV_HTTP_RETRIES": "0", **environment}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(NoLibraries, match=rf"http://127\.0\.0\.1:9/{index}/fast/"):
        install(tmp_path / "out", project, ARM64)
