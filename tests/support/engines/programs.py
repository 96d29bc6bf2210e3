"""Java programs from Maven: fetched once into build/engines, started on a free port, ended by process id."""

import shutil
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from selfrag_cli.local.serving.http import HOST, listening

ROOT = Path(__file__).parents[3]
POM = Path(__file__).with_name("pom.xml")
BUILD = ROOT / "build" / "engines"
JAVA = 17
START_SECONDS = 120


def missing() -> str:
    """Return the reason why none can be started here, "" if they can."""
    if not shutil.which("mvn"):
        return "Maven is not installed"
    if not shutil.which("java"):
        return "Java is not installed"
    modules = subprocess.run(["java", "--list-modules"], capture_output=True, text=True, check=False).stdout
    versions = [line.partition("@")[2] for line in modules.splitlines() if line.startswith("jdk.compiler@")]
    if not versions or int(versions[0].partition(".")[0]) < JAVA:
        return f"Java {JAVA} with its compiler is not installed"
    return ""


def fetched(profile: str) -> Path:
    """Return the folder with the jars of a profile of the pom; Maven brings them where it has others, or none."""
    folder, stamp = BUILD / profile, BUILD / f"{profile}.pom.xml"
    if not stamp.exists() or stamp.read_text() != POM.read_text():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["mvn", "-q", "-B", "-Dstyle.color=never", "-f", str(POM), "-P", profile, "package"], check=True)
        stamp.write_text(POM.read_text())
    return folder


@contextmanager
def opensearch() -> Iterator[str]:
    """Yield the address of an OpenSearch with its k-NN plugin, without Faiss."""
    jars, source = fetched("opensearch"), str(POM.with_name("OpenSearch.java"))
    options = ["-Xms512m", "-Xmx1g", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*", source]
    with _running(lambda home, port: [*options, home, port]) as url:
        yield url


@contextmanager
def dynamodb() -> Iterator[str]:
    """Yield the address of DynamoDB Local, which keeps its tables in memory."""
    jars = fetched("dynamodb")
    server = "software.amazon.dynamodb.services.local.main.ServerRunner"
    options = ["-Xmx256m", f"-Djava.library.path={jars}", "-cp", f"{jars}/*", server]
    options += ["-inMemory", "-sharedDb", "-disableTelemetry", "-port"]
    with _running(lambda home, port: [*options, port]) as url:
        yield url


@contextmanager
def _running(options: Callable[[str, str], Sequence[str]]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "config").mkdir()
        with listening(0) as bound:
            port = bound.getsockname()[1]
        log = Path(home) / "log"
        with log.open("wb") as said:
            command = ["java", f"-Djava.io.tmpdir={home}", *options(home, str(port))]
            process = subprocess.Popen(command, cwd=home, stdout=said, stderr=subprocess.STDOUT)
            try:
                _wait(process, f"http://{HOST}:{port}", log)
                yield f"http://{HOST}:{port}"
            finally:
                process.terminate()
                process.wait(timeout=60)


def _wait(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except urllib.error.HTTPError:
            return  # it replies, which is all
        except OSError:
            threading.Event().wait(0.2)
        else:
            return
    raise AssertionError(f"it did not start: {log.read_text(errors='replace')[-2_000:]}")


def fetch() -> None:
    """Fetch what both engines need, where Maven has not yet."""
    for profile in ("opensearch", "dynamodb"):
        fetched(profile)


if __name__ == "__main__":
    if not missing():
        fetch()
