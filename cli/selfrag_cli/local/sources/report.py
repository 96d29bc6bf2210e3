"""The report of an ingestion: what became of every file of a directory, or what would."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from selfrag.domain.errors import InvalidInput, SelfragError
from selfrag.domain.kinds import EXTENSIONS, REFUSED
from selfrag.domain.records import Record
from selfrag_cli.local.sources.comparison import Comparison, is_about
from selfrag_cli.local.sources.place import AnotherDirectory, Place, is_own, refuse_another

_VERBS = {"added": "add", "changed": "change"}
_ALWAYS = ("added", "changed", "removed", "unchanged", "failed")
_MAX_NAMES = 20


@dataclass(frozen=True)
class IngestionReport:
    """The outcome of every file: each is counted once, and documents that are no files any more as `removed`.

    `failed` were read and hold nothing that can be used, or a step failed; `unreadable` could not be read at all;
    `retained` cannot be read now and stay in the index as they were read before. `others` counts files of other kinds
    by their ending, `links` what was not followed. `warnings` is a sentence for each thing that was not read, `loss`
    says what would be removed and was not, `site_note` says how a site's pages were found.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0
    unreadable: int = 0
    retained: int = 0
    links: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    loss: str = ""
    site_note: str = ""

    @property
    def not_read(self) -> int:
        """Return the number of documents that could not be read."""
        return self.failed + self.unreadable + self.retained

    def summary(self) -> str:
        """Return the counts in one line."""
        counts = [f"{getattr(self, count)} {count}" for count in _ALWAYS]
        rare = (("unreadable", self.unreadable), ("kept", self.retained))
        counts += [f"{number} {name}" for name, number in rare if number]
        if self.others:
            kinds = sorted(self.others.items(), key=lambda kind: (-kind[1], kind[0]))
            listed = ", ".join(f"{ending or 'without an ending'} {count}" for ending, count in kinds)
            counts.append(f"{sum(self.others.values())} of other kinds ({listed})")
        if self.links:
            counts.append(f"{self.links} link{'s' if self.links > 1 else ''} not followed")
        return ", ".join(counts)

    def in_short(self, place: Place) -> list[str]:
        """Return one line for a person who asks, if not all documents could be read; ingestion told the rest."""
        if self.loss or not self.not_read:
            return [self.loss] if self.loss else []
        docs = "" if place.is_sample else f" --docs {shlex.quote(str(place.source))}"
        some = "1 document" if self.not_read == 1 else f"{self.not_read} documents"
        return [f"{some} could not be read; see `selfrag documents{docs}`"]


class Interruption(SelfragError):
    """A person interrupted the command while documents were read or embedded; what it has done is kept."""

    def __init__(self, done: int, total: int, what: str = "documents are in the index") -> None:
        super().__init__(f"Interrupted: {done:,} of {total:,} {what}; the same command goes on there.")


class NothingUsable(InvalidInput):
    """A directory holds no document that can be used; what there was of it is gone from the index."""

    def __init__(self, message: str, report: IngestionReport) -> None:
        super().__init__(message)
        self.report = report


class MassRemoval(SelfragError):
    """Much of a collection would be removed, as if a share was not mounted."""

    def __init__(self, place: Place, lost: Sequence[str], total: int) -> None:
        self.lost = lost
        into = f" --collection {place.collection}" if not is_own(place.collection) else ""
        super().__init__(
            f"{place} has no longer {len(lost)} of the {total} documents of its collection: {_listed(lost)}. They were "
            "not removed: a share that is not mounted looks the same, and a site that is down in part. To remove them: "
            f"`selfrag ingest {shlex.quote(str(place.root))}{into} --replace`."
        )


@dataclass(frozen=True)
class IngestionPlan:
    """The report that an ingestion would end with if all can be read; a line for each file that is not as it was."""

    report: IngestionReport
    lines: list[str]


def plan_of(place: Place, comparison: Comparison) -> IngestionPlan:
    """Return the plan of a place; whether a file holds what can be used shows only when it is read."""
    read = Record(id="", status="ready", generation="to be read")
    after = {**comparison.before, **{path: read for path in comparison.todo if path not in comparison.unread}}
    lines = [f"{_VERBS[outcome]} {path}" for path, outcome in _outcomes(comparison, after).items() if outcome in _VERBS]
    lines += [f"remove {path}" for path in comparison.gone if comparison.before[path].generation]
    report = _counted(place, comparison, after)
    try:
        refuse_another(place)
    except AnotherDirectory as error:
        report = replace(report, warnings=[str(error), *report.warnings])
    if removal := mass_removal(place, comparison):
        report = replace(report, warnings=[str(removal), *report.warnings])
    return IngestionPlan(report, lines)


