"""Execution histories; the latest are stored in the home for traces."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from selfrag.domain.history import Step, epoch_seconds, steps_of
from selfrag.domain.questions import Policy
from selfrag_cli.local.home import connect, open_transaction

KEPT_EXECUTIONS = 50
_SCHEMA = """
CREATE TABLE IF NOT EXISTS executions (id TEXT PRIMARY KEY, ended_at REAL NOT NULL, history TEXT NOT NULL);
"""
# One shared connection: SQLite keeps a process's files open while another connection holds a lock.
_LOCK = Lock()


@dataclass(frozen=True)
class ExecutionHistory:
    """The events of an execution, like GetExecutionHistory's, by question id."""

    id: str
    events: list[dict[str, Any]]

    @cached_property
    def steps(self) -> list[Step]:
        """Return the tasks in order of their beginning."""
        return steps_of(self.events)

    @property
    def question(self) -> str:
        """Return the question."""
        return str(self._request.get("question", ""))

    @property
    def strategy(self) -> str:
        """Return the strategy of the question's policy, or the default."""
        policy = self._request.get("policy")
        return str(policy.get("strategy", Policy().strategy)) if isinstance(policy, dict) else Policy().strategy

    @property
    def response(self) -> dict[str, object]:
        """Return the response, empty without one."""
        return _details(self.events[-1], "executionSucceededEventDetails", "output")

    @property
    def status(self) -> str:
        """Return the response's status, or the final event without one."""
        return str(self.response.get("status", "")) or f"no response ({self.events[-1]['type']})"

    @property
    def seconds(self) -> float:
        """Return the seconds from first to last event."""
        return epoch_seconds(self.events[-1]) - epoch_seconds(self.events[0])

    @property
    def _request(self) -> dict[str, object]:
        return _details(self.events[0], "executionStartedEventDetails", "input")


@contextmanager
def _open() -> Iterator[sqlite3.Connection]:
    with _LOCK, closing(connect(_SCHEMA)) as connection, open_transaction(connection):
        yield connection


def keep_history(history: ExecutionHistory) -> None:
    """Store a history and delete the oldest ones."""
    with _open() as connection:
        connection.execute(
            "INSERT OR REPLACE INTO executions VALUES (?, ?, ?)", (history.id, time.time(), json.dumps(history.events))
        )
        connection.execute(
            "DELETE FROM executions WHERE id NOT IN (SELECT id FROM executions ORDER BY ended_at DESC LIMIT ?)",
            (KEPT_EXECUTIONS,),
        )


def delete_history(question_id: str) -> None:
    """Delete a history, if it exists."""
    with _open() as connection:
        connection.execute("DELETE FROM executions WHERE id = ?", (question_id,))


def last_history(question_id: str = "") -> ExecutionHistory | None:
    """Return the history with this id, or the last one; None without one."""
    query = "SELECT id, history FROM executions WHERE ? IN ('', id) ORDER BY ended_at DESC LIMIT 1"
    with _open() as connection:
        row = connection.execute(query, (question_id,)).fetchone()
    return ExecutionHistory(row[0], json.loads(row[1])) if row else None


def _details(event: dict[str, Any], name: str, part: str) -> dict[str, object]:
    value: dict[str, object] = json.loads(event.get(name, {}).get(part, "{}"))
    return value
