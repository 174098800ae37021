# SPDX-License-Identifier: Apache-2.0
"""Sources and column ranges of real cores, against what each process said of its own code."""

from __future__ import annotations

import os
import random
import shutil
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest
from support.cores import Made
from support.interpreters import Interpreter, discover, spread
from support.mutate import MutatedTarget
from support.opening import made_or_skip, sysroot_of, target_of

from commands.list import list_source
from gdb_epi.cpython.source.finder import Source, SourceFinder, SourceNotFound
from gdb_epi.cpython.source.safe_file_reading import source_lines
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import InputError
from gdb_epi.process_state import ProcessState
from gdb_epi.render.source_lines import running_source_range, source_line_reader
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("source")]
HOSTILE = (0, 1, 7, 0x1000, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1)
ROUNDS = 25


def made_of(interpreter: Interpreter, program: str) -> Made:
    return made_or_skip(interpreter, program)


def opened(made: Made) -> tuple[SourceFinder, tuple[PyFrame, ...], Any]:
    target = target_of(made)
    python = ProcessState(target).python
    assert isinstance(python, PythonState), python
    frames = next(thread.frames for thread in python.threads() if thread.crashed)
    written = made.core.stat().st_mtime
    return (
        SourceFinder(target, python, sysroot=sysroot_of(made), written_at=written),
        frames,
        target,
    )


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_every_position_is_the_one_that_the_process_told(interpreter: Interpreter) -> None:
    made = made_of(interpreter, "source_places")
    finder, frames, _ = opened(made)
    positions = made.truth["positions"]
    assert len(positions) == len(frames) - 1  # die() came on top
    with_columns = 0
    for number, (frame, truth) in enumerate(zip(frames[2:], positions[1:], strict=True), 2):
        filename, name, line, end_line, column, end_column = truth
        source = finder.find_source(frame, frames[number + 1 :], force=True)
        assert source.site is not None, source
        assert (frame.filename, frame.name) == (filename, name)
        if end_line is None:  # before 3.11 neither side knows columns
            assert source.site.position[:1] == (line,)
            assert source.site.position.column is None
        else:
            assert source.site.position == (line, end_line, column, end_column)
            with_columns += column is not None
    assert with_columns >= (40 if interpreter.minor >= (3, 11) else 0)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_each_source_is_found_where_it_is_and_no_wrong_one_is_given(
    interpreter: Interpreter,
) -> None:
    made = made_of(interpreter, "source_places")
    finder, frames, _ = opened(made)
    pieces = {(file, first): rest for file, first, *rest in made.truth["pieces"].values()}
    seen = 0
    for number, frame in enumerate(frames):
        if frame.name != "step":
            continue
        source = finder.find_source(frame, frames[number + 1 :])
        assert source.site is not None
        trust, text, where = pieces[source.site.filename, source.site.first]
        seen += 1
        if trust is None:
            assert isinstance(source, SourceNotFound), source
            assert source.tried
            continue
        assert isinstance(source, Source), source
        assert (source.trust, list(source.lines)) == (trust, source_lines(text)), source.checks
        assert where in source.where
        span = running_source_range(source.site.position, source.lines)
        if interpreter.minor >= (3, 11):
            assert span is not None
            first, last = source.lines[span.line - 1], source.lines[span.end_line - 1]
            assert first[span.column :].startswith("follow(")
            assert last[: span.end_column].endswith(")")
    assert seen == len(pieces) == 20


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_the_text_of_a_command_line(interpreter: Interpreter) -> None:
    made = made_of(interpreter, "source_command")
    finder, frames, _ = opened(made)
    frame = next(frame for frame in frames if frame.name == "step")
    source = finder.find_source(frame)
    assert isinstance(source, Source), source
    assert source.trust == "fits"
    assert source.lines[4] == "def step(follow, 名前='ß'):"
    module = next(frame for frame in frames if frame.name == "<module>")
    source = finder.find_source(module)
    assert isinstance(source, Source), source
    assert source.lines[(module.lineno or 0) - 1] == "step(last)"


