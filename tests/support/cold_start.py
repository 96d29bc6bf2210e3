"""A cold start on this machine: a fresh Python with only a function's zip and its layers on its path."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from infra.packages.bytecode import FUNCTION_ROOT, LAYER_ROOT, lambda_python, with_bytecode
from infra.packages.zips import LAYER, LAYERS, PROTOCOL, READERS, TRACES, Files, function_files, layer_files, steps_of
from tests.support.cold_services import environment

# The second layer of the functions that have two; steps.tf says the same.
SECOND_LAYERS = {"parse_document": READERS, "split_document": READERS, "agents": PROTOCOL, "send_spans": TRACES}
# The function in front of every request starts without a library.
_WITHOUT_LAYERS = ("authorize",)


def layers_of(step: str) -> tuple[str, ...]:
    """Return the layers of a step's function."""
    return (LAYER, SECOND_LAYERS[step]) if step in SECOND_LAYERS else () if step in _WITHOUT_LAYERS else (LAYER,)


_PATH = "import sys; sys.path += {folders!r}; "
_MARK = "selfrag-start "
# Clients of AWS and of HTTP are counted where the libraries make them.
_PROGRAM = """
import json, time
from types import SimpleNamespace

def told(**said):
    print({mark!r} + json.dumps(said), flush=True)

began, used = time.perf_counter(), time.process_time()
from {handler} import handler
told(seconds=time.perf_counter() - began, processor=time.process_time() - used)
made, known = [], set(sys.modules)
for module, kind, name in (("botocore.client", "ClientCreator", "create_client"), ("httpx2", "Client", "__init__")):
    if module in known:
        def counted(*given, _made=getattr(getattr(sys.modules[module], kind), name), _of=module, **named):
            made.append(_of)
            return _made(*given, **named)
        setattr(getattr(sys.modules[module], kind), name, counted)
context = SimpleNamespace(aws_request_id="1", get_remaining_time_in_millis=lambda: 29_000)
event = json.loads(sys.stdin.readline())
began = time.perf_counter()
reply = handler(event, context)
told(seconds=time.perf_counter() - began, made=made, loaded=sorted(set(sys.modules) - known), reply=reply)
"""


class NoStart(Exception):
    """A handler did not start or failed; Python's own words are the message."""


@dataclass(frozen=True)
class Started:
    """A start and, with an event, the first invocation: their seconds, the reply, and the clients and modules loaded.

    `processor` are the seconds of a start in which the process computed, which other load does not change.
    """

    seconds: float
    processor: float
    invocation: float = 0.0
    reply: Any = None
    clients: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


def packed(functions: Path, libraries: Path, python: str) -> Iterator[tuple[str, Files]]:
    """Yield the files of each function's and layer's package, with the bytecode of this Python."""
    for step in steps_of(functions):
        yield step, with_bytecode(function_files(functions, step), python, FUNCTION_ROOT)
    for layer in LAYERS:
        yield layer, with_bytecode(layer_files(layer, functions, libraries), python, LAYER_ROOT)


def trees(out: Path, into: Path) -> tuple[Path, Path]:
    """Unpack the layers and each function's zip into folders, without bytecode and with it."""
    plain, compiled = into / "plain", into / "compiled"
    unpack(out, plain, bytecode=False)
    unpack(out, compiled)
    python = python_of(compiled)
    if python != lambda_python():
        command = [python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(compiled)]
        subprocess.run(command, check=True)
    return plain, compiled


def unpack(out: Path, into: Path, *, bytecode: bool = True) -> None:
    """Unpack each layer and each function's zip into a separate folder."""
    for archive in sorted(out.glob("*.zip")):
        with zipfile.ZipFile(archive) as content:
            names = [name for name in content.namelist() if bytecode or not name.endswith(".pyc")]
            content.extractall(into / archive.stem, names)


def handler_of(unpacked: Path, step: str) -> str:
    """Return the name of a step's handler module, as in its zip."""
    [file] = (unpacked / step).rglob("handler.py")
    return ".".join(file.relative_to(unpacked / step).with_suffix("").parts)


@cache
def python_of(unpacked: Path) -> str:
    """Return the Python on this machine that fits the layer's compiled modules; raises NoStart if there is none."""
    suffixes = {"".join(path.suffixes[-2:]) for path in (unpacked / LAYER).rglob("*.so")}
    asks = "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
    for python in filter(None, (lambda_python(), sys.executable)):
        suffix = subprocess.run([python, "-c", asks], capture_output=True, text=True, check=True).stdout
        if suffix.strip() in suffixes:
            return python
    raise NoStart("The layer is not for this machine and its Python: build it from build/libraries/bench.")


def run_as_lambda(
    unpacked: Path, step: str, code: str, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh Python without site-packages, with a step's folder and its layers on its path."""
    command = _command(unpacked, step, code, options)
    return subprocess.run(command, capture_output=True, text=True, check=False, env={})


def start(
    unpacked: Path, step: str, url: str, event: Any = None, hold: Callable[[int], None] = lambda process: None
) -> Started:
    """Start a step as Lambda does, with its services at `url`, and invoke it once if there is an event.

    `hold` gets the process's id before its imports. Raises NoStart.
    """
    code = "sys.stdin.readline()" + _PROGRAM.format(handler=handler_of(unpacked, step), mark=_MARK)
    # A Lambda's disk is read-only: bytecode that is not in the package is compiled in vain.
    command = _command(unpacked, step, code, ("-B",))
    with subprocess.Popen(command, env=environment(step, url), stdin=-1, stdout=-1, stderr=-1, text=True) as process:
        hold(process.pid)
        # Without an event the process reads an empty line, and ends.
        said, errors = process.communicate(f"\n{json.dumps(event)}\n" if event else "\n")
    told = [json.loads(line.removeprefix(_MARK)) for line in said.splitlines() if line.startswith(_MARK)]
    if len(told) != (2 if event else 1):
        raise NoStart(errors)
    begun, call = told[0], told[-1]
    if not event:
        return Started(begun["seconds"], begun["processor"])
    did = (call["reply"], tuple(call["made"]), tuple(call["loaded"]))
    return Started(begun["seconds"], begun["processor"], call["seconds"], *did)


def _command(unpacked: Path, step: str, code: str, options: tuple[str, ...]) -> list[str]:
    layers = [str(unpacked / layer / "python") for layer in layers_of(step)]
    path = _PATH.format(folders=[str(unpacked / step), *layers])
    return [python_of(unpacked), "-I", "-S", *options, "-c", path + code]
