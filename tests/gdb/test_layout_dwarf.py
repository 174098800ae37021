# SPDX-License-Identifier: Apache-2.0
"""Shipped layout tables against the debug information and the data of real interpreters.

Structs move within a minor version, so each interpreter is held against the table of its own patch
release; of a release that has none, against the main table of its minor version.
Interpreters are looked for in ~/.pyenv/versions, in the cache of fetch_interpreters.py and in the
colon-separated folders of GDB_EPI_PREFIXES; GDBs in GDB_EPI_GDBS, else the first on PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.layout_tables import parse_asyncio_offsets

from gdb_epi.cpython.layout.layout import (
    Layout,
    build_layouts,
    parse_debug_offsets,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from emit_layouts import (
    LAYOUTS,
    describe,
    differences,
    from_headers,
    from_prefix,
    interpreters,
    table_name,
)

CACHE = Path.home() / ".cache" / "gdb-epi" / "interpreters"


def _prefixes() -> list[Path]:
    named = [Path(p) for p in os.environ.get("GDB_EPI_PREFIXES", "").split(":") if p]
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob("3.*"))
    return [*named, *pyenv, *sorted(CACHE.glob("*/usr")), CACHE / "free-threaded"]


def _supported(abi: str) -> bool:
    return (3, 8) <= tuple(int(part) for part in abi.rstrip("mtd").split("."))


def _gdbs() -> list[str]:
    named = [g for g in os.environ.get("GDB_EPI_GDBS", "").split(":") if g]
    return named or [g for g in [shutil.which("gdb")] if g]


BUILDS = [(p, abi) for p in _prefixes() for abi in interpreters(p) if _supported(abi)]
CELLS = [(p, abi, gdb) for p, abi in BUILDS for gdb in _gdbs()]
WITH_GIL = [
    (prefix, abi)
    for prefix, abi in BUILDS
    if not abi.rstrip("d").endswith("t") and int(abi.rstrip("d").partition(".")[2]) >= 13
]
NOTHING = pytest.param(None, marks=pytest.mark.skip(reason="no GDB or no interpreter with headers"))


def _shipped(header: dict[str, Any]) -> dict[str, Any]:
    """Return the table of this very release (none of `_prefixes` is a musl build), or the main."""
    other = LAYOUTS / table_name(header, other=header["python"])
    path = other if other.is_file() else LAYOUTS / table_name(header)
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def _texts(shipped: dict[str, Any], made: dict[str, Any]) -> list[str]:
    """Return what differs; between patch releases sizes and new members at the end may."""
    compared, texts = differences(shipped, made)
    assert compared > 500
    if shipped["header"]["python"] == made["header"]["python"]:
        return texts
    return [t for t in texts if ": size " not in t and "None" not in t]


def _name(cell: Any) -> str:
    return "-".join(Path(part).parent.name + str(Path(part).name) for part in map(str, cell or ()))


@pytest.mark.parametrize("cell", CELLS or [NOTHING], ids=_name)
def test_table_made_from_debug_information_is_the_shipped_one(cell: tuple[Path, str, str]) -> None:
    prefix, abi, gdb = cell
    try:
        made = from_prefix(prefix, abi, gdb)
    except LookupError as problem:
        pytest.skip(str(problem))
    shipped = _shipped(made["header"])
    assert _texts(shipped, made) == []
    if shipped["header"]["build_id"] == made["header"]["build_id"]:
        assert (shipped["structs"], shipped["constants"]) == (made["structs"], made["constants"])
        assert shipped["debug_offsets"] == made["debug_offsets"]


@pytest.mark.parametrize("build", BUILDS if _gdbs() else [NOTHING], ids=_name)
def test_headers_alone_give_the_same_members(build: tuple[Path, str]) -> None:
    """Configure options are not in the headers, so members of the JIT alone may be missing."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is missing")
    prefix, abi = build
    made = from_headers(prefix / "include" / f"python{abi}", [], _gdbs()[0])
    _compared, texts = differences(_shipped(made["header"]), made)
    jit = ("jit_tracer_state", "lazy_imports", "_initial_thread", "_main_interpreter", ": size ")
    assert [t for t in texts if not any(word in t for word in jit)] == []


