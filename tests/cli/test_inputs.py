# SPDX-License-Identifier: Apache-2.0
"""Inputs that cannot be used: one clear line each, with what to try, and the right exit code."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import subprocess
import sys
from argparse import Namespace
from functools import partial
from pathlib import Path

import pytest
from support.cores import find_core
from support.opening import core_of, need_core_dumps

from commands.exceptions import show_exceptions
from commands.generators import show_generators
from commands.greenlets import show_greenlets
from commands.pools import show_executors_and_queues
from commands.tasks import show_tasks
from gdb_epi.cli.support import core_files
from gdb_epi.cpython.runtime.find_runtime import RECOVERED
from gdb_epi.errors import InputError
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget


def only_line(done) -> str:
    """The one line on standard error, after checking its form."""
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith("gdb-epi: ") and "; try: " in line
    assert "Traceback" not in line
    return line


def bad_file(tmp_path, kind: str):
    """Make one bad input; return its path."""
    path = tmp_path / f"bad-{kind}"
    content = {
        "text": b"hello\n",
        "empty": b"",
        "short": b"\x7fE",
        "minidump": b"MDMP\x93\xa7\x00\x00" + bytes(64),
        "zip": b"PK\x03\x04" + bytes(64),
        "tar": b"cores/core.7" + bytes(245) + b"ustar\x0000" + bytes(248),
        "apport": b"ProblemType: Crash\nArchitecture: amd64\n",
        "json": b'{"schema": "gdb-epi/record/1"}\n',
        "gz of text": gzip.compress(b"hello"),
        "gz of nothing": gzip.compress(b""),
        "damaged gz": b"\x1f\x8b\x08\x00" + b"\xff" * 64,
        "damaged xz": b"\xfd7zXZ\0" + b"\xff" * 64,
        "damaged zst": b"\x28\xb5\x2f\xfd" + b"\xff" * 64,
        "damaged bz2": b"BZh9" + b"\xff" * 64,
    }
    if kind == "executable":
        shutil.copy(sys.executable, path)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        return "/dev/zero"
    elif kind == "empty folder":
        path.mkdir()
    elif kind == "folder without cores":
        path.mkdir()
        (path / "a.txt").write_text("no core")
    elif kind == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    elif kind != "missing":
        path.write_bytes(content[kind])
    return path


EXPECTED = {
    "text": "not a core dump",
    "empty": "an empty file",
    "short": "not a core dump",
    "executable": "an ELF file but not a core",
    "minidump": "a minidump",
    "zip": "a zip archive, not a core; try: mkdir cores && unzip /",
    "tar": "a tar archive, not a core; try: mkdir cores && tar -xf /",
    "apport": "an apport report, not a core; try: apport-unpack /",
    "json": "try: gdb-epi fleet ingest /",
    "gz of text": "gz-compressed, but inside not a core dump",
    "gz of nothing": "an empty file",
    "damaged gz": "damaged gz data",
    "damaged xz": "damaged xz data",
    "damaged bz2": "damaged bz2 data",
    "damaged zst": "damaged zst data",
    "pipe": "not a regular file",
    "device": "not a regular file",
    "empty folder": "no core in this folder",
    "folder without cores": "no core in this folder",
    "missing": "no such file",
    "dangling link": "no such file",
}


@pytest.mark.parametrize("kind", EXPECTED)
def test_a_bad_input_is_one_clear_line(shell, tmp_path, kind):
    if kind == "damaged zst" and shutil.which("zstd") is None:
        pytest.skip("no zstd program")
    path = bad_file(tmp_path, kind)
    done = shell.triage(path)
    line = only_line(done)
    assert done.code == 3
    assert EXPECTED[kind] in line and str(path) in line
    assert not shell.database.exists() and not shell.spooled


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("verb", ["triage", "stacks", "corruption", "sign", "tasks"])
def test_what_is_no_file_is_never_waited_for(shell, tmp_path, verb, kind):
    shell.prefix = ["timeout", "20"]
    done = shell(verb, bad_file(tmp_path, kind))
    assert done.code == 3
    assert "not a regular file" in only_line(done)


def test_a_named_pipe_among_the_files_of_a_core_does_not_stop_gdb(shell, core, tmp_path):
    """GDB waits for what it opens; it is not started."""
    folder = b"/root/.pyenv/versions/3.13.0/lib/python3.13/lib-dynload"
    old = folder + b"/_struct.cpython-313-x86_64-linux-gnu.so"
    data = core.read_bytes()
    assert old in data
    os.mkfifo(tmp_path / "p")
    name = os.fsencode(tmp_path)
    core.write_bytes(data.replace(old, name + b"/" * (len(old) - len(name) - 1) + b"p"))
    shell.prefix = ["timeout", "20"]
    gdb = tmp_path / "gdb"
    gdb.write_text("#!/bin/sh\nexit 7\n")
    gdb.chmod(0o755)
    done = shell("triage", core, "--gdb", gdb, "--no-db", "--format", "json")
    assert done.code == 0, done.err
    (record,) = done.records
    reasons = {e["message"] for e in record["soft_errors"] if e["subject"] == "gdb"}
    assert reasons == {"gdb was not started: p, which the core names, is a named pipe"}
    done = shell("triage", core, "--gdb", gdb, "--no-db", "--native", "always")
    assert done.code == 1 and "gdb was not started" in only_line(done)


def test_a_text_may_come_through_a_pipe_that_the_shell_opened(shell):
    done = shell("sign", "/dev/stdin", stdin=b"no crash")
    assert done.code == 3
    assert "no crash in the text" in only_line(done)


def test_an_unreadable_core_is_told(shell, core):
    shell.without_rights()
    core.chmod(0)
    done = shell.triage(core)
    assert done.code == 3
    assert "Permission denied; try: sudo" in only_line(done)


def test_an_unreadable_folder_inside_is_told_and_the_rest_is_read(shell, core, tmp_path):
    shell.without_rights()
    folder = tmp_path / "cores"
    (folder / "closed").mkdir(parents=True)
    core.rename(folder / "core.1")
    (folder / "closed").chmod(0)
    done = shell.triage(folder, "--format", "json", "--no-db")
    (folder / "closed").chmod(0o755)
    assert done.code == 3
    assert len(done.records) == 1
    assert "closed: Permission denied" in done.err


def test_a_core_without_python_that_can_be_read_is_no_answer(shell, tmp_path, core_bytes):
    """`tasks` said so and exited with 0; `memory` left Python out without a word."""
    (tmp_path / "core").write_bytes(core_bytes[:300_000])
    done = shell("tasks", tmp_path / "core")
    assert (done.code, done.out) == (3, "") and "Python was not decoded: " in done.err
    assert done.err.endswith(f"; try: gdb-epi triage {tmp_path / 'core'}\n")
    done = shell("memory", tmp_path / "core")
    assert done.code == 3 and done.out.startswith("mapped: ")
    assert "What fills it is not known: Python was not decoded: " in done.out


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 120, 1000, 4096, 100_000])
def test_a_truncated_core_is_an_answer_or_one_line(shell, tmp_path, core_bytes, size):
    path = tmp_path / "cut"
    path.write_bytes(core_bytes[:size])
    done = shell.triage(path, "--format", "json", "--no-db")
    if done.code == 0:
        (record,) = done.records
        assert record["truncated"]["flag"] is True
    else:
        assert done.code == 3
        only_line(done)


@pytest.mark.parametrize(
    ("number", "kind", "name", "packed"),
    [
        (243, b"\2\1", "riscv", True),
        (243, b"\2\1", "riscv", False),
        (21, b"\2\1", "ppc64", False),
        (40, b"\1\1", "arm", False),
        (3, b"\1\1", "i386", False),
        (62, b"\1\1", "x86-64, with 32-bit pointers", False),
        (4711, b"\2\1", "e_machine 4711", False),
    ],
)
def test_a_core_of_another_machine(shell, tmp_path, core_bytes, number, kind, name, packed):
    data = bytearray(core_bytes)
    data[4:6], data[18:20] = kind, number.to_bytes(2, "little")
    path = tmp_path / "foreign"
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    done = shell.triage(path)
    assert done.code == 3
    assert only_line(done) == (
        f"gdb-epi: {path}: a core of another machine ({name}), which is not read; "
        "try: only cores of x86-64 and aarch64 can be read"
    )


def test_a_core_of_big_endian_aarch64(shell, tmp_path, core_bytes):
    data = bytearray(core_bytes)
    data[5], data[16:20] = 2, b"\0\4\0\xb7"
    path = tmp_path / "foreign"
    path.write_bytes(data)
    done = shell.triage(path)
    assert done.code == 3
    assert "another machine (aarch64, big-endian), which is not read" in only_line(done)


def test_what_a_folder_of_cores_holds_is_read_or_told(shell, core, tmp_path, core_bytes):
    """A core of less than a header and links to cores were passed over without a word."""
    folder = tmp_path / "cores"
    folder.mkdir()
    (folder / "core.2").write_bytes(core_bytes[:40])
    (folder / "core.3").symlink_to(core)
    done = shell.triage(folder, "--no-db")
    assert done.code == 3 and done.out == ""
    links, short = done.err.splitlines()
    assert "1 symbolic link in folders not followed" in links and f"{folder}/core.3" in links
    assert f"{folder}/core.2: a core that ends within its first header; try: copy" in short


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz"])
def test_what_came_before_the_damage_is_kept_and_named(shell, tmp_path, core_bytes, kind):
    """gzip's and bz2's read() forget up to a MiB of what they had when the data ends."""
    packers = {"gz": gzip.compress, "bz2": bz2.compress, "xz": partial(lzma.compress, preset=0)}
    packed = packers[kind](core_bytes)
    path = tmp_path / f"core.{kind}"
    path.write_bytes(packed[: len(packed) * 9 // 10])
    (record,) = shell.triage(path, "--format", "json", "--no-db").records
    assert record["truncated"]["flag"] is True
    assert record["truncated"]["missing_bytes"] < len(core_bytes) // 2
    named = {error["subject"] for error in record["soft_errors"] if error["stage"] == "core"}
    assert path.name in named and "core" not in named


def test_all_bad_inputs_are_told_one_by_one(shell, tmp_path):
    kinds = ("text", "empty", "executable", "missing")
    paths = [bad_file(tmp_path, kind) for kind in kinds]
    done = shell.triage(*paths)
    assert done.code == 3
    lines = [line for line in done.err.splitlines() if line.startswith("gdb-epi: ")]
    assert len(lines) == len(kinds)
    for line, path in zip(lines, paths, strict=True):
        assert str(path) in line and "; try: " in line


def test_a_file_name_cannot_steer_the_terminal(shell, tmp_path):
    path = tmp_path / "evil\x1b]0;owned\x07\n\u202ename"
    path.write_text("no core")
    done = shell.triage(path)
    assert done.code == 3
    assert "\x1b" not in done.err and "\u202e" not in done.err
    assert len(done.err.splitlines()) == 1
    assert "evil\\x1b" in done.err


def test_a_file_name_that_is_not_utf8(shell, tmp_path):
    name = os.fsencode(tmp_path) + b"/core-\xff\xfe"
    with open(name, "wb") as file:
        file.write(b"no core")
    done = subprocess.run(
        [*shell.command("triage", "--no-db"), name], capture_output=True, env=shell.env, timeout=60
    )
    assert done.returncode == 3
    assert b"Traceback" not in done.stderr and done.stderr.count(b"\n") == 1


def test_without_the_programs_the_message_says_what_to_install(shell, tmp_path):
    packed = tmp_path / "core.zst"
    packed.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(64))
    python = tmp_path / "python"  # outside the environment: no zstandard module either
    python.symlink_to(sys.executable)
    shell.python = str(python)
    bare = {"PATH": str(tmp_path), "PYTHONNOUSERSITE": "1"}
    probe = [
        python,
        "-c",
        "import importlib.util as u, sys; sys.exit(u.find_spec('zstandard') is None"
        " and not u.find_spec('compression'))",
    ]
    if subprocess.run(probe, env=bare).returncode == 0:
        pytest.skip("this Python has a zstd module of its own")
    line = only_line(shell.triage(packed, env=bare))
    assert "no zstd program or module here; try: install zstd" in line


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "required: CORE"),
        (["--nonsense", "x"], "--nonsense"),
        (["--jobs", "0", "x"], "at least 1"),
        (["--jobs", "many", "x"], "--jobs"),
        (["--timeout", "0", "x"], "positive"),
        (["--timeout", "nan", "x"], "positive"),
        (["--max-size", "1X", "x"], "K, M, G or T"),
        (["--native", "maybe", "x"], "--native"),
        (["--db", "x", "--no-db", "x"], "not allowed"),
    ],
)
def test_wrong_arguments_exit_2(shell, words, told):
    done = shell("triage", *words)
    assert (done.code, done.out) == (2, "")
    assert told in done.err and "Traceback" not in done.err


@pytest.mark.parametrize("verb", ["triage", "stacks", "corruption"])
@pytest.mark.parametrize("option", ["--exe", "--sysroot"])
def test_a_missing_executable_or_sysroot_is_told_first(shell, core, tmp_path, verb, option):
    done = shell(verb, core, option, tmp_path / "nowhere")
    assert done.code == 3
    assert f"{option} {tmp_path / 'nowhere'}: no such" in only_line(done)


@pytest.mark.parametrize("verb", ["stacks", "corruption"])
def test_of_several_sysroots_the_first_that_fits_counts(shell, tmp_path, verb):
    """Before 3.13 there is no Python to be seen without the interpreter's file."""
    made = core_of("threads")
    right, empty = made.sysroot or "/", tmp_path / "empty"
    empty.mkdir()
    expected = shell(verb, made.core, "--sysroot", right)
    assert expected.code == 0
    for roots in ((right, empty), (empty, right)):
        words = [word for root in roots for word in ("--sysroot", root)]
        assert shell(verb, made.core, *words) == expected
    if made.interpreter.minor < (3, 13):
        assert shell(verb, made.core, "--sysroot", empty) != expected


