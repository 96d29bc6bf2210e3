"""infra/ is a module of other configurations, which configure the provider, and a root by itself."""

import json
import shutil
from pathlib import Path

from tests.support.infra import reference
from tests.support.infra.rules import blocks, text_of
from tests.support.infra.tools import INFRA, copy_configuration, environment, provider_mirror, run, terraform


def test_another_configuration_makes_two_deployments_by_a_provider_of_its_own(tmp_path: Path) -> None:
    module, example = tmp_path / "infra", tmp_path / "infra" / "examples" / "module"
    example.mkdir(parents=True)
    copy_configuration(module)
    (module / "provider.tf").unlink()
    shutil.copy(INFRA / "examples" / "module" / "main.tf", example)
    run([terraform(), "init", "-input=false", "-backend=false", *provider_mirror()], example, environment(tmp_path))
    validated = json.loads(run([terraform(), "validate", "-json"], example, environment(tmp_path)).stdout)
    assert (validated["valid"], validated["diagnostics"]) == (True, [])
    # Terraform refuses several deployments by a module that configures a provider itself.
    assert "for_each" in blocks(text_of(example), "module")["selfrag"]


def test_the_page_of_the_module_lists_its_inputs_and_outputs() -> None:
    assert reference.reference() == reference.PAGE.read_text(encoding="utf-8"), "make format writes it"


def test_a_root_configures_what_a_module_leaves_to_its_caller() -> None:
    own = blocks((INFRA / "provider.tf.example").read_text(encoding="utf-8"), "variable")
    assert own.keys() == {"region", "max_retries", "tags"}
    assert own.keys().isdisjoint(blocks((INFRA / "variables.tf").read_text(encoding="utf-8"), "variable"))
