"""Items in the home: writes are visible to every process and outlive them."""

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from selfrag.domain.errors import Misconfigured
from selfrag_cli.local.home import connect
from selfrag_cli.local.runner.tasks import item_of, values_of
from selfrag_cli.local.stores.tables import ANSWERS, VERDICTS, Items
from selfrag_cli.local.stores.verdicts import LocalVerdicts

FOREVER = 99_999_999_999


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SELFRAG_HOME", str(tmp_path / "state"))


@pytest.fixture
def items() -> Iterator[Items]:
    with closing(Items()) as opened:
        yield opened


def item(name: str, **more: Any) -> dict[str, Any]:
    return item_of({"id": name, "expires_at": FOREVER, **more})


def added(items: Items, name: str) -> bool:
    """Write an item unless it is there, and say whether that was so."""
    return items.change(ANSWERS, name, lambda known: None if known else item(name)) is None


def add_in_another_process(name: str, barrier: Any) -> None:
    with closing(Items()) as items:
        barrier.wait(60)
        raise SystemExit(0 if added(items, name) else 3)


def test_items_persist_across_processes_with_their_types() -> None:
    values = {"text": "日本 'x' \ud800", "many": ["b", {"n": 1.5}], "no": False, "none": None, "n": 7, "big": 1e300}
    written = item("a", **values)
    for expected in (None, written):
        with closing(Items()) as items:
            found = items.get(ANSWERS, "a")
            assert found == expected
            items.put(ANSWERS, written)
    assert values_of(written) == {"id": "a", "expires_at": FOREVER, **values}


def test_a_definition_reads_and_writes_a_table_by_its_name(items: Items) -> None:
    items.put_item("selfrag-answers", item("a"))
    assert items.get_item("selfrag-answers", {"id": {"S": "a"}}) == item("a")
    assert items.get_item("selfrag-answers", {"id": {"S": "b"}}) is None
    items.delete(ANSWERS, "a")
    assert items.all(ANSWERS) == []


def test_conditional_write_succeeds_in_exactly_one_process() -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier = spawn.Barrier(2)
    processes = [spawn.Process(target=add_in_another_process, args=("only", barrier)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert sorted(process.exitcode or 0 for process in processes) == [0, 3]


def test_conditional_write_succeeds_in_exactly_one_thread(items: Items) -> None:
    barrier = threading.Barrier(8)

    def add(_: int) -> bool:
        barrier.wait(30)
        return added(items, "only")

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(add, range(8))) == 1


def test_expired_items_are_hidden_and_deleted_at_the_next_start(items: Items) -> None:
    items.put(ANSWERS, item("old", expires_at=1))
    assert items.get(ANSWERS, "old") is None
    assert items.all(ANSWERS) == []
    with closing(Items()), connect() as connection:
        assert connection.execute("SELECT count(*) FROM kept_items").fetchone() == (0,)


def test_unusable_database_file_raises_misconfigured(items: Items) -> None:
    with connect("DROP TABLE kept_items"):
        pass
    verdicts = LocalVerdicts(items)
    for call in (lambda: verdicts.put("k", "{}"), lambda: verdicts.get("k"), lambda: items.all(VERDICTS)):
        with pytest.raises(Misconfigured):
            call()


def test_a_home_of_an_earlier_release_goes_on_working(items: Items) -> None:
    """Its tables had what moto's DynamoDB had."""
    row = ("selfrag-verdicts", "k", '{"key": {"S": "k"}, "verdict": {"S": "{}"}, "expires_at": {"N": "99999999999"}}')
    with connect() as connection:
        connection.execute("INSERT INTO kept_items VALUES (?, ?, ?, ?)", (*row, FOREVER))
    assert LocalVerdicts(items).get("k") == "{}"
