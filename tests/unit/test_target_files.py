# SPDX-License-Identifier: Apache-2.0
"""Files that a core names: only regular ones are opened, and none outside of the sysroot."""

from __future__ import annotations

import gc
import os
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gdb_epi.corruption.files.elf_images import ElfTables
from gdb_epi.errors import Absent
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.api import CrashInfo, Region, Thread, Truncation
from gdb_epi.target.core_notes import MappedFile
from gdb_epi.target.elf_files import MAX_KEPT, ElfFile, FileFinder, OpenElfFiles, open_elf
from gdb_epi.target.modules import Modules, symbol_table_of_file
from gdb_epi.target.symbols import symbol_tables, symtab_value
from gdb_epi.x86.decode import decode_instructions


@pytest.mark.parametrize("kind", ["device", "pipe", "folder", "link to a device"])
def test_what_is_no_regular_file_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = tmp_path / "libodd.so"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    name = "/dev/ptmx" if kind == "device" else str(path)
    opened: list[str] = []
    monkeypatch.setattr(
        "gdb_epi.target.elf_files.os.open", lambda name, _flags: opened.append(name)
    )
    file = open_elf(name)
    assert isinstance(file, Absent) and file.detail == f"{name}: empty or not a regular file"
    assert opened == []


def test_odd_names_are_told() -> None:
    for name in ("/nul\0", "/lone\udc80\ud800", "/" + "x" * 300):
        assert isinstance(open_elf(name), Absent)


def test_files_stay_open_until_they_are_changed_or_too_many(tmp_path: Path) -> None:
    binary = Path("/bin/true").read_bytes()
    kept, path = OpenElfFiles(), tmp_path / "0"
    path.write_bytes(binary)
    first = kept.open(str(path))
    assert isinstance(first, ElfFile) and kept.open(str(path)) is first
    kept.release_pages()
    assert first.data[:] == binary and kept.open(str(path)) is first
    path.write_bytes(binary + b"more")
    again = kept.open(str(path))
    assert isinstance(again, ElfFile) and again is not first and len(again.data) > len(first.data)
    path.unlink()
    assert isinstance(kept.open(str(path)), Absent)
    for number in range(MAX_KEPT + 1):
        (tmp_path / str(number)).write_bytes(binary)
        kept.open(str(tmp_path / str(number)))
    newest = str(tmp_path / str(MAX_KEPT))
    assert kept.open(newest) is kept.open(newest)
    assert kept.open(str(path)) is not again


def test_a_file_that_is_no_more_kept_goes_with_what_was_found_in_it() -> None:
    """Workers freeze what a core leaves, so a circle of references would stay for ever."""
    file = open_elf("/bin/true")
    assert isinstance(file, ElfFile)
    assert symbol_table_of_file(file) is not None and symbol_tables(file) and ElfTables(file)
    file.kept[ElfTables] = ElfTables(file)
    assert file.kept[ElfTables].relocated_pointers() and symtab_value(file, "main") is None
    data = weakref.ref(file.data)
    gc.disable()
    try:
        del file
        assert data() is None
    finally:
        gc.enable()


def test_an_elf_file_is_opened() -> None:
    assert isinstance(open_elf(os.path.realpath("/proc/self/exe")), ElfFile)


@pytest.fixture
def sysroot(tmp_path: Path) -> Path:
    """A folder with a file system, and a file beside it that no path of a core may reach."""
    (tmp_path / "secret").write_text("outside")
    root = tmp_path / "root"
    (root / "lib").mkdir(parents=True)
    (root / "lib" / "libm.so").write_text("inside")
    (root / "secret").write_text("inside")
    return root


@pytest.mark.parametrize(
    "path",
    ["//../secret", "//secret", "/lib/../../secret", "/../../../secret", "/./lib/.././../secret"],
)
def test_no_path_of_the_core_leads_out_of_the_sysroot(sysroot: Path, path: str) -> None:
    (candidate,) = FileFinder(None, f"{sysroot}/").candidate_paths(path, False)
    assert candidate == str(sysroot / "secret")


def test_an_absolute_name_is_not_taken_for_one_of_this_machine(sysroot: Path) -> None:
    """os.path.join() drops the folder when the rest begins with a slash."""
    finder = FileFinder(None, str(sysroot))
    assert finder.candidate_paths("/" + os.path.realpath("/proc/self/exe"), False) == [
        str(sysroot) + os.path.realpath("/proc/self/exe")
    ]
    assert finder.candidate_paths("relative", False) == []


@pytest.mark.parametrize("link", ["/secret", "../../../secret", "../secret", "/../secret"])
def test_links_are_followed_as_the_process_saw_them(sysroot: Path, link: str) -> None:
    (sysroot / "lib" / "libz.so").symlink_to(link)
    (candidate,) = FileFinder(None, str(sysroot)).candidate_paths("/lib/libz.so", False)
    assert candidate == str(sysroot / "secret")


def test_links_in_a_circle_end(sysroot: Path) -> None:
    (sysroot / "lib" / "libz.so").symlink_to("libz.so")
    assert FileFinder(None, str(sysroot)).candidate_paths("/lib/libz.so", False) == []


@pytest.mark.parametrize(
    ("beside", "cut", "shorter", "known"),
    [(0, True, 0, True), (8, True, 0, False), (0, False, 0, False), (0, True, PAGE, False)],
)
def test_the_code_of_a_core_without_its_end(
    beside: int, cut: bool, shorter: int, known: bool
) -> None:
    """The build-ids of libraries are cut off first: flips in what was left were not found."""
    path, base = os.path.realpath("/bin/true"), 0x7F00_0000_0000
    image = elf.base_and_headers(Path(path).read_bytes()[:PAGE], 0)
    assert image is not None
    loads = [part for part in image[1] if part.type == elf.PT_LOAD]
    maps = [
        MappedFile(
            base + (part.vaddr & -PAGE),
            base
            + (part.vaddr + part.filesz + PAGE - 1 & -PAGE)
            - (shorter if part.flags & elf.PF_X else 0),
            part.offset & -PAGE,
            path,
        )
        for part in loads
    ]
    code = next(part for part in loads if part.flags & elf.PF_X)
    bytes_of_code = Path(path).read_bytes()[code.offset :][:256]
    at, operand = next(
        (at, made.explicit_operand)
        for at, made in decode_instructions(bytes_of_code)
        if made and made.explicit_operand and made.explicit_operand.rip_relative
    )
    pc = base + code.vaddr + at
    accessed = operand.address({"rip": pc})
    assert accessed is not None
    target: Any = SimpleNamespace(
        files=FileFinder(None, None),
        mapped_files=lambda: maps,
        auxv=dict,
        region_at=lambda at: Region(at & -PAGE, (at & -PAGE) + PAGE, "r-x", path, 0, 0),
        threads=lambda: [Thread(1, {"rip": pc}, "prog")],
        crash=lambda: CrashInfo(11, 1, 0, accessed + beside, None, None, 1),
        truncation=lambda: Truncation(cut, int(cut), ""),
    )
    assert isinstance(Modules(target).matching_local_file(path), ElfFile) is known
