"""The judges of the steps, as `selfrag eval graders --adopt` chose them: a file for this laptop and for Terraform."""

import json
from pathlib import Path

from pydantic import ValidationError

from selfrag.domain.base import Model
from selfrag.domain.decisions import Thresholds
from selfrag.domain.errors import InvalidInput, Misconfigured
from selfrag.judging.graders import GraderKind
from selfrag_cli.local.home import home


class AdoptedGraders(Model):
    """The kind of judge of each step, and a cascade's thresholds: two variables of Terraform, and two settings here."""

    graders: dict[str, GraderKind] = {}
    decider_thresholds: dict[str, Thresholds] = {}

    @property
    def settings(self) -> dict[str, str]:
        """Return the settings by the names of their environment variables."""
        return {f"SELFRAG_{name.upper()}": json.dumps(value) for name, value in self.model_dump().items()}

    def adopt(self, step: str, grader: GraderKind, thresholds: Thresholds | None) -> "AdoptedGraders":
        """Return the judges with another one of this step."""
        others = {name: value for name, value in self.decider_thresholds.items() if name != step}
        adopted = {step: thresholds} if thresholds else {}
        return AdoptedGraders(graders={**self.graders, step: grader}, decider_thresholds={**others, **adopted})

    def write(self, path: Path) -> None:
        """Write a file; raises InvalidInput where that fails."""
        try:
            path.write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def adopted_file() -> Path:
    """Return the file that the laptop reads."""
    return home() / "graders.json"


def read_adopted(path: Path) -> AdoptedGraders:
    """Read a file, and nothing where there is none; raises Misconfigured for one that holds something else."""
    try:
        return AdoptedGraders.model_validate_json(path.read_bytes()) if path.exists() else AdoptedGraders()
    except (OSError, ValidationError) as error:
        sentence = f"{path} does not say who judges which step: delete it, and run `selfrag eval graders --adopt`."
        raise Misconfigured(sentence) from error
