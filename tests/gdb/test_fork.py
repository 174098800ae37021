# SPDX-License-Identifier: Apache-2.0
"""`epi fork` in real GDBs: the same answer as without, and native frames that prove a handler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driver import Gdb, read_json, run_gdb, with_epi
from support.cores import Made
from support.forks import fork_program
from support.interpreters import Interpreter, one_per_minor
from support.opening import made_or_skip

minors = pytest.mark.parametrize(
    "interpreter", one_per_minor(), ids=lambda interpreter: interpreter.id
)


def ask(gdb: Gdb, made: Made, folder: Path, command: str) -> Any:
    words = ["-iex", f"set sysroot {made.sysroot}"] if made.sysroot else []
    line = f"epi {command} --json --output {folder / 'out.json'}"
    done = run_gdb(gdb, *with_epi(line), exe=made.executable, core=made.core, words=words)
    assert done.returncode == 0, done.text
    return read_json(folder / "out.json")


@minors
def test_vanished_threads_in_gdb(gdb: Gdb, interpreter: Interpreter, tmp_path: Path) -> None:
    made = made_or_skip(interpreter, fork_program("bypass-c-fork"))
    answer = ask(gdb, made, tmp_path, "fork --native")
    assert (answer["forked"], answer["hooks_bypassed"]) == (True, True)
    (thread,) = answer["vanished"]
    thread_truth = made.truth["fork"]["vanished"][0]
    names = [[f["name"], f["qualname"], f["filename"], f["lineno"]] for f in thread["frames"]]
    assert names == thread_truth["frames"]
    assert (thread["name"], thread["tid"]) == (thread_truth["name"], thread_truth["native_id"])
    assert thread["native_heuristic"], "return addresses on the stack"


@minors
def test_native_frames_prove_the_handler(
    gdb: Gdb, interpreter: Interpreter, tmp_path: Path
) -> None:
    handlers = ask(gdb, made_or_skip(interpreter, fork_program("handlers-c")), tmp_path, "fork")[
        "handlers"
    ]
    assert handlers["stage"] == "pthread_atfork handlers"
    assert handlers["sure"] == "certain"


@minors
def test_the_screen_names_the_holder(gdb: Gdb, interpreter: Interpreter, tmp_path: Path) -> None:
    record = ask(gdb, made_or_skip(interpreter, fork_program("fork-lock")), tmp_path, "record")
    assert record["verdict"]["label"] == "fork-inherited-lock"
    (wait,) = [w for w in record["waits"] if "holder_vanished" in w]
    holder = record["fork"]["vanished"]["threads"][wait["holder_vanished"]]
    assert "hold_lock" in [frame["name"] for frame in holder["frames"]]
