#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold every expected.json against tools that are not gdb-epi, and against the raw bytes.

    python3 sample_cores/check.py [NAME...]

Uses py-spy, pystack and gdb from PATH with the interpreter's own files; a tool that is not
there is named and skipped. Exit status 1 when anything disagrees.
"""

from __future__ import annotations

import json
import lzma
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import corenotes  # noqa: E402 - lies beside this script, which may be run from anywhere

TIME_LIMIT = 120  # seconds for one tool on one core
LOCK_POINTER, LOCK_LOCKED = 16, 32  # lockobject of _threadmodule.c, up to 3.13
OB_TYPE, LIST_ITEMS = 8, 24  # PyObject.ob_type, PyListObject.ob_item, with a GIL
STACK_LINE = re.compile(r'\(Python\) File "(.*)", line (\d+), in (.*)')


def output_of(command: list[str]) -> str:
    """Run a tool; return what it prints, or nothing when it is not installed."""
    if shutil.which(command[0]) is None:
        print(f"    skipped: no {command[0]} in PATH")
        return ""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=TIME_LIMIT, stdin=subprocess.DEVNULL
    )
    return done.stdout


def check_py_spy(core: Path, expected: dict) -> Iterator[tuple[str, object, object]]:
    """Compare threads, GIL holder and the crashed thread's frames with py-spy."""
    text = output_of(["py-spy", "dump", "--json", "--core", str(core)])
    if not text:
        return
    threads = {thread["thread_name"]: thread for thread in json.loads(text)}
    yield "py-spy thread names", sorted(threads), sorted(expected["threads"]["names"])
    holders = [name for name, thread in threads.items() if thread["owns_gil"]]
    yield "py-spy GIL holder", (holders or [None])[0], expected["threads"]["gil_holder"]
    crashed = threads[expected["crashed_thread"]["name"]]
    frames = [(frame["name"], frame["filename"], frame["line"]) for frame in crashed["frames"]]
    wanted = [
        (frame["qualname"] or frame["name"], frame["filename"], frame["lineno"])
        for frame in expected["frames"]
    ]
    if "frame_count" not in expected:
        yield "py-spy frames", frames, wanted
        return
    yield "py-spy innermost frames", frames[: len(wanted)], wanted
    yield "py-spy number of frames", len(frames), expected["frame_count"]


def check_pystack(core: Path, expected: dict) -> Iterator[tuple[str, object, object]]:
    """Compare the crashed thread's frames with pystack."""
    text = output_of(["pystack", "core", "--no-color", str(core), executable_of(expected)])
    start = text.find(f"Traceback for thread {expected['crashed_thread']['tid']} ")
    if not text:
        return
    section = text[start:].split("\n\n")[0]
    frames = [(name, file, int(line)) for file, line, name in STACK_LINE.findall(section)]
    frames.reverse()
    wanted = [(f["name"], f["filename"], f["lineno"]) for f in expected["frames"]]
    if "frame_count" not in expected:
        yield "pystack frames", frames, wanted
        return
    outermost = expected["frames_outermost"]
    wanted = [(f["name"], f["filename"], f["lineno"]) for f in outermost]
    yield "pystack outermost frames", frames[-len(wanted) :], wanted
    yield "pystack number of frames", len(frames), expected["frame_count"]