def mass_removal(place: Place, comparison: Comparison) -> MassRemoval | None:
    """Return what to say if more than half of a place's documents would be removed, or all of a folder that is empty.

    A document that is alone in that is no mistake.
    """
    lost, indexed = comparison.lost, sum(bool(record.generation) for record in comparison.before.values())
    is_empty = any(sum(path.startswith(f"{folder}/") for path in lost) > 1 for folder in comparison.files.empty)
    return MassRemoval(place, lost, indexed) if is_empty or 2 * len(lost) > max(indexed, 2) else None


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MAX_NAMES} more" if len(paths) > _MAX_NAMES else ""
    return ", ".join(paths[:_MAX_NAMES]) + more


def report_of(place: Place, comparison: Comparison, after: Mapping[str, Record]) -> IngestionReport:
    """Return the report of a place as the manifest says it afterwards; raises NothingUsable if it holds nothing."""
    report = _counted(place, comparison, after)
    if not any(record.generation for record in after.values()):
        more = " any more" if report.removed else ""
        why = _reason(comparison, report.warnings)
        raise NothingUsable(f"{place} holds no document that can be used{more}: {why}", report)
    return report


def _counted(place: Place, comparison: Comparison, after: Mapping[str, Record]) -> IngestionReport:
    """Count every file once, by its record before and after."""
    files, counts = comparison.files, Counter(_outcomes(comparison, after).values())
    counts["retained"] = len(comparison.retained)
    counts["unreadable"] += len(files.unread.keys() - set(comparison.retained))
    counts["removed"] = sum(bool(comparison.before[path].generation) for path in comparison.gone)
    warnings = [*files.notes, *files.unread.values(), *_refused(files.others), *_warnings(place, comparison, after)]
    others, loss, note = dict(files.others), comparison.loss, files.summary
    return IngestionReport(**counts, links=files.links, others=others, warnings=warnings, loss=loss, site_note=note)


def _outcomes(comparison: Comparison, after: Mapping[str, Record]) -> dict[str, str]:
    """Return the name of the count that each document is in, by its path."""
    return {path: _outcome(path, comparison, after) for path in comparison.files.paths}


def _outcome(path: str, comparison: Comparison, after: Mapping[str, Record]) -> str:
    was, now = comparison.before.get(path), after.get(path)
    if path in comparison.unread or now is None:
        return "retained" if was and was.generation else "unreadable"
    if now.status == "failed":
        return "failed"
    if was is None or not was.generation:
        return "added"
    return "unchanged" if was.generation == now.generation else "changed"


def _refused(others: Mapping[str, int]) -> Iterator[str]:
    """Yield what to do about files of kinds that are known and not read, by their ending."""
    for ending in sorted(others.keys() & REFUSED.keys()):
        count = others[ending]
        files = f"1 file ending in {ending} is" if count == 1 else f"{count} files ending in {ending} are"
        yield f"{files} not read: {REFUSED[ending]}."


def _warnings(place: Place, comparison: Comparison, after: Mapping[str, Record]) -> Iterator[str]:
    """Yield the warnings of the files in their order; what was lost of a file only when it is read."""
    for path in comparison.files.paths:
        record = after.get(path)
        if path in comparison.unread:
            yield comparison.unread[path]
        elif record and record.status == "failed":
            yield place.path_of(record.reason) if is_about(record) else f"{path}: {record.reason}"
        elif record and path in comparison.todo:
            yield from map(place.path_of, record.warnings)
    if unseen := sorted(set(comparison.retained) - set(comparison.files.paths)):
        yield f"Kept as read before: {_listed(unseen)}."


def _reason(comparison: Comparison, warnings: list[str]) -> str:
    others = comparison.files.others.total()
    if warnings:
        return warnings[0]
    if others:
        return f"none of its {others} files is of a kind that is read ({', '.join(sorted(EXTENSIONS))})."
    return "it holds nothing but links." if comparison.files.links else "it is empty."
