# SPDX-License-Identifier: Apache-2.0
"""Names of places by debug information are those of a real GDB."""

from __future__ import annotations

import glob
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.interpreters import discover
from support.opening import need_gdb

from gdb_epi.cli.native.cached_stacks import debug_info_sources
from gdb_epi.cli.native.dwarf.debug_names import DebugNames
from gdb_epi.errors import Absent
from gdb_epi.target.elf_files import open_elf
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.target.symbols import read_sections

PLACES = 600  # of each file
DEBUG = "/usr/lib/debug"
SEPARATE = ("/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libm.so.6")
ASK = """
import gdb, json
answers = []
for place in json.load(open({asked!r})):
    block, calls = gdb.block_for_pc(place), []
    while block is not None and not block.is_global and not block.is_static:
        function = block.function
        if function is not None:
            file = function.symtab.filename if function.symtab else None
            calls.append([function.linkage_name, file, function.line])
        block = block.superblock
    sal = gdb.find_pc_line(place)
    answers.append([calls, sal.symtab.filename if sal.symtab else None, sal.line])
json.dump(answers, open({told!r}, "w"))
"""


def files() -> list[tuple[str, str]]:
    """Return files with debug information, and the files that hold it."""
    names = []
    for interpreter in discover():
        folder = Path(interpreter.executable).parent.parent / "lib"
        names += glob.glob(f"{glob.escape(str(folder))}/libpython3.*.so.1.0")
        names += glob.glob(f"{glob.escape(str(folder))}/python3.*/lib-dynload/_asyncio.*.so")
    paths = []
    for name in dict.fromkeys(os.path.realpath(name) for name in (*names, *SEPARATE)):
        file = open_elf(name)
        if isinstance(file, Absent):
            continue
        if any(section.name == b".debug_aranges" for section in read_sections(file)):
            paths.append((name, name))
        elif separate := debug_info_sources(file, [DEBUG], None).separate:
            paths.append((name, separate[0][0]))
    return paths


def gdb_answers(path: str, places: list[int], folder: Path) -> list[Any]:
    asked, answered, script = folder / "asked", folder / "told", folder / "ask.py"
    asked.write_text(json.dumps(places))
    script.write_text(ASK.format(asked=str(asked), told=str(answered)))
    words = [need_gdb(), "-nx", "-batch", "-iex", f"set debug-file-directory {DEBUG}"]
    words += ["-iex", "set debuginfod enabled off", "-iex", "set print demangle off"]
    subprocess.run([*words, path, "-x", str(script)], check=True, capture_output=True, timeout=600)
    answers: list[Any] = json.loads(answered.read_text())
    return answers


def expected(answer: Any) -> list[tuple[Any, ...]]:
    """Return the frames that GDB makes of the blocks of a place."""
    calls, file, line = answer
    frames = []
    for name, call_file, call_line in calls:
        kind = "normal" if len(frames) == len(calls) - 1 else "inline"
        frames.append((name, file, line or None, kind))
        file, line = call_file, call_line
    return frames


@pytest.mark.heavy
def test_names_are_those_of_gdb(tmp_path: Path) -> None:
    paths = files()
    if not paths:
        pytest.skip("no file with debug information is here: libc6-dbg, or pyenv's builds")
    chosen = random.Random(11)
    unsure = total = 0
    for path, debug in paths:
        file, holder = open_elf(path), open_elf(debug)
        assert not isinstance(file, Absent)
        assert not isinstance(holder, Absent)
        names = DebugNames(holder)
        (text,) = [section for section in read_sections(file) if section.name == b".text"]
        places = [chosen.randrange(text.address, text.address + text.size) for _ in range(PLACES)]
        for place, answer in zip(places, gdb_answers(path, places, tmp_path), strict=True):
            total += 1
            try:
                frame_names = names.frame_names(place, "normal")
            except GdbNeeded:
                unsure += 1
                continue
            frames = expected(answer) or [
                (frame_names[0].function, answer[1], answer[2] or None, "normal")
            ]
            assert [tuple(named) for named in frame_names] == frames, f"{path}: {place:#x}"
    assert unsure < total / 20
