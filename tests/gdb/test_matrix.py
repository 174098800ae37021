# SPDX-License-Identifier: Apache-2.0
"""Every GDB on a core of every interpreter: Python frames, and native ones merged with them.

One GDB process for each pair runs all commands with --output; the tests only read the files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driver import Gdb, read_json, run_gdb, with_epi
from support.cores import Made
from support.interpreters import Interpreter, spread
from support.opening import made_or_skip, need_core_dumps
from support.schema import problems

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("callbacks")]
COMMANDS = ("bt --all --native", "threads", "record", "signature", "triage", "doctor", "native")


class Ran:
    """What one GDB said of one core."""

    def __init__(self, folder: Path, made: Made, text: str) -> None:
        self.folder = folder
        self.made = made
        self.text = text

    def json(self, command: str) -> Any:
        return read_json(self.folder / f"{command}.json")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Ran]:
    return {}


@pytest.fixture(params=INTERPRETERS)
def ran(request, gdb: Gdb, runs, tmp_path_factory) -> Ran:
    need_core_dumps()
    interpreter: Interpreter = request.param
    key = (gdb.id, interpreter.id)
    if key not in runs:
        made = made_or_skip(interpreter, "callbacks")
        folder = tmp_path_factory.mktemp("ran")
        lines = [f"epi {c} --json --output {folder / c.split()[0]}.json" for c in COMMANDS]
        words = ["-iex", f"set sysroot {made.sysroot}"] if made.sysroot else []
        done = run_gdb(gdb, *with_epi(*lines), exe=made.executable, core=made.core, words=words)
        assert done.returncode == 0, done.text
        runs[key] = Ran(folder, made, done.text)
    return runs[key]


def test_python_frames_are_true(ran: Ran) -> None:
    threads = {t["ident"]: t for t in ran.json("bt")["threads"]}
    for true_thread in ran.made.truth["threads"]:
        thread = threads[f"0x{true_thread['ident']:016x}"]
        frames = [[f["name"], f["qualname"], f["filename"], f["lineno"]] for f in thread["frames"]]
        assert frames == true_thread["frames"]
        assert thread["tid"] == true_thread["native_id"] and thread["name"] == true_thread["name"]


def test_merged_stacks_lose_no_frame(ran: Ran) -> None:
    for thread in ran.json("bt")["threads"]:
        merged = [f for f in thread["merged"] if f["language"] == "python"]
        assert [f["name"] for f in merged] == [f["name"] for f in thread["frames"]]
        assert any(f["language"] == "native" for f in thread["merged"])


def test_python_frames_stand_at_their_eval_frame(ran: Ran) -> None:
    """Between two Python calls through C there is a native frame; `callbacks` makes such calls."""
    thread = next(t for t in ran.json("bt")["threads"] if t["crashed"])
    languages = [f["language"] for f in thread["merged"]]
    changes = sum(a != b for a, b in zip(languages, languages[1:], strict=False))
    assert changes >= 3, "Python frames are spread over more than one eval call"


def test_record_is_whole(ran: Ran) -> None:
    record = ran.json("record")
    assert problems(record) == []
    assert record["python"]["version"] == ".".join(map(str, ran.made.truth["version"]))
    assert record["signal"]["signo"] == ran.made.truth["signal"]
    assert record["signature"]["native"] is True
    assert set(record["signature"]["keys"]) >= {"core_key", "stable", "coarse"}
