"""Comparison of a source with the manifest, and the report of an ingestion or dry run."""

import hashlib
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from selfrag.domain.errors import BadDocument, InvalidInput, SelfragError
from selfrag.domain.kinds import EXTENSIONS, REFUSED
from selfrag.domain.records import Record
from selfrag_cli.local.sources.source import DocumentSource, Files, is_own

_COUNTS = ("added", "changed", "removed", "unchanged", "failed")
_MAX_NAMES = 20

# Manifest records by path in the source.
Records = Mapping[str, Record]


@dataclass(frozen=True)
class IngestionReport:
    """Counts of files by outcome; deleted documents are `removed`.

    `failed` have no usable content or a failed step; `unreadable` could not be read; `retained` cannot be read now and
    stay in the index. `others` counts unsupported kinds by extension, `links` the skipped links. `warnings` has a
    sentence per problem, `loss` describes a refused removal, `site_note` the discovery of a site's pages. `plan` lists
    the changes of a dry run.
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
    plan: list[str] = field(default_factory=list)

    @property
    def not_read(self) -> int:
        """Return the number of unreadable documents."""
        return self.failed + self.unreadable + self.retained

    def summary(self) -> str:
        """Return the counts in one line."""
        counts = [f"{getattr(self, count)} {count}" for count in _COUNTS]
        rare = (("unreadable", self.unreadable), ("kept", self.retained))
        counts += [f"{number} {name}" for name, number in rare if number]
        if self.others:
            kinds = sorted(self.others.items(), key=lambda kind: (-kind[1], kind[0]))
            listed = ", ".join(f"{ending or 'without an ending'} {count}" for ending, count in kinds)
            counts.append(f"{sum(self.others.values())} of other kinds ({listed})")
        if self.links:
            counts.append(f"{self.links} link{'s' if self.links > 1 else ''} not followed")
        return ", ".join(counts)

    def brief_lines(self, source: DocumentSource) -> list[str]:
        """Return a line before an answer if documents could not be read; `ingest` reports the details."""
        if self.loss or not self.not_read:
            return [self.loss] if self.loss else []
        docs = "" if source.is_sample else f" --docs {shlex.quote(str(source.directory))}"
        some = "1 document" if self.not_read == 1 else f"{self.not_read} documents"
        return [f"{some} could not be read; see `selfrag documents{docs}`"]


class Interruption(SelfragError):
    """The user interrupted reading or embedding; the completed work is kept."""

    def __init__(self, done: int, total: int, what: str = "documents are in the index") -> None:
        super().__init__(f"Interrupted: {done:,} of {total:,} {what}; the same command goes on there.")


class NothingUsable(InvalidInput):
    """The directory has no usable document, and its earlier ones were removed from the index."""

    def __init__(self, message: str, report: IngestionReport) -> None:
        super().__init__(message)
        self.report = report


class MassRemoval(SelfragError):
    """Much of a collection would be removed, as if a share were not mounted."""

    def __init__(self, source: DocumentSource, lost: Sequence[str], total: int) -> None:
        self.lost = lost
        into = f" --collection {source.collection}" if not is_own(source.collection) else ""
        super().__init__(
            f"{source} has no longer {len(lost)} of the {total} documents of its collection: {_list_names(lost)}. They "
            "were not removed: a share that is not mounted looks the same, and a site that is down in part. To remove "
            f"them: `selfrag ingest {shlex.quote(str(source.root))}{into} --replace`."
        )


class Comparison:
    """A source's current files and the records of `before`.

    `todo` need ingestion, `gone` are deleted files; `unread` has reasons by path; `loss` describes a refused removal.
    `made_by` identifies the pipeline.
    """

    def __init__(self, source: DocumentSource, files: Files, before: Records, made_by: str) -> None:
        self.source, self.files, self.before = source, files, before
        self.todo, self.unread, self.loss = list[str](), dict(files.unread), ""
        self._digests = set[str]()
        for path in files.paths:
            try:
                # As the ETag in a bucket.
                digest = hashlib.md5(files.content(path), usedforsecurity=False).hexdigest()
            except BadDocument as error:
                self.unread[path] = str(error)
                continue
            self._digests.add(digest)
            if not is_settled(before.get(path), digest, made_by):
                self.todo.append(path)
        missing = before.keys() - set(files.paths)
        for path in missing:
            # An invisible document may still exist in a folder that cannot be listed.
            above = (self.unread[str(folder)] for folder in PurePosixPath(path).parents if str(folder) in self.unread)
            if why := next(above, ""):
                self.unread[path] = why
        for path in self.retained:
            self.unread[path] = f"{self.unread[path].removesuffix('.')}; what was read of it before is kept."
        self.gone = sorted(missing - self.unread.keys())

    @property
    def retained(self) -> list[str]:
        """Return the currently unreadable documents that stay in the index."""
        return sorted(path for path in self.unread if path in self.before and self.before[path].generation)

    def mass_removal(self) -> MassRemoval | None:
        """Return a refusal if over half of the documents, or all of an emptied folder, would be removed.

        Single deletions are allowed, and renamed documents are not counted.
        """
        lost, indexed = self._find_lost(), sum(bool(record.generation) for record in self.before.values())
        is_empty = any(sum(path.startswith(f"{folder}/") for path in lost) > 1 for folder in self.files.empty)
        return MassRemoval(self.source, lost, indexed) if is_empty or 2 * len(lost) > max(indexed, 2) else None

    def retain_lost(self, why: str) -> None:
        """Keep the documents to remove in the index."""
        lost, self.loss = self._find_lost(), why
        self.gone = sorted(set(self.gone) - set(lost))
        self.unread |= dict.fromkeys(lost, why)
        self.files.notes.insert(0, why)

    def _find_lost(self) -> list[str]:
        records = ((path, self.before[path]) for path in self.gone)
        return [path for path, record in records if record.generation and _digest(record) not in self._digests]

    def plan_report(self, objections: Sequence[SelfragError | None]) -> IngestionReport:
        """Return the report of a successful ingestion."""
        read = Record(id="", status="ready", generation="to be read")
        after = {**self.before, **{path: read for path in self.todo if path not in self.unread}}
        verbs, outcomes = {"added": "add", "changed": "change"}, self._outcomes(after)
        plan = [f"{verbs[outcome]} {path}" for path, outcome in outcomes.items() if outcome in verbs]
        plan += [f"remove {path}" for path in self.gone if self.before[path].generation]
        report = self._count_files(after)
        warnings = [*(str(error) for error in objections if error), *report.warnings]
        return replace(report, warnings=warnings, plan=plan)

    def report(self, after: Records) -> IngestionReport:
        """Return the report from the resulting records; raises NothingUsable without a document."""
        report = self._count_files(after)
        if not any(record.generation for record in after.values()):
            more = " any more" if report.removed else ""
            why = report.warnings[0] if report.warnings else self._emptiness()
            raise NothingUsable(f"{self.source} holds no document that can be used{more}: {why}", report)
        return report

    def _count_files(self, after: Records) -> IngestionReport:
        """Count every file once, by its records before and after."""
        files, counts = self.files, Counter(self._outcomes(after).values())
        counts["retained"] = len(self.retained)
        counts["unreadable"] += len(files.unread.keys() - set(self.retained))
        counts["removed"] = sum(bool(self.before[path].generation) for path in self.gone)
        unlisted = (why for path, why in files.unread.items() if path not in files.paths)
        warnings = [*files.notes, *unlisted, *_advise_on_refused(files.others), *self._warnings(after)]
        totals: dict[str, Any] = dict(counts)
        others, loss, note = dict(files.others), self.loss, files.summary
        return IngestionReport(**totals, links=files.links, others=others, warnings=warnings, loss=loss, site_note=note)

    def _outcomes(self, after: Records) -> dict[str, str]:
        return {path: self._outcome(path, after) for path in self.files.paths}

    def _outcome(self, path: str, after: Records) -> str:
        was, now = self.before.get(path), after.get(path)
        if path in self.unread or now is None:
            return "retained" if was and was.generation else "unreadable"
        if now.status == "failed":
            return "failed"
        if was is None or not was.generation:
            return "added"
        return "unchanged" if was.generation == now.generation else "changed"

    def _warnings(self, after: Records) -> Iterator[str]:
        """Yield warnings in file order; those about lost content only for newly read files."""
        for path in self.files.paths:
            record = after.get(path)
            if path in self.unread:
                yield self.unread[path]
            elif record and record.status == "failed":
                yield self.source.path_of(record.reason) if is_about(record) else f"{path}: {record.reason}"
            elif record and path in self.todo:
                yield from map(self.source.path_of, record.warnings)
        if unseen := sorted(set(self.retained) - set(self.files.paths)):
            yield f"Kept as read before: {_list_names(unseen)}."

    def _emptiness(self) -> str:
        others = self.files.others.total()
        if others:
            return f"none of its {others} files is of a kind that is read ({', '.join(sorted(EXTENSIONS))})."
        return "it holds nothing but links." if self.files.links else "it is empty."


def is_about(record: Record) -> bool:
    """Return whether the content caused a failure (the reason begins with the key), so that a retry is useless."""
    return record.reason.startswith(record.key)


def is_settled(record: Record | None, digest: str, made_by: str) -> bool:
    """Return whether the manifest already has the final outcome for this content."""
    if record is None:
        return False
    final = record.status == "ready" or (record.status == "failed" and is_about(record))
    # The version that the workflow records for an object: ETag and pipeline.
    return final and record.version == f'"{digest}" {made_by}'


def _digest(record: Record) -> str:
    return record.version.split('"')[1]


def _list_names(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MAX_NAMES} more" if len(paths) > _MAX_NAMES else ""
    return ", ".join(paths[:_MAX_NAMES]) + more


def _advise_on_refused(others: Mapping[str, int]) -> Iterator[str]:
    """Yield advice for refused kinds by extension."""
    for ending in sorted(others.keys() & REFUSED.keys()):
        count = others[ending]
        files = f"1 file ending in {ending} is" if count == 1 else f"{count} files ending in {ending} are"
        yield f"{files} not read: {REFUSED[ending]}."
