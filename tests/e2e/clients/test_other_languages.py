"""Clients that openapi-generator writes in Java and TypeScript: compiled, and each asks a question."""

import shutil
from pathlib import Path

import pytest

from tests.e2e.test_serve import served
from tests.support.command import ROOT, Command
from tests.support.engines.programs import fetched, missing
from tests.support.infra.tools import needed, run

pytestmark = pytest.mark.long
CLIENTS = ROOT / "tests" / "support" / "clients"
QUESTION = "How many weeks of parental leave does each parent receive?"
JARS = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"


def generated(language: str, folder: Path) -> None:
    """Write a client of the described API into a folder."""
    if why := missing():
        needed(None, why)
    (program,) = fetched("generator").glob("openapi-generator-cli-*.jar")
    described = str(ROOT / "functions" / "selfrag" / "api" / "openapi.json")
    run(["java", "-jar", str(program), "generate", "-g", language, "-i", described, "-o", str(folder)], ROOT)


def asked(command: list[str], read: Command, folder: Path) -> None:
    """Ask the served handbook, and look at the answer."""
    with served(read) as url:
        status, answer, document, level = run([*command, url, QUESTION], folder).stdout.splitlines()
    assert (status, document, level) == ("answered", "people/parental-leave.md", "fully_supported")
    assert "18 weeks" in answer


def test_the_client_in_java_compiles_and_is_answered(read: Command, tmp_path: Path) -> None:
    generated("java", tmp_path)
    shutil.copy(CLIENTS / "java" / "Ask.java", tmp_path / "src" / "main" / "java")
    into = ["-DincludeScope=runtime", "-DoutputDirectory=target/jars"]
    run(["mvn", "-q", "-B", "-DskipTests", "compile", JARS, *into], tmp_path)
    asked(["java", "-cp", "target/classes:target/jars/*", "Ask"], read, tmp_path)


def test_the_client_in_typescript_compiles_strictly_and_is_answered(read: Command, tmp_path: Path) -> None:
    node = needed(shutil.which("node"), "node is not installed")
    compiler = CLIENTS / "typescript" / "node_modules" / "typescript" / "bin" / "tsc"
    needed(compiler, "the compiler of TypeScript is not installed: make .venv-clients/.done")
    generated("typescript-fetch", tmp_path)
    shutil.copy(CLIENTS / "typescript" / "ask.ts", tmp_path)
    options = ["--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "commonjs", "--outDir", "compiled"]
    run([node, str(compiler), *options, "ask.ts"], tmp_path)
    asked([node, "compiled/ask.js"], read, tmp_path)