def test_the_command_shows_carets_and_says_what_was_checked() -> None:
    interpreter = next(interpreter for interpreter in discover() if interpreter.minor >= (3, 11))
    made = made_of(interpreter, "source_places")
    sysroot = sysroot_of(made)
    session = Session(CoreFileTarget.open(made.core), sysroot=sysroot)
    frames = session.state.python_threads()[0].frames
    names = {os.path.basename(frame.filename): n for n, frame in enumerate(frames)}
    report = list_source(session, Namespace(frame=names["timed.py"], context=2, force=False))
    assert report.data is not None
    assert report.data["source"]["trust"] == "verified"
    assert report.data["range"] == {"line": 3, "column": 11, "end_line": 3, "end_column": 36}
    assert any(note.message.endswith(": it is the text that ran") for note in report.soft_errors)
    with pytest.raises(InputError, match="does not fit the code in the core"):
        list_source(session, Namespace(frame=names["shifted.py"], context=2, force=False))
    forced = list_source(session, Namespace(frame=names["shifted.py"], context=2, force=True))
    assert any("NOT the text that ran" in note.message for note in forced.soft_errors)


def test_lines_below_frames_are_checked_ones_only() -> None:
    interpreter = next(interpreter for interpreter in discover() if interpreter.minor >= (3, 11))
    made = made_of(interpreter, "source_places")
    sysroot = sysroot_of(made)
    session = Session(CoreFileTarget.open(made.core), sysroot=sysroot)
    below = source_line_reader(session)
    frames = session.state.python_threads()[0].frames
    shown = {os.path.basename(frame.filename): below(frame) for frame in frames}
    marks = " " * 7 + "^" * 25
    assert shown["timed.py"] == ["return follow(value, len(value)) or value", marks]
    assert shown["shifted.py"] == [] and shown["<lost>"] == []


def test_files_that_are_no_files_are_never_waited_for(tmp_path: Path) -> None:
    interpreter = discover()[0]
    made = made_of(interpreter, "source_places")
    target = CoreFileTarget.open(made.core)
    python = ProcessState(target).python
    assert isinstance(python, PythonState)
    frames = next(thread.frames for thread in python.threads() if thread.crashed)
    frame = next(frame for frame in frames if frame.filename.endswith("/plain.py"))
    place = tmp_path / frame.filename.lstrip("/")
    place.parent.mkdir(parents=True)

    def reason() -> str:
        source = SourceFinder(target, python, sysroot=str(tmp_path)).find_source(frame)
        assert isinstance(source, SourceNotFound), source
        return source.absent.detail

    assert "No such file" in reason()
    os.mkfifo(place)
    assert "not a regular file" in reason()
    place.unlink()
    place.symlink_to("/dev/zero")  # below the sysroot, where there is none
    assert "No such file" in reason()
    place.unlink()
    with place.open("wb") as stream:
        stream.truncate(17 << 20)
    assert "larger than" in reason()
    place.unlink()
    place.write_bytes(b"\xff\xfe\x00binary\n" * 9)
    assert "does not fit" in reason()
    place.unlink()
    hidden = tmp_path / "moved.py"
    shutil.copy(interpreter.outside(frame.filename), hidden)
    place.symlink_to("/moved.py")  # absolute: of the process' root, which is the sysroot here
    assert isinstance(
        SourceFinder(target, python, sysroot=str(tmp_path)).find_source(frame), Source
    )


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_damage_never_raises(interpreter: Interpreter) -> None:
    made = made_of(interpreter, "source_places")
    finder, frames, inner = opened(made)
    python = ProcessState(inner).python
    assert isinstance(python, PythonState)
    chance = random.Random(made.core.stat().st_size)
    hit = 0
    for _ in range(ROUNDS):
        target = MutatedTarget(inner)
        frame = frames[chance.randrange(2, len(frames))]
        size = finder.access.reader.layout.size("PyCodeObject") or 64
        for _ in range(3):
            target.put_word(frame.code + 8 * chance.randrange(size // 8), chance.choice(HOSTILE))
        source = SourceFinder(target, python, sysroot=str(made.sysroot or "") or None).find_source(
            frame
        )
        hit += isinstance(source, SourceNotFound)
    assert hit, "no mutation touched what a source rests on"
