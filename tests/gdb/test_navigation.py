# SPDX-License-Identifier: Apache-2.0
"""`epi up`, `down`, `frame`: Python frames by one number, and GDB's own frame with them."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest
from driver import ROOT, Done, Gdb, run_gdb, with_epi
from support.cores import Made
from support.interpreters import Interpreter, own_interpreters
from support.opening import made_or_skip

OWN = own_interpreters()
ENDS = sorted({i.minor: i for i in OWN if i.minor in ((3, 10), (3, 11))}.values())
LINE = re.compile(r"^ *#(\d+) +py +(\S+)", re.MULTILINE)
TITLE = re.compile(r"^(\S+) at \S+:\d+$", re.MULTILINE)


@pytest.fixture(scope="module", params=ENDS, ids=lambda interpreter: interpreter.id)
def nested(request) -> Made:
    interpreter: Interpreter = request.param
    return made_or_skip(interpreter, "nesting")


def run(gdb: Gdb, made: Made, *commands: str) -> Done:
    return run_gdb(gdb, *with_epi(*commands), exe=made.executable, core=made.core)


def test_one_number_for_all_and_gdb_follows(gdb: Gdb, nested: Made, tmp_path: Path) -> None:
    names = [frame[0] for frame in nested.truth["threads"][0]["frames"]]
    level = "python print('level', gdb.selected_frame().level())"
    walk = ["epi frame 0", level]
    for _ in names[1:]:
        walk += ["epi up", level, "epi locals"]
    walk += ["epi down 3", "epi locals", "epi frame 2", "epi frame", "frame 0", "epi frame"]
    done = run(gdb, nested, "epi bt --limit 1000", *walk)
    assert done.returncode == 0, done.text
    lines = [(int(number), name.rpartition(".")[2]) for number, name in LINE.findall(done.stdout)]
    numbered = list(enumerate(names))
    last = len(names) - 1
    after = [numbered[last - 3], numbered[2], numbered[2], numbered[0]]
    assert lines == [*numbered, *numbered, *after], done.text
    shown = [name.rpartition(".")[2] for name in TITLE.findall(done.stdout)]
    assert shown == [*names[1:], names[last - 3]]
    levels = [int(text) for text in re.findall(r"^level (\d+)$", done.stdout, re.MULTILINE)]
    assert levels == sorted(levels)
    # Up to 3.10 each Python frame has a native frame of its own; later several share one.
    own = len(set(levels)) == len(names)
    assert own == (nested.interpreter.minor < (3, 11)), levels


def test_the_ends_are_said(gdb: Gdb, nested: Made) -> None:
    count = len(nested.truth["threads"][0]["frames"])
    status = 'printf "status %d\\n", $epi_status'
    done = run(gdb, nested, "epi down", f"epi frame {count}", status, "epi up 1000", "epi up")
    assert "this is the innermost Python frame" in done.stderr
    assert f"has Python frames 0 to {count - 1}" in done.stderr
    assert "status 2\n" in done.stdout, "wrong arguments, and no unusable core"
    assert "this is the outermost Python frame" in done.stderr


def test_counts_of_bt_and_gdbs_thread_number(gdb: Gdb, nested: Made) -> None:
    done = run(gdb, nested, "epi bt 2", "epi bt -1", "epi bt full --limit 1000", "epi bt x")
    assert re.search(r"^MainThread \(thread \d+, GDB's 1\), crashed", done.stdout, re.MULTILINE)
    count = len(nested.truth["threads"][0]["frames"])
    first, second, full = done.stdout.split("MainThread (thread ")[1:4]
    assert " more frames (--limit N)" in first.splitlines()[3]
    assert [int(number) for number, _ in LINE.findall(second)] == [count - 1]
    assert len(LINE.findall(full)) == count and " = " in full
    assert "no number of lines" in done.stderr


def test_pipe_gives_json_on_the_first_call(gdb: Gdb, sample_core: Path, tmp_path: Path) -> None:
    """GDB 13.1 warns of each thread of this core while it reads its registers first."""
    out = tmp_path / "out.json"
    command = f"pipe epi bt --all --json | cat > {out}"
    # Any executable: without one GDB 13.1 is not asked for frames.
    done = run_gdb(gdb, *with_epi(command), exe=OWN[0].host_executable, core=sample_core)
    assert json.loads(out.read_text())["threads"], done.text


@pytest.fixture
def sample_core(tmp_path: Path) -> Path:
    core = tmp_path / "core"
    packed = ROOT / "sample_cores" / "extension-worker-thread" / "core.xz"
    core.write_bytes(lzma.decompress(packed.read_bytes()))
    return core
