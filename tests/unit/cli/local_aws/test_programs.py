"""Definitions that were parsed before: read when they can be trusted, and parsed anew when they cannot."""

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.local.aws.lighter.programs import MOST_KEPT, KeptPrograms, parse
from cli.local.aws.stack import running_stack
from tests.support.steps import Scripted
from tests.workflow.asking import ASKED

DEFINITION = '{"QueryLanguage": "JSONata", "StartAt": "Only", "States": {"Only": {"Type": "Pass", "End": true}}}'


class Counted:
    """A process's parser: it counts what it could not take from the directory."""

    def __init__(self, directory: Path) -> None:
        self.parsed: list[str] = []
        self.program = KeptPrograms(directory, self._parse)

    def _parse(self, definition: str) -> tuple[Any, Any]:
        self.parsed.append(definition)
        return parse(definition)


class Evil:
    """What runs a command when it is unpickled."""

    def __init__(self, leaves: Path) -> None:
        self.leaves = leaves

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.leaves),)


def hashed(data: bytes) -> bytes:
    return hashlib.sha256(data).digest() + data


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def changed(file: Path) -> None:
    content = file.read_bytes()
    assert b"Only" in content
    file.write_bytes(content.replace(b"Only", b"Onlx"))


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def made_evil(file: Path) -> None:
    file.write_bytes(hashed(pickle.dumps(Evil(file.parent / "evil"))))


def made_another_thing(file: Path) -> None:
    file.write_bytes(hashed(pickle.dumps([1, 2])))


def opened_to_others(file: Path) -> None:
    file.chmod(0o666)


def moved_where_others_write(file: Path) -> None:
    file.parent.chmod(0o777)


def replaced_by_a_link(file: Path) -> None:
    file.rename(file.parent.parent / "elsewhere")
    file.symlink_to(file.parent.parent / "elsewhere")


def test_a_definition_is_parsed_once_for_all_processes(tmp_path: Path) -> None:
    first, second = Counted(tmp_path / "programs"), Counted(tmp_path / "programs")
    for process in (first, second):
        program, _ = process.program(DEFINITION)
        assert list(program.states.states) == ["Only"]
    assert (first.parsed, second.parsed) == ([DEFINITION], [])
    second.program(DEFINITION.replace("Only", "Other"))
    assert len(second.parsed) == 1


def test_the_workflow_runs_from_the_program_that_was_kept_as_from_its_definition(tmp_path: Path) -> None:
    paths = []
    for process in (Counted(tmp_path), Counted(tmp_path)):
        with running_stack({}, {}, handlers=Scripted().handlers(), parse=process.program) as stack:
            execution = stack.execute(ASKED)
        assert execution.output is not None, execution.error
        paths.append((execution.output["path"], len(process.parsed)))
    assert paths[0][0] == paths[1][0]
    assert [parsed for _, parsed in paths] == [1, 0]


@pytest.mark.parametrize(
    "harm",
    [
        cut, changed, emptied, made_evil, made_another_thing, opened_to_others, moved_where_others_write,
        replaced_by_a_link,
    ],
)  # fmt: skip
def test_a_damaged_program_or_one_that_others_may_have_written_is_parsed_anew(
    harm: Callable[[Path], None], tmp_path: Path
) -> None:
    directory = tmp_path / "programs"
    Counted(directory).program(DEFINITION)
    (file,) = directory.iterdir()
    harm(file)
    after = Counted(directory)
    program, _ = after.program(DEFINITION)
    assert list(program.states.states) == ["Only"]
    assert after.parsed == [DEFINITION]
    assert not (directory / "evil").exists()


def test_a_definition_that_is_refused_is_refused_again(tmp_path: Path) -> None:
    process = Counted(tmp_path)
    for _ in range(2):
        with pytest.raises(Exception, match="ASLParserException"):
            process.program('{"StartAt": 1}')
    assert len(process.parsed) == 2


def test_a_directory_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    process = Counted(tmp_path / "file" / "programs")
    assert list(process.program(DEFINITION)[0].states.states) == ["Only"]


def test_programs_of_definitions_long_gone_are_removed(tmp_path: Path) -> None:
    process = Counted(tmp_path)
    for number in range(MOST_KEPT + 3):
        process.program(DEFINITION.replace("Only", f"State{number}"))
    assert len(list(tmp_path.iterdir())) == MOST_KEPT
