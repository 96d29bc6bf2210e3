"""The intake of documents by its definition: few at once, none lost, each at a constant price."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from bench.intake import simulated
from selfrag.adapters.manifest import LEASE_SECONDS
from selfrag_cli.local.runner.failures import Failure
from selfrag_cli.local.stack import placeholders
from tests.support.command import ROOT
from tests.support.definition import INGESTION_MACHINE, INTAKE, INTAKE_MACHINE
from tests.support.ingestion_model import IngestionModel
from tests.support.intake import BEGIN, Intake, Json, Run, deleted, uploaded

STATES = INTAKE_MACHINE["States"]
READY = {"action": "read", "unfinished": False}
FAILS = Failure("States.TaskFailed", "NotClaimed", "TaskFailed")
TICK, HOUR = 900, 3600


class Work:
    """Ingestions that take `seconds`; `ends` are their results, in turn."""

    def __init__(self, places: int = 2, seconds: float = 10, **options: Any) -> None:
        self.ends: list[Json | Failure] = []
        self.started: list[str] = []
        self.moments: list[float] = []
        self.at_once = self.most = 0
        self.while_working: Callable[[str], None] = lambda key: None
        self._seconds = seconds
        self.intake = Intake(self._ingest, {"uploads": places}, **options)

    def _ingest(self, document: Json, end: Callable[[Json | Failure], None]) -> None:
        self.started.append(document["key"])
        self.moments.append(self.intake.clock.now)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        self.while_working(document["key"])
        result = self.ends.pop(0) if self.ends else READY

        def finish() -> None:
            self.at_once -= 1
            end(result)

        self.intake.clock.after(self._seconds, finish)

    def send(self, *events: Json, apart: float = 0.5) -> None:
        """Send events one after another."""
        for number, event in enumerate(events):
            self.intake.send(event, number * apart)

    def run(self, hours: float = 0) -> None:
        """Let everything happen, with the schedule for so many hours."""
        if hours:
            self.intake.clock.after(0, lambda: self.intake.tick(TICK, BEGIN + hours * HOUR))
        self.intake.clock.run()
        assert not self.intake.running


def test_an_upload_is_ingested_at_once_and_leaves_nothing_behind() -> None:
    work = Work()
    work.send(uploaded('c/a "b".md'))
    work.run()
    assert work.started == ['c/a "b".md']
    assert work.moments[0] < BEGIN + 1
    assert (work.intake.entries(), work.intake.held()) == ([], set())


def test_an_upload_that_finds_no_place_is_recorded_and_its_execution_ends() -> None:
    work = Work(places=2, seconds=100)
    work.send(*[uploaded(f"c/{number}.md") for number in range(6)])
    work.intake.clock.run(BEGIN + 50)
    assert work.most == 2
    assert len(work.intake.running) == 2
    assert [run.transitions for run in work.intake.ended] == [5] * 4
    assert sorted(work.intake.entries()) == [f"c/{number}.md" for number in range(6)]
    work.run()
    assert work.most == 2
    assert sorted(work.started) == [f"c/{number}.md" for number in range(6)]


def test_uploads_of_a_collection_are_ingested_in_the_order_of_their_arrival() -> None:
    work = Work(places=1)
    keys = [f"c/{number}.md" for number in (3, 1, 2, 9, 7)]
    work.send(*map(uploaded, keys))
    work.run()
    assert work.started == keys


@pytest.mark.parametrize("small", ["a", "z"])
def test_large_collection_does_not_delay_small_one(small: str) -> None:
    work = Work(places=1)
    work.send(*[uploaded(f"m/{number:02}.md") for number in range(40)], apart=0.1)
    work.intake.send(uploaded(f"{small}/1.md"), 100)
    work.intake.send(uploaded(f"{small}/2.md"), 100.1)
    work.run()
    first, second = (work.started.index(f"{small}/{number}.md") for number in (1, 2))
    assert work.moments[first] <= BEGIN + 100 + 2 * 11
    assert second == first + 2, "they take turns"


def test_the_turns_go_on_in_the_next_execution() -> None:
    work = Work(places=1)
    collections = [f"c{number:02}" for number in range(30)]
    work.send(*[uploaded(f"{name}/{number}.md") for number in range(3) for name in collections], apart=0.01)
    work.run()
    turns = Counter[str]()
    for key in work.started[: len(work.started) // 2]:
        turns[key.partition("/")[0]] += 1
    assert max(turns.values()) - min(turns[name] for name in collections) <= 2


def test_a_deletion_waits_for_no_upload() -> None:
    work = Work(places=2, seconds=1000)
    work.send(*[uploaded(f"c/{number}.md") for number in range(5)], deleted("c/old.md"))
    work.intake.clock.run(BEGIN + 10)
    assert work.started[2] == "c/old.md"


def test_a_newer_version_replaces_the_one_that_waits_and_keeps_its_turn() -> None:
    work = Work(places=1, seconds=100)
    work.send(*map(uploaded, ["c/1.md", "c/2.md", "c/3.md", "c/2.md", "c/2.md"]))
    work.run()
    assert work.started == ["c/1.md", "c/2.md", "c/3.md"]


def test_version_arriving_during_ingestion_is_ingested_next() -> None:
    work = Work(places=1, seconds=100)
    work.send(uploaded("c/1.md"), uploaded("c/1.md"), apart=20)
    work.run()
    assert work.started == ["c/1.md", "c/1.md"]


def test_a_deletion_supersedes_the_upload_that_waits() -> None:
    work = Work(places=1, seconds=100)
    work.send(*map(uploaded, ["c/1.md", "c/2.md", "c/3.md"]), deleted("c/2.md"))
    work.run()
    assert work.started == ["c/1.md", "c/2.md", "c/3.md"]
    assert work.moments[1] < BEGIN + 10, "of the deletion"


def test_an_upload_that_follows_a_deletion_is_ingested() -> None:
    work = Work(places=1, seconds=100)
    work.send(*map(uploaded, ["c/1.md", "c/2.md"]), deleted("c/2.md"), uploaded("c/2.md"))
    work.run()
    assert work.started == ["c/1.md", "c/2.md", "c/2.md"]


def test_a_deletion_that_is_slow_drops_no_upload_that_came_after_it() -> None:
    lost: list[float] = []

    def loses() -> bool:
        # The deletion is recorded a dozen times, minutes on end, while the schedule has it ingested.
        slow = 20.08 < work.intake.clock.now - BEGIN < 20.12 and len(lost) < 12
        lost.extend([work.intake.clock.now] * slow)
        return slow

    work = Work(places=1, seconds=20, loses=loses)
    work.send(*[uploaded(f"c/{number}.md") for number in range(40)], apart=0.1)
    work.intake.send(deleted("c/x.md"), 20)
    work.intake.send({"queue": "deletion"}, 21)
    work.intake.send(uploaded("c/x.md"), 45)
    work.run()
    assert len(lost) == 12
    assert Counter(work.started)["c/x.md"] >= 2
    assert work.started[-1] == "c/x.md"


def test_entry_of_dead_execution_is_ingested_after_lease_expiry() -> None:
    work = Work(places=1, dies=lambda run: run.name == "execution-1" and run.state == "RouteIngested")
    work.send(*map(uploaded, ["c/1.md", "c/2.md", "c/3.md"]))
    work.run(hours=3)
    assert work.started == ["c/1.md", "c/1.md", "c/2.md", "c/3.md"]
    assert work.moments[-1] < BEGIN + 4500 + TICK + 100
    assert (work.intake.entries(), work.intake.held()) == ([], set())


def test_lease_outlasts_ingestion_and_its_start_retries() -> None:
    leases = {
        name: int(re.findall(r"\+ (\d+)\)", STATES[name]["Arguments"]["ExpressionAttributeValues"][":until"]["N"])[0])
        for name in ("TakePlace", "ClaimEntry")
    }
    starting = STATES["StartIngestion"]
    (retrier,) = starting["Retry"]
    in_starts = retrier["MaxAttempts"] * retrier["MaxDelaySeconds"]
    longest = starting["TimeoutSeconds"] + in_starts
    assert leases["TakePlace"] > leases["ClaimEntry"] >= longest > INGESTION_MACHINE["TimeoutSeconds"]
    (documents,) = set(re.findall(r"\$documents < (\d+)", str(STATES["RouteEntry"])))
    assert INTAKE_MACHINE["TimeoutSeconds"] > int(documents) * longest


def test_failed_ingestion_is_retried_until_stale_claims_expire() -> None:
    work = Work(places=1)
    work.ends = [FAILS, READY, READY, *[{"action": "busy"}] * 3]
    work.send(deleted("c/1.md"), deleted("c/2.md"), deleted("c/3.md"))
    work.run(hours=3)
    assert work.started[:3] == ["c/1.md", "c/2.md", "c/3.md"]
    assert work.started[3:] == ["c/1.md"] * (len(work.started) - 3)
    assert [run.status for run in work.intake.ended if run.status != "SUCCEEDED"] == []
    assert work.intake.entries("deletion") == []


def test_hour_of_failures_fails_the_intake_and_the_queue_continues() -> None:
    work = Work(places=1)
    work.ends = [FAILS] * 100
    work.send(uploaded('c/a "b".md'))
    work.run(hours=3)
    (failed,) = (run for run in work.intake.ended if run.status == "FAILED")
    assert failed.error == 'NotIngested: c/a "b".md: States.TaskFailed NotClaimed'
    assert work.moments[-1] - work.moments[0] > LEASE_SECONDS
    assert (work.intake.entries(), work.intake.held()) == ([], set())


def test_newer_version_of_failing_document_gets_its_own_hour() -> None:
    work = Work(places=1)
    work.ends = [FAILS] * 100
    work.send(uploaded("c/1.md"), uploaded("c/1.md"), apart=HOUR)
    work.run(hours=4)
    assert work.moments[-1] > BEGIN + HOUR + LEASE_SECONDS
    assert Counter(run.status for run in work.intake.ended)["FAILED"] == 1


def test_queue_continues_at_once_after_failed_documents() -> None:
    work = Work(places=1)
    work.send(uploaded("c/1.md"))
    work.while_working = lambda key: work.ends.append(FAILS if key == "c/1.md" else READY)
    work.intake.clock.after(1.5 * HOUR, lambda: [work.intake.start(uploaded(f"c/{n}.md")) for n in range(2, 9)])
    work.run(hours=4)
    assert Counter(run.status for run in work.intake.ended)["FAILED"] == 1
    assert {f"c/{n}.md" for n in range(2, 9)} <= set(work.started)
    assert work.moments[-1] < BEGIN + 1.5 * HOUR + TICK


def test_document_exceeding_one_hour_is_restarted_until_ready() -> None:
    work = Work(places=1)
    work.ends = [{"action": "read", "unfinished": True}] * 30
    work.send(uploaded("c/1.md"))
    work.run()
    assert len(work.started) == 31


def test_an_ingestion_of_the_release_before_says_nothing_of_being_unfinished() -> None:
    work = Work()
    work.ends = [{"action": "read"}]
    work.send(uploaded("c/1.md"))
    work.run()
    assert len(work.started) == 1


def test_a_name_of_the_most_bytes_is_ordered_too() -> None:
    work = Work(places=1)
    key = "ü" * 510 + "/a"
    work.send(uploaded(key), uploaded("plain.md"))
    work.run()
    assert work.started == [key, "plain.md"]


def test_price_per_file_is_constant_for_few_and_many() -> None:
    prices, longest = [], []
    for files in (40, 160):
        work = Work(places=2)
        work.send(*[uploaded(f"c/{number}.md") for number in range(files)], apart=0.05)
        work.run()
        prices.append(sum(run.transitions for run in work.intake.ended) / files)
        longest.append(max(run.events for run in work.intake.ended))
    assert abs(prices[0] - prices[1]) < 1
    assert max(prices) < 17
    assert max(longest) < 1000, "of 25,000"


def test_an_idle_schedule_costs_four_transitions_for_each_queue() -> None:
    work = Work()
    work.intake.tick(TICK, BEGIN)
    work.run()
    assert [run.transitions for run in work.intake.ended] == [4, 4]


def test_schedule_reports_oldest_upload_age_unless_queue_is_empty() -> None:
    work = Work(places=1, seconds=1000)
    work.send(uploaded("b/1.md"), uploaded("b/2.md"), uploaded("b/2.md"), deleted("a/1.md"), apart=10)
    work.run(hours=1)
    # The last report is of the second upload, since its first version came; then none waits.
    moment, name, dimensions, seconds = work.intake.metrics[-1]
    assert (name, dimensions) == ("OldestUploadSeconds", {"queue": "upload"})
    assert abs(moment - BEGIN - TICK) < 1
    assert abs(seconds - (TICK - 10)) < 1
    assert work.intake.entries() == []


def test_an_age_that_cannot_be_reported_holds_nothing_up() -> None:
    def refuse(arguments: Any) -> Any:
        raise Failure("CloudWatch.CloudWatchException", "", "TaskFailed")

    work = Work(places=1, dies=lambda run: run.name == "execution-1" and run.state == "FindPlace")
    work.intake._services["arn:aws:states:::aws-sdk:cloudwatch:putMetricData"] = refuse
    work.send(uploaded("c/1.md"))
    work.run(hours=1)
    assert work.started == ["c/1.md"]


def test_unusable_queue_table_fails_execution_and_keeps_entries() -> None:
    work = Work()

    def refuse(arguments: Any) -> Any:
        raise Failure("DynamoDb.AccessDeniedException", "", "TaskFailed")

    work.intake._services["arn:aws:states:::aws-sdk:dynamodb:query"] = refuse
    work.send(uploaded("c/1.md"))
    work.run()
    (failed,) = work.intake.ended
    assert failed.error == (
        "NotIngested: The queue could not be used (DynamoDb.AccessDeniedException). "
        "What is in it is tried again within minutes."
    )
    assert work.intake.entries() == ["c/1.md"]


@pytest.mark.parametrize("seeds", [range(10), range(10, 20)], ids=str)
def test_no_change_is_lost_on_crash_duplicate_or_reordering(seeds: range) -> None:
    for seed in seeds:
        holds(seed)


@pytest.mark.long
@pytest.mark.parametrize("seeds", [range(number, number + 50) for number in range(0, 1000, 50)], ids=str)
def test_no_change_is_lost_in_a_thousand_runs(seeds: range) -> None:
    for seed in seeds:
        holds(seed)


def holds(seed: int) -> None:
    """Finally the index matches the bucket, whatever happened in the first hour."""
    chance = random.Random(seed)
    random.seed(seed)  # of the retries' jitter
    model = IngestionModel(chance, faulty=chance.choice([0, 0, 0.2]))
    places = chance.choice([1, 2, 3])
    deadly = chance.choice([0, 0.02, 0.1])
    trouble = BEGIN + HOUR

    def dies(run: Run) -> bool:
        return intake.clock.now < trouble and chance.random() < deadly

    def loses() -> bool:
        return intake.clock.now < trouble and chance.random() < 0.05

    intake = Intake(model.ingest, {"uploads": places}, dies=dies, loses=loses, chance=chance)
    model.clock = intake.clock

    def ended(run: Run) -> None:
        # EventBridge has delivered the event; whoever stops the execution before it is recorded must restart it.
        if run.status == "ABORTED" and run.state in ("ReadEvent", "RecordUpload", "RecordDeletion"):
            intake.start(run.payload)
        intake.ended.append(run)

    intake.on_end = ended
    keys = [f"{chance.choice('ab')}/{number}.md" for number in range(chance.choice([1, 3, 6]))]

    def change(version: int) -> None:
        key = chance.choice(keys)
        if key in model.bucket and chance.random() < 0.4:
            del model.bucket[key]
            event = deleted(key)
        else:
            model.bucket[key] = version
            event = uploaded(key)
        # Late, and sometimes twice: so in any order.
        for _ in range(chance.choice([1, 1, 2])):
            intake.send(event, chance.choice([0.1, 3, 60]) * chance.random())

    for version in range(chance.choice([2, 6, 12])):
        intake.clock.after(chance.random() * chance.choice([1, 60, 600]), lambda version=version: change(version))
    intake.clock.after(0, lambda: intake.tick(TICK, BEGIN + 5 * HOUR))
    intake.clock.run(trouble)
    model.faulty = 0
    intake.clock.run()
    assert model.index == model.bucket, seed
    assert not intake.running, seed
    assert (intake.entries(), intake.entries("deletion")) == ([], []), seed
    # A constant price for each change: the schedule's, and that of each try.
    tried = len(model.started) + sum(run.status == "ABORTED" for run in intake.ended)
    assert sum(intake.transitions.values()) < 5 * 4 * 2 * 4 + 40 * (tried + 2 * len(intake.ended) + 24), seed


def test_terraform_fills_in_all_placeholders_of_the_definition() -> None:
    filled = (ROOT / "infra" / "machines.tf").read_text(encoding="utf-8")
    named = placeholders(INTAKE)
    names = {"intake_table", "ingestion_machine", "intake_machine", "ingestion_places", "deletion_places", "metrics"}
    assert named == names
    assert all(f"{name} " in filled for name in named)


FIGURES = json.loads((ROOT / "bench" / "figures" / "intake.json").read_text(encoding="utf-8"))[0]["rows"]


def test_the_figures_have_the_price_that_the_simulation_finds_for_few_files() -> None:
    cost = simulated(60, 2_000)
    assert len(FIGURES) == 6
    for _, _, _, each, _, _, longest in FIGURES:
        assert abs(float(each) - cost.transitions / cost.files) < 1
        assert int(longest.replace(",", "")) < 2 * cost.longest
    assert cost.failed == 0


@pytest.mark.long
@pytest.mark.parametrize("calls", [60, 2_000])
def test_the_figures_are_those_of_the_simulation(calls: int) -> None:
    assert [cell.strip() for cell in simulated(1_000, calls).row().strip("| \n").split("|")] in FIGURES
