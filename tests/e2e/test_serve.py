"""`selfrag serve`, and the commands that talk to a deployment, over real HTTP."""

import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

import httpx2
import pytest

from selfrag_cli.sample import HANDBOOK
from tests.support.command import ROOT, Command
from tests.support.serving import eventually, problem

pytestmark = pytest.mark.long
QUESTION = "How many weeks of parental leave does each parent receive?"

API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
ASKED = [line[2:] for text in (README, API) for line in text.splitlines() if line.startswith("$ ") and ":8080" in line]


class Served(str):
    """The URL of a server, and its token, which is the key of its API."""

    __slots__ = ("token",)
    token: str

    @property
    def key(self) -> dict[str, str]:
        """Return the header that callers send."""
        return {"x-api-key": self.token}

    @property
    def link(self) -> str:
        """Return the link to its page, as it was printed."""
        return f"{self}/#token={self.token}" if self.token else f"{self}/"


@contextmanager
def served(command: Command, *arguments: str, told: Callable[[str], None] = lambda stderr: None) -> Iterator[Served]:
    """Yield the URL that `selfrag serve` prints; afterwards stop it and collect its output."""
    process = command.start("serve", "--port", "0", *arguments)
    try:
        assert process.stdout is not None
        found = re.search(
            r"a page to ask on at (http://127\.0\.0\.1:\d+)/(?:#token=([\w-]{43}))?;", process.stdout.readline()
        )
        assert found, process.communicate(timeout=5)
        url = Served(found[1])
        url.token = found[2] or ""
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        told(process.communicate()[1])


def test_the_server_writes_a_line_for_each_question_without_its_words(read: Command) -> None:
    lines: list[str] = []
    with served(read, told=lambda stderr: lines.extend(stderr.splitlines())) as url:
        assert read("ask", QUESTION, "--endpoint", url, "--api-key", "any").code == 0
    digest = hashlib.sha256(QUESTION.encode()).hexdigest()[:12]
    (line,) = (line for line in lines if digest in line)
    assert re.fullmatch(rf"selfrag: question {digest} answered in \d+\.\d s, 0\.0000 USD", line)
    assert not any(QUESTION in line for line in lines)


@pytest.fixture
def url(read: Command) -> Iterator[str]:
    """Yield the URL that `selfrag serve` prints for the handbook."""
    with served(read) as found:
        yield found


def test_server_answers_like_deployment_and_keeps_answers_after_exit(read: Command, url: str) -> None:
    response = read("ask", QUESTION, "--endpoint", url, "--api-key", "any", "--json").response
    assert "18 weeks" in response["answer"]
    assert response["citations"][0]["document"] == "people/parental-leave.md"
    shown = read("ask", QUESTION, "--endpoint", url)
    assert shown.code == 0
    assert "people/parental-leave.md" in shown.out


