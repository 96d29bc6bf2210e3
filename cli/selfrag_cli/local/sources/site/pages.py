"""A site's pages as files, fetched by a Scrapy process."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from selfrag.domain.errors import InvalidInput, SelfragError, TemporarilyUnavailable
from selfrag.reader.processes import isolation
from selfrag_cli.local.sources.site import SiteLimits
from selfrag_cli.local.sources.source import Files
from selfrag_cli.terminal import OnDocument, Progress

# Variables for proxies and certificates, which only the crawler needs.
_NETWORK = ("http_proxy", "https_proxy", "ssl_cert_file", "ssl_cert_dir")


def crawled_pages(
    address: str, cache: Path, earlier: Iterable[str], limits: SiteLimits, on_document: OnDocument
) -> Files:
    """Crawl a site into numbered files of a folder.

    `earlier` are the last crawl's documents, `cache` is Scrapy's cache folder. Raises InvalidInput if the first page is
    forbidden or unreadable, TemporarilyUnavailable if the site is unreachable, ModuleNotFoundError without Scrapy.
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
    paths = list(result["pages"])
    return Files(
        content=lambda path: Path(folder.name, str(paths.index(path))).read_bytes(),
        metadata={path: {"modified": day} for path, day in result["pages"].items()},
        paths=paths,
        others=Counter(result["others"]),
        **{name: result[name] for name in ("unread", "notes", "summary")},
    )


def _lines_of_crawl(task: Mapping[str, object]) -> Iterator[str]:
    """Yield the output lines of a crawl process and end it afterwards."""
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
            start_new_session=True,  # the parent handles Ctrl-C
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
