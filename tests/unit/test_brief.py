# SPDX-License-Identifier: Apache-2.0
"""What records leave out comes back as it was; records of before stay as they are."""

from __future__ import annotations

import copy
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from gdb_epi.record.brief import brief, expand

Json = dict[str, Any]
GOLDEN = sorted((Path(__file__).resolve().parents[1] / "golden").glob("*.json"))
TOOL = {"schema": "gdb-epi/record/1", "tool": "gdb-epi 1"}

RUN = {"name": "run", "filename": "/lib/threading.py", "lineno": 7, "module": "threading"}
PYTHON_FRAMES: tuple[Json, ...] = (
    RUN,
    {**RUN, "lineno": 8},
    {**RUN, "filename": "/other/threading.py"},
    {"name": "run", "lineno": 7, "module": "threading"},  # its file is not known
    {"name": "f", "filename": "/lib/threading.py"},
    {"hole": "no code object", "address": "0x00007f0000000000"},
)
PLACE = {
    "pc": "0x00007f0000000001", "sp": "0x00007f0000001000", "module": "libx.so",
    "build_id": "aa", "offset": 1,
}  # fmt: skip
NATIVE_FRAMES: tuple[Json, ...] = (
    {"language": "native", "function": "f", **PLACE},
    {"language": "native", "function": "g", **PLACE, "kind": "inline", "inlined": True},
    {
        "language": "native",
        "function": "g",
        **PLACE,
        "kind": "inline",
        "inlined": True,
        "offset": 3,
    },
    {"language": "native", "function": "h", **PLACE, "offset": 2, "inlined": True},
    {"language": "native", "pc": PLACE["pc"], "sp": PLACE["sp"], "module": "libx.so"},
    {"language": "native", **PLACE, "module": "twice.so"},
    {"language": "native", "pc": PLACE["pc"], "sp": PLACE["sp"], "code": "none"},
    {"language": "python", **RUN, "placed_by": "entry-frame"},
)
MODULES = [
    {"soname": "libx.so", "build_id": "aa"}, {"soname": "liby.so", "build_id": None},
    {"soname": "twice.so", "build_id": "aa"}, {"soname": "twice.so", "build_id": "bb"},
]  # fmt: skip


def full(**groups: Any) -> Json:
    return {**TOOL, "libs": {"modules": MODULES}, **groups}


def comes_back(record: Json) -> Json:
    """Hold that a full record survives; return the brief one."""
    before = copy.deepcopy(record)
    written = brief(record)
    assert record == before
    kept = json.dumps(written)
    assert expand(json.loads(kept)) == before
    assert json.dumps(written) == kept  # expand() changes nothing of what it was given
    return written


@pytest.mark.parametrize("path", GOLDEN, ids=[path.stem for path in GOLDEN])
def test_whole_records_come_back(path: Path) -> None:
    record = json.loads(path.read_text())
    written = comes_back(record)
    assert len(json.dumps(written)) < len(json.dumps(record))
    assert expand(record) == record  # one that says everything itself


@pytest.mark.parametrize("first", NATIVE_FRAMES)
def test_merged_stacks_come_back(first: Json) -> None:
    for rest in product(NATIVE_FRAMES, repeat=2):
        frames = [first, *rest]
        for part in ("crashed", "signed"):
            comes_back(full(threads={part: {"tid": 1, "frames": frames}}))


@pytest.mark.parametrize("first", PYTHON_FRAMES)
def test_stacks_of_threads_come_back(first: Json) -> None:
    for second, third in product(PYTHON_FRAMES, repeat=2):
        stacks = [
            {"tid": 1, "frames": [first]},
            {"tid": 2, "frames": [second, third]},
            {"tid": 1, "frames": [third]},  # two thread states of one thread
            {"tid": None, "frames": [first]},
            {"tid": 3, "frames": [second, third]},
            {"tid": 4},
        ]
        gone = [{"tid": 9, "main": False, "role": None, "missing": None, "frames": [first, third]}]
        groups = {"threads": {"stacks": stacks}, "fork": {"vanished": {"threads": gone}}}
        groups["fork"] |= {"evidence": [], "unreadable": []}
        comes_back(full(**groups))
        crashed = {"tid": 4, "frames": [{"language": "python", **second}]}
        comes_back(full(**{**groups, "threads": {"crashed": crashed, "stacks": stacks}}))


def test_stacks_without_frames_come_back() -> None:
    threads = {"crashed": {"tid": 1, "frames": []}, "stacks": [{"tid": 1}, {"frames": []}]}
    comes_back(full(threads=threads))


def test_equal_stacks_and_known_files_are_written_once() -> None:
    idle = [RUN, {**RUN, "name": "wait", "lineno": 9}]
    written = comes_back(full(threads={"stacks": [{"tid": t, "frames": idle} for t in (5, 6, 7)]}))
    first, *others = written["threads"]["stacks"]
    assert [("filename" in frame) for frame in first["frames"]] == [True, False]
    assert others == [{"tid": 6, "same_frames_as": 5}, {"tid": 7, "same_frames_as": 5}]


def test_an_inlined_call_has_the_place_of_its_frame() -> None:
    frames = [NATIVE_FRAMES[1], NATIVE_FRAMES[0]]
    inlined, outer = comes_back(full(threads={"crashed": {"frames": frames}}))["threads"][
        "crashed"
    ]["frames"]
    assert inlined == {"language": "native", "function": "g", "kind": "inline"}
    assert "build_id" not in outer and outer["offset"] == 1


def test_frames_of_the_crashed_thread_keep_file_and_line() -> None:
    frames = [{"language": "python", **RUN}, {"language": "python", **RUN, "lineno": 9}]
    written = comes_back(full(threads={"crashed": {"tid": 1, "frames": frames}}))
    assert all(f["filename"] and f["lineno"] for f in written["threads"]["crashed"]["frames"])


def test_a_minimal_record_gets_no_usual_values() -> None:
    minimal = {"schema": "gdb-epi/record/1", "core_key": "0" * 32, "signature": {"keys": {}}}
    assert expand(minimal) == minimal


@pytest.mark.parametrize(
    "threads",
    [
        7, [], {"crashed": 3}, {"crashed": {"frames": 7}}, {"crashed": {"frames": [None, 7]}},
        {"stacks": [1, None, {"frames": 7}, {"same_frames_as": {}}, {"same_frames_as": 77}]},
        {"stacks": [{"tid": {}, "frames": [{"module": {}, "filename": []}]}]},
        {"crashed": {"frames": [{"kind": "inline"}, {"kind": "inline", "pc": {}}]}},
    ],
)  # fmt: skip
def test_what_is_no_stack_is_left_alone(threads: Any) -> None:
    groups = {"fork": [], "signature": {"absent": 7}, "quality": 3, "libs": {"modules": [3, {}]}}
    record = {**TOOL, "threads": threads, **groups}
    before = copy.deepcopy(record)
    expanded = expand(record)
    assert record == before
    assert set(expanded) == set(before) and expand(expanded) == expanded