def test_make_serve_prints_the_link_to_the_page(read: Command) -> None:
    with subprocess.Popen(
        ["make", "--no-print-directory", "serve", "PORT=0"],
        cwd=ROOT,
        env=read.env(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            link = re.search(r"a page to ask on at (http://127\.0\.0\.1:\d+/);", process.stdout.readline())
            assert link
            assert "<title>selfrag</title>" in httpx2.get(link[1]).text
        finally:
            os.killpg(process.pid, signal.SIGTERM)


@pytest.mark.parametrize("arguments", [["--endpoint", "nonsense"], ["--endpoint", "http://127.0.0.1:9"]])
def test_an_endpoint_that_does_not_answer_is_told_in_one_sentence(fresh: Command, arguments: list[str]) -> None:
    ended = fresh("ask", QUESTION, *arguments)
    assert ended.code == 2
    assert len(ended.err.splitlines()) == 1


def test_a_problem_of_the_deployment_is_told_in_its_own_words(read: Command, url: str) -> None:
    ended = read("ask", QUESTION, "--endpoint", url, "--previous", "0" * 32)
    assert ended.code == 2
    assert "There is no such earlier answer" in ended.err
    both = read("ask", QUESTION, "--endpoint", url, "--docs", ".")
    assert both.code == 2


def test_a_port_that_is_taken_is_told_in_one_sentence(read: Command, url: str) -> None:
    ended = read("serve", "--port", url.rpartition(":")[2])
    assert ended.code == 2
    assert "cannot be used" in ended.err
    assert "--port" in ended.err


def upload(api: httpx2.Client, key: str, content: bytes) -> str:
    """Upload a document as the API instructs, and return its status URL."""
    reply = api.post("/v1/documents", json={"key": key, "size": len(content)})
    assert reply.status_code == 201, reply.text
    sent = httpx2.put(reply.json()["upload"]["url"], content=content, timeout=20)
    assert sent.status_code == 204, sent.text
    return str(reply.headers["location"])


def settled(api: httpx2.Client, where: str) -> dict[str, Any]:
    """Wait until a document is not `working`, and return it."""

    def look() -> dict[str, Any] | None:
        reply = api.get(where)
        assert reply.status_code == 200, reply.text
        document: dict[str, Any] = reply.json()
        return None if document["status"] == "working" else document

    return dict(eventually(look))


def answer(api: httpx2.Client, question: str) -> dict[str, Any]:
    reply = api.post("/v1/ask", json={"question": question})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


@pytest.fixture
def notes(fresh: Command) -> Path:
    directory = fresh.home / "notes"
    directory.mkdir()
    return directory


WRITABLE = ("--docs", "notes", "--collection", "notes", "--writable")
CRANE = "How much does the harbour crane lift?"


def test_upload_is_read_replaced_and_deleted_while_serving(fresh: Command, notes: Path) -> None:
    with served(fresh, *WRITABLE) as url, httpx2.Client(base_url=url, headers=url.key, timeout=40) as api:
        assert answer(api, CRANE)["status"] == "abstained"
        where = upload(api, "notes/harbour/crane.md", b"# Cranes\n\nThe harbour crane lifts 12 tonnes.\n")
        document = settled(api, where)
        assert (document["key"], document["status"]) == ("notes/harbour/crane.md", "ready")
        response = answer(api, CRANE)
        assert "12 tonnes" in response["answer"]
        assert [one["document"] for one in response["citations"]] == ["harbour/crane.md"]

        # A file changed by hand is picked up with the next upload; a broken one harms no other.
        (notes / "berth.md").write_text("# Berths\n\nA guest berth costs 34 euros a night.\n")
        assert upload(api, "notes/harbour/crane.md", b"# Cranes\n\nThe harbour crane lifts 15 tonnes.\n") == where
        broken = upload(api, "notes/broken.pdf", b"no PDF")
        assert settled(api, where)["status"] == "ready"
        assert "15 tonnes" in answer(api, CRANE)["answer"]
        failed = settled(api, broken)
        assert failed["status"] == "failed"
        assert "not a PDF" in failed["reason"]
        assert "34 euros" in answer(api, "What does a guest berth cost a night?")["answer"]

        deleted, known = api.delete(where), where.partition("?")[0]
        assert (deleted.status_code, deleted.json()["status"]) == (202, "removing")
        assert not (notes / "harbour" / "crane.md").exists()
        seen: list[str] = []

        def gone() -> bool | None:
            reply = api.get(known)
            seen.append(reply.json()["status"])
            return True if reply.status_code == 404 else None

        eventually(gone)
        assert set(seen[:-1]) <= {"removing"}
        assert api.get(where).json()["status"] == "awaited"
        assert answer(api, CRANE)["status"] == "abstained"
        listed = api.get("/v1/documents").json()["documents"]
        assert {one["key"]: one["status"] for one in listed} == {
            "notes/berth.md": "ready",
            "notes/broken.pdf": "failed",
        }
    # The collection outlives the server, and is asked as it was ingested.
    shutil.rmtree(notes)
    response = fresh("ask", "--collection", "notes", "What does a guest berth cost a night?", "--json").response
    assert [one["document"] for one in response["citations"]] == ["berth.md"]


def test_answers_survive_a_killed_server_and_can_be_traced(read: Command) -> None:
    process = read.start("serve", "--port", "0")
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found
        with httpx2.Client(base_url=found[0], timeout=60) as api:
            first = answer(api, QUESTION)
            # The last question is the last one, whether the command, the API or the page asked it.
            for asked in (("trace", first["id"]), ("trace",)):
                shown = read(*asked)
                assert (shown.code, first["id"] in shown.out) == (0, True)
    finally:
        process.kill()
        process.communicate(timeout=30)
    with served(read) as url, httpx2.Client(base_url=url, timeout=20) as api:
        assert api.get(f"/v1/questions/{first['id']}").json() == first


def test_a_named_collection_is_served_as_it_is(fresh: Command, notes: Path) -> None:
    (notes / "crane.md").write_text("# Cranes\n\nThe harbour crane lifts 12 tonnes.\n", encoding="utf-8")
    assert fresh("ingest", "notes", "--collection", "notes").code == 0
    shutil.rmtree(notes)
    with (
        served(fresh, "--collection", "notes") as url,
        httpx2.Client(base_url=url, timeout=40) as api,
    ):
        assert "12 tonnes" in answer(api, CRANE)["answer"]
        assert "--writable" in problem(api.post("/v1/documents", json={"key": "notes/x.md", "size": 1}), 403)["hint"]


def test_documented_api_requests_are_answered(read: Command, url: str) -> None:
    assert len(ASKED) == 6
    answered = ""
    for line in ASKED:
        command, *words = shlex.split(line.replace("http://127.0.0.1:8080", url).replace("/ID/", f"/{answered}/"))
        if command == "curl" and words[0] == "--no-buffer":
            _, _, header, _, body, where = words
            heard = httpx2.post(where, json=json.loads(body), headers=[header.split(": ")], timeout=40)
            assert (heard.headers["content-type"], heard.text.count("event: answer")) == ("text/event-stream", 1)
        elif command == "curl":
            option, body, where = words
            assert option == "--json"
            reply = httpx2.post(where, json=json.loads(body), timeout=40)
            assert reply.status_code == (202 if where.endswith("/questions") else 200), reply.text
            if not where.endswith("/feedback"):
                assert reply.json()["status"] in ("answered", "running")
            answered = answered or reply.json()["id"]
        else:
            assert command == ".venv/bin/selfrag"
            assert read(*words).code == 0


def test_the_upload_of_the_documentation_works_as_it_stands_there(fresh: Command, notes: Path) -> None:
    line = next(line for line in API.splitlines() if line.startswith(".venv/bin/selfrag serve --docs"))
    code = re.search(r"```python\n(.*?)```", API, re.S)
    assert code
    with served(fresh, *shlex.split(line)[2:]) as url:
        known: dict[str, Any] = {}
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(ROOT)
            exec(code[1].replace("http://127.0.0.1:8080", url).replace("TOKEN", url.token), known)
        with httpx2.Client(base_url=url, headers=url.key, timeout=40) as api:
            (document,) = api.get("/v1/documents").json()["documents"]
            assert settled(api, f"/v1/documents/{document['id']}")["status"] == "ready"
    assert [path.name for path in notes.rglob("*") if path.is_file()] == ["hotels-and-allowances.md"]


def test_writable_server_refuses_requests_without_its_token(fresh: Command, notes: Path) -> None:
    with served(fresh, *WRITABLE) as url:
        for reply in (
            httpx2.get(f"{url}/v1/documents"),
            httpx2.post(f"{url}/v1/ask", json={"question": CRANE}),
            httpx2.post(f"{url}/v1/documents", json={"key": "notes/x.md", "size": 1}),
        ):
            assert "token" in problem(reply, 401)["detail"]
        assert fresh("ask", CRANE, "--endpoint", url, "--api-key", url.token).code == 0


def test_the_handbook_is_not_changed(read: Command, url: str) -> None:
    with httpx2.Client(base_url=url, headers=url.key, timeout=20) as api:
        document = api.get("/v1/documents").json()["documents"][0]
        for reply in (
            api.post("/v1/documents", json={"key": f"{document['collection']}/x.md", "size": 1}),
            api.delete(f"/v1/documents/{document['id']}"),
        ):
            assert "--writable" in problem(reply, 403)["hint"]


def test_failed_ingestion_is_reported_and_next_one_recovers(fresh: Command, notes: Path) -> None:
    (notes / "here.md").write_text("# Here\n\nIt is here.\n")
    said: list[str] = []
    with (
        served(fresh, *WRITABLE, told=said.append) as url,
        httpx2.Client(base_url=url, headers=url.key, timeout=40) as api,
    ):
        lock = fresh.home / "state" / "notes.lock"
        lock.unlink()
        lock.mkdir()  # a lock that cannot be had: no ingestion can begin
        where = upload(api, "notes/crane.md", b"# Cranes\n\nThe harbour crane lifts 12 tonnes.\n")
        failed = settled(api, where)
        assert failed["status"] == "failed"
        assert "IsADirectoryError" in failed["reason"]
        lock.rmdir()
        assert upload(api, "notes/crane.md", b"# Cranes\n\nThe harbour crane lifts 13 tonnes.\n") == where
        assert settled(api, where)["status"] == "ready"
        assert "13 tonnes" in answer(api, CRANE)["answer"]
    failure, question = said[0].splitlines()
    assert failure == f"selfrag: {failed['reason']}"
    assert question.startswith("selfrag: question ")


def test_ingestion_ended_with_server_resumes_on_next_start(fresh: Command, notes: Path) -> None:
    (notes / "here.md").write_text("# Here\n\nIt is here.\n")
    (fresh.home / "state").mkdir()
    with (
        (fresh.home / "state" / "notes.lock").open("w") as lock,
        served(fresh, *WRITABLE) as url,
        httpx2.Client(base_url=url, headers=url.key, timeout=40) as api,
    ):
        flock(lock, LOCK_EX)  # the ingestion waits for it, however long, so that only the server can end it
        where = upload(api, "notes/crane.md", b"# Cranes\n\nThe harbour crane lifts 12 tonnes.\n")
        assert api.get(where).json()["status"] == "working"
    with served(fresh, *WRITABLE) as url, httpx2.Client(base_url=url, headers=url.key, timeout=40) as api:
        assert api.get(where).json()["status"] == "ready"
        assert "12 tonnes" in answer(api, CRANE)["answer"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--writable",), "name a directory of your own with --docs"),
        (
            ("--writable", "--docs", str(HANDBOOK / "people")),
            "name a directory of your own",
        ),
        (("--writable", "--docs", "/nowhere/at/all"), "does not exist"),
        (("--docs", ".", "--collection", "a/b"), "is not a name"),
        (("--collection", "nowhere"), "has been read yet"),
        (("--collection", "nowhere", "--writable"), "name one with --docs"),
        (("--docs", "."), "holds no document"),
        (("--cors", "app.example.com"), "is no origin"),
    ],
)
def test_invalid_serve_arguments_are_refused_in_one_sentence(
    fresh: Command, arguments: tuple[str, ...], words: str
) -> None:
    ended = fresh("serve", "--port", "0", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert len(ended.err.splitlines()) == 1
