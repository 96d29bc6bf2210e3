"""The last visit of each address of a site, which is remembered so that nothing is read twice."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from sqlite3 import Connection
from typing import Annotated

from pydantic import AfterValidator, BaseModel

from selfrag_cli.local.home import connect, writing

SCHEMA = """
CREATE TABLE IF NOT EXISTS visits (
    collection TEXT, address TEXT, visit TEXT NOT NULL, PRIMARY KEY (collection, address));
"""
FORGET = "DELETE FROM visits WHERE collection = ?"


def _sendable(validator: str) -> str:
    return validator if validator.isascii() and validator.isprintable() else ""


# A validator goes back to the site as a header; one that cannot is none, also as an earlier release has stored it.
Validator = Annotated[str, AfterValidator(_sendable)]


class Visit(BaseModel):
    """The last reply of an address: its validators, the MD5 of its content, its kind, and where its links lead.

    `ending` is "" for a kind that is not read, whose ending is `other`; `why` says in a clause why nothing was kept.
    """

    etag: Validator = ""
    modified: Validator = ""
    digest: str = ""
    ending: str = ""
    other: str = ""
    why: str = ""
    links: list[str] = []

    def conditions(self) -> dict[str, str]:
        """Return the headers by which a server sends the page only if it has changed; none if it gave no validator."""
        headers = {"if-none-match": self.etag, "if-modified-since": "" if self.etag else self.modified}
        return {name: value for name, value in headers.items() if value}


def visits_of(collection: str) -> dict[str, Visit]:
    """Return the last visit of each address of a collection."""
    with _opened() as connection:
        rows = connection.execute("SELECT address, visit FROM visits WHERE collection = ?", (collection,)).fetchall()
    return {address: Visit.model_validate_json(visit, extra="ignore") for address, visit in rows}


def keep(collection: str, visits: Mapping[str, Visit]) -> None:
    """Remember these visits in place of the earlier ones."""
    rows = [(collection, address, visit.model_dump_json(exclude_defaults=True)) for address, visit in visits.items()]
    with _opened() as connection, writing(connection):
        connection.execute(FORGET, (collection,))
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?)", rows)


@contextmanager
def _opened() -> Iterator[Connection]:
    with closing(connect(SCHEMA)) as connection:
        yield connection
