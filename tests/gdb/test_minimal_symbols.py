# SPDX-License-Identifier: Apache-2.0
"""Names of places by symbols alone are those of a real GDB."""

from __future__ import annotations

import glob
import importlib.util
import json
import os
import random
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from support.interpreters import discover
from support.opening import need_gdb

from gdb_epi.cli.native.cached_stacks import debug_info_sources
from gdb_epi.cli.native.minimal_symbols import MinimalSymbols, unpack_debug_data
from gdb_epi.errors import Absent
from gdb_epi.target.elf_files import open_elf
from gdb_epi.target.gdb_like_unwinder import GdbNeeded

LIBRARIES = ("libz.so.1", "libcrypto.so.3", "libstdc++.so.6", "libgcc_s.so.1", "libsqlite3.so.0")
PLACES = 200
ASK = """
import gdb, json
names = []
for place in json.load(open({asked!r})):
    said = gdb.execute(f"info symbol {{place}}", to_string=True)
    named = said.partition(" in section ")[0].partition(" + ")[0]
    names.append(None if said.startswith("No symbol") else named)
json.dump(names, open({told!r}, "w"))
"""


def files() -> list[str]:
    """Return files without debug information in them: interpreters and libraries."""
    names = [str(i.executable) for i in discover() if i.stripped and i.root is None]
    for library in LIBRARIES:
        names += glob.glob(f"/usr/lib/x86_64-linux-gnu/{library}")
    numpy = importlib.util.find_spec("numpy")  # its libgfortran packs symbols in .gnu_debugdata
    if numpy is not None and numpy.origin:
        names += glob.glob(f"{Path(numpy.origin).parents[1]}/numpy.libs/libgfortran*")
    return list(dict.fromkeys(os.path.realpath(name) for name in names))


def gdb_names(path: str, places: list[int], folder: Path) -> list[str | None]:
    asked, answers, script = folder / "asked", folder / "told", folder / "ask.py"
    asked.write_text(json.dumps(places))
    script.write_text(ASK.format(asked=str(asked), told=str(answers)))
    words = [need_gdb(), "-nx", "-batch", "-iex", "set debug-file-directory /nowhere"]
    words += ["-iex", "set debuginfod enabled off", "-iex", "set print demangle off"]
    subprocess.run([*words, path, "-x", str(script)], check=True, capture_output=True, timeout=120)
    names: list[str | None] = json.loads(answers.read_text())
    return names


def test_names_are_those_of_gdb(tmp_path: Path) -> None:
    paths = files()
    if not paths:
        pytest.skip(f"neither a stripped interpreter nor one of {LIBRARIES} is here")
    chosen = random.Random(7)
    unsure = 0
    for path in paths:
        file = open_elf(path)
        assert not isinstance(file, Absent)
        is_packed = debug_info_sources(file, [], None).packed
        symbols = MinimalSymbols(
            file, MinimalSymbols(unpack_debug_data(file)) if is_packed else None
        )
        every = symbols.symbols_between(0, symbols.end)
        aliases = [s for s, following in pairwise(every) if s.start == following.start]
        starts = chosen.sample(every, min(PLACES // 4, len(every)))
        starts += chosen.sample(aliases, min(PLACES // 4, len(aliases)))
        places = [
            place for s in starts for place in (s.start, s.start + s.size - 1, s.start + s.size)
        ]
        places += [chosen.randrange(symbols.start, symbols.end) for _ in range(PLACES)]
        places = [place for place in places if symbols.start <= place < symbols.end]
        for place, name in zip(places, gdb_names(path, places, tmp_path), strict=True):
            try:
                assert symbols.name_at_address(place) == name, f"{path}: {place:#x}"
            except GdbNeeded:
                unsure += 1
        with pytest.raises(GdbNeeded, match="not in"):
            symbols.name_at_address(symbols.end)
    assert unsure < len(paths) * PLACES / 20
