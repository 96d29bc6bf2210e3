"""The API as its description promises it: schemathesis with all its checks, and along the links."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.clients.conftest import ran
from tests.e2e.test_serve import served
from tests.support.clients.findings import Finding, cases, findings
from tests.support.command import Command

NO_PATTERN = "No schema can say it: {}. The sentence does."
LONG = "A line of more than 64 KiB is refused before any path is known; API Gateway takes 10 KiB."
NEVER_SENT = "An upload makes no document until its file is sent; `awaited` is shown, and no file is there yet."
LATER = "A deletion is taken on (202): the document is `removing` until its passages are gone, and then there is none."

# Known findings, each with its reason: check, operation, status and message.
REMAINING = {
    ("negative_data_rejection|status_code_conformance", "GET /v1/documents.*", "414", "What was sent is no req"): LONG,
    ("use_after_free", "GET /v1/documents/{document_id}", "200", ""): LATER,
    (
        "ensure_resource_availability",
        "(DELETE /v1/documents/{document_id}|GET /v1/documents/{document_id}/original)",
        "404",
        "There is no such doc",
    ): NEVER_SENT,
    ("positive_data_acceptance", "GET /v1/documents", "400", "cursor was not accepted"): NO_PATTERN.format(
        "a cursor is the one of the page before"
    ),
    (
        "positive_data_acceptance",
        "POST /v1/(ask|questions)",
        "400",
        "The question was not accepted: it (is|holds a NUL)",
    ): (NO_PATTERN.format("a question has a letter, a digit or a sign that can be seen, in any script, and no NUL")),
    ("positive_data_acceptance", "POST /v1/(ask|questions)", "400", "filters was not accepted: since is"): (
        NO_PATTERN.format("since is not later than until")
    ),
    ("positive_data_acceptance", "POST /v1/(ask|questions)", "400", "previous and history exclude each other"): (
        NO_PATTERN.format("an earlier answer is either stored or sent")
    ),
    ("positive_data_acceptance", "POST /v1/ask", "400", "policy.deadline_seconds may be at most 25 here"): (
        "How long a connection may wait is a setting of the deployment; POST /v1/questions takes all that is described."
    ),
    ("positive_data_acceptance", "POST /v1/.*", "400", r"(filters\.)?tags\.\d+ was not accepted: a tag "): (
        NO_PATTERN.format("a tag has a letter or a digit, in any script, counted in its compatibility form")
    ),
    ("positive_data_acceptance", "POST /v1/documents", "400", "key was not accepted: it (must|is|has|holds)"): (
        NO_PATTERN.format("a key ends as a document that is read does, in capitals too, and has no `..` in it")
    ),
    ("positive_data_acceptance", "POST /v1/(ask|questions)", "400", r"policy\.\w+ was not accepted: "): (
        NO_PATTERN.format("which fields a strategy reads, and how much of each it takes")
    ),
    ("positive_data_acceptance", "POST /v1/ask", "400", "The strategy segments takes longer than"): (
        "How long a connection may wait is a setting of the deployment; POST /v1/questions takes all that is described."
    ),
    ("positive_data_acceptance", "POST /v1/(chat/completions|responses)", "400", ""): NO_PATTERN.format(
        "which of the many requests of OpenAI's API are a question: text alone, and last in the messages"
    ),
    ("positive_data_acceptance", "POST /v1/documents", "400", "A directory stores no tags"): (
        "The laptop's directory has no place for them; in AWS the object's metadata has."
    ),
}


def remains(found: Finding) -> bool:
    """Return whether a finding is one of those."""
    values = (found.check, found.operation, str(found.status))
    return any(
        all(re.fullmatch(pattern.replace("{", r"\{"), value) for pattern, value in zip(known, values, strict=False))
        and re.match(known[3], found.told)
        for known in REMAINING
    )


@pytest.mark.long
def test_api_conforms_to_its_description_except_listed_findings(
    tools: Path, fresh: Command, record_property: Callable[[str, str], None]
) -> None:
    (fresh.home / "notes").mkdir()
    for name in ("crane", "berth"):
        (fresh.home / "notes" / f"{name}.md").write_text(f"# {name}\n\nThe {name} of the harbour takes 12 tonnes.\n")
    report = fresh.home / "report.ndjson"
    words = ["--checks", "all", "--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "20"]
    # The same requests in each run, and none skipped after a failure.
    words += [
        "--generation-deterministic",
        "--continue-on-failure",
    ]
    # API Gateway waits for 29 seconds.
    words += ["--request-timeout", "60", "--max-response-time", "29"]
    words += ["--report", "ndjson", "--report-ndjson-path", str(report)]
    with served(fresh, "--docs", "notes", "--collection", "notes", "--writable") as url:
        done = ran(
            tools,
            ["schemathesis", "run", f"{url}/v1/openapi.json", "--header", f"x-api-key: {url.token}", *words],
            fresh.home,
        )
    assert (done.returncode in (0, 1), " ERRORS " in done.stdout) == (True, False), done.stdout + done.stderr
    found = list(findings(report))
    assert {one for one in found if not remains(one)} == set()
    links = re.search(r"API Links: +(\d+) covered", done.stdout)
    assert links
    # Some 25 exist; how many are followed depends on what earlier requests left on the server.
    assert int(links[1]) >= 3, done.stdout
    counted = ", ".join(f"{check}: {count}" for check, count in sorted(Counter(one.check for one in found).items()))
    record_property("figures", f"schemathesis: {cases(report)} requests, {links[1]} links; remain {counted}")
