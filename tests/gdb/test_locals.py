# SPDX-License-Identifier: Apache-2.0
"""`epi locals`, `epi print` and `epi bt --locals` in every GDB, on a core of a Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from driver import Gdb, read_json, run_gdb, with_epi
from support.cores import CoreFailed, Made, make_core
from support.interpreters import discover
from support.opening import need_core_dumps


@pytest.fixture(scope="module")
def made() -> Made:
    return core_of_own_root("values")


def core_of_own_root(program: str) -> Made:
    need_core_dumps()
    for interpreter in reversed(discover()):
        if interpreter.root is None:
            try:
                return make_core(interpreter, program)
            except CoreFailed:
                continue
    pytest.skip("no CPython of this machine's own root left a core")


def frame_of(made: Made, function: str) -> int:
    names = [frame[0] for frame in made.truth["threads"][0]["frames"]]
    return names.index(function)


def test_locals(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    number = frame_of(made, "arguments")
    out = tmp_path / "locals.json"
    done = run_gdb(
        gdb,
        *with_epi(f"epi locals {number}", f"epi locals {number} --json --output {out}"),
        exe=made.executable,
        core=made.core,
    )
    assert "  key = 'k'  [keyword-only]\n" in done.stdout, done.text
    assert "  first = 1  [positional-only]\n" in done.stdout
    assert "  *rest = (4,)\n" in done.stdout and "  **more = {'extra': None}\n" in done.stdout
    variables = {variable["name"]: variable for variable in read_json(out)["variables"]}
    assert variables["captured"]["text"] == "[1]" and variables["captured"]["exact"] is True
    assert variables["first"]["kind"] == "positional-only"


def test_print_paths(gdb: Gdb, made: Made) -> None:
    number = frame_of(made, "containers")
    paths = ("table['b'][0]", "keyed[(2, 3)]", "loop[1][0]", "queue[-1]", "keyed[1]", "len")
    commands = [f"epi print --frame {number} {path}" for path in (*paths, "keyed['1']")]
    done = run_gdb(gdb, *with_epi(*commands), exe=made.executable, core=made.core)
    shown = [line.partition(" = ")[2] for line in done.stdout.splitlines() if " = " in line]
    assert shown[-6:] == ["2", "'two'", "'self'", "3", "'one'", "<built-in function len>"], (
        done.text
    )
    assert "keyed has no key '1'; try: 1, " in done.text  # GDB's splitting would make it 1
    done = run_gdb(gdb, *with_epi("epi print keyed[1]"), exe=made.executable, core=made.core)
    assert f"; try: epi frame {number}, then the same again\n" in done.text


def test_print_says_what_is_wrong(gdb: Gdb, made: Made) -> None:
    number = frame_of(made, "containers")
    paths = ("no_such_name", "table[nothing]", "pair[9]", "pair..x", "span.absent", "0x10")
    commands = [f"epi print --frame {number} {path}" for path in paths]
    # Where not even libc has debug information, GDB would advise to load a file.
    no_name = "GDB " if made.interpreter.stripped else "GDB says: No symbol"
    for command, message in zip(
        commands,
        (
            f"no variable no_such_name of Python; {no_name}",
            "table has no key nothing; try: 'a', 'b'",
            "pair has 2 items; try: [0] to [1]",
            "cannot read '..x' in 'pair..x'",
            "span has no attribute absent",
            "<cannot decode an object at 0x10",
        ),
        strict=True,
    ):
        done = run_gdb(gdb, *with_epi(command), exe=made.executable, core=made.core)
        assert message in done.stdout + done.stderr, done.text
        assert "Traceback" not in done.text


def test_backtrace_with_locals(gdb: Gdb, made: Made, tmp_path: Path) -> None:
    out = tmp_path / "bt.json"
    done = run_gdb(
        gdb,
        *with_epi("epi bt --locals", f"epi bt --all --locals --json --output {out}"),
        exe=made.executable,
        core=made.core,
    )
    assert "         delta = datetime.timedelta(days=-1, seconds=5)\n" in done.stdout, done.text
    frames = [frame for thread in read_json(out)["threads"] for frame in thread["frames"]]
    (others,) = (frame for frame in frames if frame["name"] == "others")
    assert others["locals"]["money"] == "Decimal('-12.340')"


def test_messages_do_not_show_what_is_masked(gdb: Gdb, tmp_path: Path) -> None:
    """A `token` was masked among the locals, and shown in the message of an exception."""
    made = core_of_own_root("secrets_elsewhere")
    out = tmp_path / "raised.json"
    asked = ("epi exceptions --messages", f"epi exceptions --messages --json --output {out}")
    done = run_gdb(gdb, *with_epi(*asked), exe=made.executable, core=made.core)
    assert "ValueError: visible: refused ***" in done.stdout, done.text
    assert "hunter2" not in done.stdout + out.read_text()
    assert read_json(out)["threads"][0]["exceptions"]