@pytest.mark.parametrize("build", WITH_GIL if _gdbs() else [NOTHING], ids=_name)
def test_headers_give_the_tables_of_builds_without_gil(build: tuple[Path, str]) -> None:
    """Their own structs move between patch releases too: 3.15.2 brought another mimalloc."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is missing")
    prefix, abi = build
    defines = ["Py_GIL_DISABLED=1", *(["Py_DEBUG=1"] if abi.endswith("d") else [])]
    made = from_headers(prefix / "include" / f"python{abi}", defines, _gdbs()[0])
    shipped = _shipped(made["header"])
    # An array of aligned structs begins where the alignment lets it (cpython.runtime.gc).
    assert [t for t in _texts(shipped, made) if ".generations: " not in t] == []


def _runtime_bytes(file: Path) -> bytes | None:
    """Return the initial bytes of `_PyRuntime` in an ELF file. Absent when it has none there."""
    elffile = pytest.importorskip("elftools.elf.elffile", reason="pyelftools is missing")
    with file.open("rb") as stream:
        elf = elffile.ELFFile(stream)
        table = elf.get_section_by_name(".dynsym")
        symbols = table.get_symbol_by_name("_PyRuntime") if table else None
        if not symbols or not isinstance(symbols[0]["st_shndx"], int):
            return None
        section = elf.get_section(symbols[0]["st_shndx"])
        if section["sh_type"] == "SHT_NOBITS":
            return None
        start = symbols[0]["st_value"] - section["sh_addr"]
        return bytes(section.data()[start : start + 4096])


def _binaries() -> list[Path]:
    binaries = []
    for prefix in _prefixes():
        for pattern in (
            "bin/python3.1[3-9]",
            "bin/python3.1[3-9]t",
            "lib/libpython3.1[3-9]*.so.1.0",
        ):
            binaries += [p for p in sorted(prefix.glob(pattern)) if p.is_file()]
    return binaries


def _held_against(
    minor: tuple[int, int], python: str | None, free_threaded: bool, words: Mapping[str, int]
) -> list[Layout]:
    """Return the table that the core chooses by these words, and that of the release by name."""
    first = next(build_layouts(minor, free_threaded, False, words))
    header = {"version": minor, "python": python, "free_threaded": free_threaded, "debug": False}
    return [first, Layout(_shipped(header))] if python else [first]


@pytest.mark.parametrize("file", _binaries() or [NOTHING], ids=str)
def test_offsets_in_a_real_binary_agree_with_the_table(file: Path) -> None:
    data = _runtime_bytes(file)
    if data is None:
        pytest.skip(f"{file} does not define _PyRuntime (its libpython does)")
    debug_offsets = parse_debug_offsets(data)
    assert debug_offsets.complaints == ()
    assert debug_offsets.minor_version is not None and debug_offsets.version is not None
    assert len(debug_offsets.words) > 60
    major, minor = debug_offsets.minor_version
    python = f"{major}.{minor}.{debug_offsets.version >> 8 & 0xFF}"
    for layout in _held_against(
        debug_offsets.minor_version, python, debug_offsets.free_threaded, debug_offsets.words
    ):
        assert layout.with_debug_offsets(debug_offsets.words)[1] == [], layout


def _asyncio_section(file: Path) -> bytes | None:
    elffile = pytest.importorskip("elftools.elf.elffile", reason="pyelftools is missing")
    with file.open("rb") as stream:
        section = elffile.ELFFile(stream).get_section_by_name(".AsyncioDebug")
        return bytes(section.data()) if section else None


def _asyncio_files() -> list[Path]:
    wrong = []
    for prefix in _prefixes():
        wrong += sorted(prefix.glob("bin/python3.1[4-9]"))
        wrong += sorted(prefix.glob("lib/python3.1[4-9]/lib-dynload/_asyncio.cpython-3??-*.so"))
    return [file for file in wrong if _asyncio_section(file)]


@pytest.mark.parametrize("file", _asyncio_files() or [NOTHING], ids=str)
def test_asyncio_offsets_in_a_real_binary_agree_with_the_table(file: Path) -> None:
    minor = int(file.name.partition("cpython-3")[2][:2] or file.name.partition("3.")[2])
    asyncio_offsets = parse_asyncio_offsets(_asyncio_section(file) or b"", (3, minor))
    assert asyncio_offsets.complaints == ()
    assert len(asyncio_offsets.words) == 13
    (prefix,) = (p for p in _prefixes() if p in file.parents)
    include = prefix / "include" / f"python3.{minor}"
    # A suite that was fetched without headers: only the words tell.
    python = describe(include, [])["python"] if (include / "patchlevel.h").is_file() else None
    for layout in _held_against((3, minor), python, False, asyncio_offsets.words):
        assert layout.with_debug_offsets(asyncio_offsets.words)[1] == [], layout
