# SPDX-License-Identifier: Apache-2.0
"""GDB's stack of a greenlet ends where the greenlet began; that is no stack that ends early."""

from __future__ import annotations

from pathlib import Path

from driver import Gdb, read_json, run_gdb, with_epi
from support.opening import interpreter_or_skip, made_or_skip


def test_no_frame_beyond_the_beginning(gdb: Gdb, tmp_path: Path) -> None:
    made = made_or_skip(interpreter_or_skip("pyenv-3.12.1"), "greenlet_stack")
    file = tmp_path / "bt.json"
    run_gdb(gdb, *with_epi(f"epi bt --json --output {file}"), exe=made.executable, core=made.core)
    bt = read_json(file)
    assert not [error for error in bt["soft_errors"] if error["stage"] == "native"]
    (thread,) = bt["threads"]
    python = [f["name"] for f in thread["merged"] if f["language"] == "python"]
    assert python == [frame[0] for frame in made.truth["threads"][0]["frames"]]
    assert all(f["placed_by"] for f in thread["merged"] if f["language"] == "python")
    last = [f for f in thread["merged"] if f["language"] == "native"][-1]
    assert "g_switch" in last["function"]
