"""A file of a public set: where it is, and how it is brought. None is part of selfrag."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from selfrag.domain.errors import InvalidInput


@dataclass(frozen=True)
class PublicFile:
    """A file of a repository on GitHub, at one commit."""

    repository: str
    commit: str
    path: str
    sha256: str

    @property
    def address(self) -> str:
        """Return where to load it from."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"

    def text(self, directory: Path, name: str) -> str:
        """Read it from a directory, in which it is called so, with its own suffix.

        Raises InvalidInput if it is not there, with the command that brings it, and if its digest is another one.
        """
        path = directory / f"{name}{Path(self.path).suffix}"
        if not path.exists():
            told = f"curl --fail --create-dirs --output {path} {self.address}"
            raise InvalidInput(f"{path} is not there. Its owners' terms hold for it; this brings it: {told}")
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise InvalidInput(f"{path} is not the file of {self.address}: its digest is another one.")
        return content.decode()
