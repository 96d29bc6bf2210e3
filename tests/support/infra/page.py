"""The page behind the API Gateway that Terraform made, as a browser meets it."""

import os
import shutil
from pathlib import Path

import boto3
import httpx2

from selfrag.api.page import bundle
from tests.support.infra.asking import api_key, at
from tests.support.infra.emulator import Stack
from tests.support.page.browsing import NAMES, Tab, browsing

UPLOADED = "documents/people/bereavement.md"


def origin_of_the_page(aws: str) -> str:
    """Return an origin other than that of the emulator's S3, as in AWS, where a bucket has its own host."""
    return aws.replace("127.0.0.1", "localhost")


def the_page_is_asked_with_a_key(stack: Stack, question: str, answer: str, directory: Path) -> str:
    """Open the page, enter the requested key, ask, and upload a file; returns a summary.

    Skipped without a browser, except in CI.
    """
    the_page_comes_as_the_function_made_it(stack)
    if not os.environ.get("CI") and not any(map(shutil.which, NAMES)):
        return "its page was not tried, for chromium is not installed"
    with browsing() as tab:
        tab.open(stack.url("").replace(stack.aws, origin_of_the_page(stack.aws)))
        tab.until("document.querySelector('#key-dialog').open")
        tab.write("#key", api_key(stack))
        tab.click("#key-form button")
        tab.until("!document.querySelector('#key-dialog').open")
        tab.write("#question", question)
        tab.click("#question-form [type=submit]")
        # A draft may come before it.
        said = tab.until("document.querySelector('.feedback') && document.querySelector('.body').textContent")
        assert answer in said, said
        sent = uploaded(tab, stack, directory)
        assert tab.said == []
    return f"its page asked for the key, answered, and sent a file to the bucket ({sent})"


def the_page_comes_as_the_function_made_it(stack: Stack) -> None:
    """Without a key, whole, and under its policy, which lets it send to the bucket and nowhere else."""
    for path in ("", "/"):
        page = httpx2.get(stack.url(path))
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert page.text == bundle.html()
        assert page.headers["content-security-policy"] == bundle.policy(stack.aws)
        assert page.headers["x-content-type-options"] == "nosniff"


def uploaded(tab: Tab, stack: Stack, directory: Path) -> int:
    """Drop a file on the page; the status by which S3 took it, which the bucket lets the page read."""
    file = directory / Path(UPLOADED).name
    file.write_text("# Bereavement\n\nBereavement leave is five days.\n")
    tab.click("#show-documents")
    tab.write("#into", str(Path(UPLOADED).parent))
    tab.run("window.fetched = []; const own = fetch; window.fetch = (...all) => own(...all).then((reply) => "
            "{ fetched.push([String(all[0]), reply.status]); return reply; }); null")  # fmt: skip
    tab.drop("#drop", file)
    status: int = tab.until(f"fetched.find(([url]) => url.startsWith({stack.aws!r}))?.[1]")
    assert status == 200
    boto3.client("s3", **at(stack)).head_object(Bucket=stack.outputs()["bucket"], Key=UPLOADED)
    tab.until("document.querySelector('#uploads strong')?.textContent === 'ready'")
    return status