def check_gdb(core: Path, expected: dict) -> Iterator[tuple[str, object, object]]:
    """Compare the signal and the order of some native frames with gdb."""
    asked = ["p $_siginfo.si_signo", "p $_siginfo.si_code", "bt -frame-info short-location 60"]
    asked.append("p $_siginfo._sifields._sigfault.si_addr")
    if "assertion" in expected["must_find"]:
        asked.append("p (char *) &__abort_msg->msg")
    options = [word for command in asked for word in ("-ex", command)]
    start = ["gdb", "-nx", "-batch", "-iex", "set auto-load off", executable_of(expected)]
    text = output_of([*start, str(core), *options])
    if not text:
        return
    signal = expected["signal"]
    values = re.findall(r"^\$\d+ = (?:\(void \*\) )?(.*)$", text, re.M)
    yield "gdb signal", [int(value) for value in values[:2]], [signal["signo"], signal["si_code"]]
    if "fault_address" in signal:
        yield "gdb fault address", int(values[2], 16), int(signal["fault_address"], 16)
    wanted = expected["must_find"]["native_in_order"]
    names = iter(re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\S+) \(", text, re.M))
    yield "gdb frames in order", [name for name in wanted if name in names], wanted
    if "assertion" in expected["must_find"]:
        expression = expected["must_find"]["assertion"]["expression"]
        yield "gdb assertion", expression in text.replace('\\"', '"'), True


def executable_of(expected: dict) -> str:
    """Return the interpreter the core names."""
    return next(path for path in expected["modules"] if re.search(r"/bin/python[0-9.]+$", path))


def word(core: bytes, address: int) -> int | None:
    """Read eight dumped bytes."""
    for start, size, offset in corenotes.iter_segments(core):
        if start <= address <= start + size - 8:
            return struct.unpack_from("<Q", core, offset + address - start)[0]
    return None


def check_flip(core: bytes, flip: dict) -> Iterator[tuple[str, object, object]]:
    """Look at the flipped word, its neighbours and the other copy of the pointer."""
    where, found, right = (int(flip[key], 16) for key in ("where", "found", "corrected"))
    items = word(core, int(flip["list_object"], 16) + LIST_ITEMS)
    yield "place in the list", items + 8 * flip["list_index"], where
    yield "flipped word", word(core, where), found
    yield "flipped bits", found ^ right, sum(1 << bit for bit in flip["bits"])
    yield "nothing dumped at the found address", word(core, found), None
    kinds = {word(core, word(core, where + step) + OB_TYPE) for step in (-16, -8, 8, 16)}
    yield "type of the corrected object", {word(core, right + OB_TYPE)}, kinds
    yield "copies elsewhere", core.count(struct.pack("<Q", right)) > 0, True


def check_lock(core: bytes, wait: dict) -> Iterator[tuple[str, object, object]]:
    """Look at the lock object and its semaphore."""
    lock = int(wait["object"], 16)
    yield "semaphore of the lock", word(core, lock + LOCK_POINTER), int(wait["address"], 16)
    yield "locked", word(core, lock + LOCK_LOCKED) & 0xFF, 1
    yield "value of the semaphore", word(core, int(wait["address"], 16)) & 0xFFFFFFFF, 0


def check(name: str, path: Path) -> int:
    """Run every comparison of one sample; return how many disagree."""
    expected = json.loads((HERE / name / "expected.json").read_text())
    core = lzma.decompress((HERE / name / "core.xz").read_bytes())
    path.write_bytes(core)
    key = corenotes.read(core).core_key
    compared = [("core_key", key, expected["core"]["core_key"])]
    for tool in (check_py_spy, check_pystack, check_gdb):
        compared += tool(path, expected)
    if "possible_bit_flip" in expected["must_find"]:
        compared += check_flip(core, expected["must_find"]["possible_bit_flip"])
    if "waits" in expected["must_find"]:
        compared += check_lock(core, expected["must_find"]["waits"])
    wrong = [row for row in compared if row[1] != row[2]]
    for what, got, wanted in wrong:
        print(f"    {what}: got {got!r}, expected {wanted!r}")
    print(f"{name}: {len(compared) - len(wrong)} of {len(compared)} agree")
    return len(wrong)


def main() -> int:
    """Check the named samples, or all."""
    names = sys.argv[1:] or sorted(folder.parent.name for folder in HERE.glob("*/core.xz"))
    with tempfile.TemporaryDirectory() as folder:
        return min(1, sum(check(name, Path(folder, "core")) for name in names))


sys.exit(main())
