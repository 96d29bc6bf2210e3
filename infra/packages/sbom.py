"""The list of the layers' libraries as CycloneDX JSON, the same byte for byte from the same libraries."""

import json
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import quote

from infra.packages.zips import LAYERS


def sbom(libraries: Path) -> str:
    """Return the software bill of materials of a folder of libraries, which has a folder for each layer."""
    installed = {
        (library.metadata["Name"].lower().replace("_", "-"), library.version): library.metadata
        for layer in LAYERS
        for library in distributions(path=[str(libraries / layer)])
    }
    components = []
    for (name, version), metadata in sorted(installed.items()):
        purl = f"pkg:pypi/{name}@{quote(version)}"
        component: dict[str, object] = {
            "type": "library",
            "bom-ref": purl,
            "name": name,
            "version": version,
            "purl": purl,
        }
        if "License-Expression" in metadata:
            component["licenses"] = [{"expression": metadata["License-Expression"]}]
        components.append(component)
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}
    return json.dumps(document, indent=2) + "\n"