def test_a_named_gdb_that_is_not_there(shell, core, tmp_path):
    done = shell("triage", core, "--gdb", tmp_path / "nowhere", "--no-db")
    assert done.code == 2
    assert "no such program" in only_line(done)


def test_commands_claim_nothing_of_what_was_cut_off(tmp_path, core_bytes):
    """Of 600 kB of a core, Python's runtime is lost: what is not found may have been there."""
    path = tmp_path / "cut"
    path.write_bytes(core_bytes[:600_000])
    session = Session(CoreFileTarget.open(path))
    assert session.state.python.found_by == RECOVERED
    for run in (
        show_exceptions,
        show_tasks,
        show_generators,
        show_greenlets,
        show_executors_and_queues,
    ):
        options = Namespace(messages=False, limit=40, tree=False, all=False, each=False)
        (line,) = run(session, options).lines
        assert "in what is left: Python's runtime was not found" in line
    with pytest.raises(InputError, match="has no Python state that is left"):
        session.python_frame(0)


def test_a_data_stack_that_was_cut_off_is_told_once(tmp_path, core_bytes):
    """The chunk that could not be read was said to come twice as well."""
    path = tmp_path / "cut"
    path.write_bytes(core_bytes[:5_713_920])
    messages = [
        soft_error.message
        for soft_error in Session(CoreFileTarget.open(path)).state.all_soft_errors()
    ]
    assert any("data stack chunk: cannot read" in message for message in messages)
    assert not any("comes twice" in message for message in messages)


