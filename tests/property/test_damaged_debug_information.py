# SPDX-License-Identifier: Apache-2.0
"""Debug information with damaged bytes gives names or sends to GDB, and nothing else."""

from __future__ import annotations

import glob
import os
import random
import shutil
from pathlib import Path

import pytest
from support.interpreters import discover

from gdb_epi.cli.native.dwarf.debug_names import DebugNames
from gdb_epi.errors import Absent
from gdb_epi.target.elf_files import open_elf
from gdb_epi.target.gdb_like_unwinder import GdbNeeded
from gdb_epi.target.symbols import read_sections

COPIES = 60
PLACES = 20
WORST = 20  # damaged bytes of a copy


def small_file() -> str:
    """Return an extension module with debug information in it."""
    for interpreter in discover():
        folder = glob.escape(str(Path(interpreter.executable).parent.parent / "lib"))
        for name in sorted(glob.glob(f"{folder}/python3.*/lib-dynload/_struct.*.so")):
            file = open_elf(name)
            if isinstance(file, Absent):
                continue
            if any(section.name == b".debug_aranges" for section in read_sections(file)):
                return name
    pytest.skip("no extension module with debug information is here: pyenv's builds have it")


def asked(path: Path, places: list[int]) -> int:
    """Ask for names and calls at all places; return how many had an answer."""
    answers = 0
    file = open_elf(str(path))
    assert not isinstance(file, Absent)
    try:
        names = DebugNames(file)
    except GdbNeeded:
        return 0
    for place in places:
        try:
            named = names.frame_names(place, "normal")
            function = names.function_at_place(place)
            if function is not None:
                names.calls_of_function(function)
        except GdbNeeded:
            continue
        assert named
        answers += 1
    return answers


def test_damaged_bytes_end_as_names_or_unsure(tmp_path: Path) -> None:
    whole = small_file()
    file = open_elf(whole)
    assert not isinstance(file, Absent)
    every = read_sections(file)
    (text,) = [section for section in every if section.name == b".text"]
    debug = [section for section in every if section.name.startswith(b".debug_")]
    chosen = random.Random(5)
    places = [chosen.randrange(text.address, text.address + text.size) for _ in range(PLACES)]
    path = tmp_path / "damaged.so"
    shutil.copy(whole, path)
    assert asked(path, places) > PLACES // 2
    for _ in range(COPIES):
        data = bytearray(Path(whole).read_bytes())
        for _ in range(chosen.randrange(1, WORST)):
            section = chosen.choice(debug)
            data[section.offset + chosen.randrange(section.size)] = chosen.randrange(256)
        path.unlink()
        path.write_bytes(data)
        asked(path, places)
    path.unlink()
    path.write_bytes(Path(whole).read_bytes())
    os.truncate(path, every[-1].offset // 2)
    asked(path, places)
