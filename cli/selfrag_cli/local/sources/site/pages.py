"""The pages of a site as files, which a process of Scrapy's fetches."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from selfrag.domain.errors import InvalidInput, SelfragError, TemporarilyUnavailable
from selfrag.reader.processes import isolation
from selfrag_cli.local.sources.site import SiteLimits
from selfrag_cli.local.sources.source import Files
from selfrag_cli.terminal import OnDocument, Progress

# Variables that name proxies and certificates, which no other process of ours needs.
_NETWORK = ("http_proxy", "https_proxy", "ssl_cert_file", "ssl_cert_dir")


@dataclass
class SitePages(Files):
    """The documents of a site by their names; contents wait in a folder, each named by its number."""

    folder: TemporaryDirectory[str] = field(default_factory=TemporaryDirectory)
    days: dict[str, str] = field(default_factory=dict)

    def content(self, path: str) -> bytes:
        """Return the bytes of a document."""
        return Path(self.folder.name, str(self.paths.index(path))).read_bytes()

    def metadata(self, path: str) -> Mapping[str, str]:
        """Return when a document was changed."""
        return {"modified": self.days[path]}


def crawled_pages(
    address: str, cache: Path, earlier: Iterable[str], limits: SiteLimits, on_document: OnDocument
) -> SitePages:
    """Crawl a site from its first page; `earlier` are the documents of the last crawl, `cache` is a folder for Scrapy.

    Raises InvalidInput if the first page may not or cannot be read, TemporarilyUnavailable if the site cannot be
    reached, ModuleNotFoundError without Scrapy.
    """
    if find_spec("scrapy") is None:
        raise ModuleNotFoundError(name="scrapy")
    folder = TemporaryDirectory()
    task = {"address": address, "cache": str(cache), "folder": folder.name, "earlier": list(earlier), **asdict(limits)}
    result: dict[str, Any] = {}
    for line in _lines_of_crawl(task):
        result = json.loads(line)
        if "requested" in result:
            on_document(Progress(result["requested"], result["met"], f"fetching {result['address']}"))
    if "error" in result:
        raise (TemporarilyUnavailable if result["is_busy"] else InvalidInput)(result["error"])
    others, unread, notes = Counter(result["others"]), result["unread"], result["notes"]
    paths, days = list(result["pages"]), result["pages"]
    return SitePages(paths, others, 0, unread, [], notes, result["summary"], folder, days)


def _lines_of_crawl(task: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines that the process of a crawl writes; it ends with this."""
    network = {name: value for name, value in os.environ.items() if name.lower() in _NETWORK}
    no_proxy = os.environ.get("no_proxy", os.environ.get("NO_PROXY", ""))
    network["no_proxy"] = ",".join([*filter(None, [no_proxy]), "127.0.0.1", "localhost", "::1"])
    with (
        TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603 (a module of ours)
            isolation.command("selfrag_cli.local.sources.site.spider"),
            cwd=isolation.DIRECTORY,
            env={**isolation.environment(), **network},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # Ctrl-C at the terminal is the parent's to handle
        ) as process,
    ):
        try:
            stdin, stdout = process.stdin, process.stdout
            if stdin and stdout:
                stdin.write(json.dumps(task))
                stdin.close()
                yield from stdout
            if process.wait():
                errors.seek(0)
                raise SelfragError(f"The crawl has failed: {errors.read()[-200:].decode(errors='replace').strip()}")
        finally:
            process.kill()