def test_a_core_that_goes_away_while_they_are_looked_for_costs_no_other(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"\x7fELF\2\1\1".ljust(16, b"\0") + b"\4".ljust(48, b"\0"))
    looked_at = core_files.core_at

    def leave(path):
        core = looked_at(path)
        if path.endswith("a"):
            (tmp_path / "a").unlink()
        return core

    monkeypatch.setattr(core_files, "core_at", leave)
    inputs = core_files.find_cores([str(tmp_path)])
    assert [core.path for core in inputs.cores] == [str(tmp_path / "b")]
    assert [str(problem) for problem in inputs.problems] == [f"{tmp_path / 'a'}: no such file"]


@pytest.mark.parametrize("verb", ["triage", "stacks", "corruption"])
def test_the_number_of_no_process_is_said_to_be_none(shell, verb):
    """It was "No such file or directory; try: check the path"."""
    line = only_line(shell(verb, 4_194_305))  # PID_MAX_LIMIT and one
    assert "no such file, and no such process here; try: check the number" in line


def test_of_a_core_that_was_cut_off_stacks_says_the_most_important(shell, core, tmp_path):
    """It printed a note for everything that follows from the cut, and called it damage."""
    cut = tmp_path / "cut"
    cut.write_bytes(core.read_bytes()[: core.stat().st_size // 3])
    done = shell("stacks", cut)
    notes = [line for line in done.out.splitlines() if line.startswith("note: ")]
    assert done.code == 0 and len(notes) <= 4
    assert done.out.count("of the core is missing: its end was cut off") == 1
    assert "is damaged" not in done.out


def core_of_gone(folder: Path, program: str, *words: str) -> Path:
    """Copy a program under another name, let it die by SIGABRT or by itself, and remove it."""
    need_core_dumps()
    gone = folder / "gone"
    shutil.copy(program, gone)
    subprocess.run([gone, *words], cwd=folder, check=False, timeout=60)
    gone.unlink()
    (core,) = find_core(folder)
    return core


STATIC = "/usr/bin/python3.11"  # Debian's: CPython lies in the executable
needs_static = pytest.mark.skipif(not os.path.exists(STATIC), reason="no Python of Debian 12")


@needs_static
def test_python_whose_executable_is_gone_is_told_by_its_extensions(shell, tmp_path):
    """It was "not CPython": nothing but the names of extension modules tells."""
    core = core_of_gone(tmp_path, STATIC, "-c", "import ctypes; ctypes.string_at(0)")
    done = shell("triage", core, "--no-db")
    assert "not CPython" not in done.out
    assert "(build-id" in done.out and "which is not here" in done.out
    assert f"gdb-epi triage --exe FILE {core} --no-db" in done.out
    done = shell("stacks", core)
    assert "py  string_at  " in done.out and "py  <module>   <string>:1" in done.out
    done = shell("triage", core, "--no-db", "--exe", STATIC)
    assert "CPython 3.11." in done.out
    assert f"gdb-epi stacks --locals {core} --exe {STATIC}\n" in done.out
    shutil.copy("/bin/ls", tmp_path / "gone")  # as an upgrade does
    done = shell("triage", core, "--no-db")
    printed = " ".join(done.out.split())
    assert "which was replaced, as by an upgrade" in printed and "not here" not in printed
    assert f"gdb-epi triage --exe FILE {core} --no-db" in done.out
    done = shell("triage", core, "--no-db", "--exe", "/bin/cat")
    printed = " ".join(done.out.split())
    assert "--exe: it is of another build" in printed and "core-file" not in printed
    assert f"gdb-epi stacks --locals {core}\n" in done.out  # without what did not help


def test_whether_an_executable_that_is_gone_was_python_cannot_be_told(shell, tmp_path):
    core = core_of_gone(tmp_path, shutil.which("sh"), "-c", "kill -ABRT $$")
    done = shell("triage", core, "--no-db")
    assert "CPython or not: cannot tell" in done.out and "not CPython" not in done.out
    done = shell("stacks", core)
    assert done.code == 3 and "cannot tell whether CPython ran" in only_line(done)


@pytest.mark.parametrize("name", ["python2.7", "python3.7", "python3.99"])
def test_a_python_without_a_layout_is_called_unsupported(shell, tmp_path, name) -> None:
    """By the name of its file: it was called damaged, or no CPython."""
    need_core_dumps()
    program = tmp_path / name
    shutil.copy(shutil.which("sh"), program)
    subprocess.run([program, "-c", "kill -ABRT $$"], cwd=tmp_path, check=False, timeout=60)
    (core,) = find_core(tmp_path)
    done = shell("triage", "--no-db", core)
    version = name.removeprefix("python")
    assert f"CPython {version} is not supported: gdb-epi reads 3.8 to" in done.out
