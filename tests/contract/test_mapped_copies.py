# SPDX-License-Identifier: Apache-2.0
"""Processes that map their own libraries once more as data: where the objects really lie.

The frames of such cores are asked with those of all programs (test_truth.py).
"""

from __future__ import annotations

import gc
import mmap
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.interpreters import Interpreter, spread
from support.opening import made_or_skip, target_of

from gdb_epi.errors import UnreadableMemory
from gdb_epi.gdbhost.procfs import LocalProcFolder, mapped_modules, process_regions
from gdb_epi.session import Session
from gdb_epi.target.api import Module, Region

INTERPRETERS = [
    pytest.param(interpreter, id=interpreter.id)
    for interpreter in spread("maps-its-files", every=4)
]


def starts(regions: list[Region], path: str) -> list[int]:
    return [region.start for region in regions if region.path == path and region.file_offset == 0]


def code_lies_inside(modules: Mapping[str, Module], regions: list[Region]) -> None:
    for region in regions:
        if region.path in modules and "x" in region.perms:
            module = modules[region.path]
            assert module.start <= region.start < region.end <= module.end
            assert module.end - module.start < 1 << 30, "not from a copy to the object"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_objects_lie_where_they_were_loaded(interpreter: Interpreter) -> None:
    target = target_of(made_or_skip(interpreter, "maps-its-files"))
    regions = list(target.regions())
    modules = {module.path: module for module in target.modules()}
    copied = [path for path in modules if len(starts(regions, path)) > 1]
    assert copied, "the program mapped nothing twice"
    code_lies_inside(modules, regions)
    ordered = sorted(modules.values(), key=lambda module: module.start)
    assert all(a.end <= b.start for a, b in zip(ordered, ordered[1:], strict=False))
    fork = Session(target).state.locks.fork
    assert fork.forked is False
    assert {reading.state for reading in fork.readings if reading.name in ("F2", "F3", "F5")} == {
        "no"
    }


def test_a_live_process_is_read_alike() -> None:
    gc.collect()  # targets of other tests map files too, and must not go between the two looks
    pid = os.getpid()
    mapped = list(process_regions(LocalProcFolder(pid), []))
    before = mapped_modules(LocalProcFolder(pid), mapped, read_of(pid), {})
    libc = next(module for module in before if Path(module.path).name.startswith("libc."))
    with open(libc.path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ):
        regions = list(process_regions(LocalProcFolder(pid), []))
        after = mapped_modules(LocalProcFolder(pid), regions, read_of(pid), {})
    assert len(starts(regions, libc.path)) == len(starts(mapped, libc.path)) + 1
    assert libc in after


def read_of(pid: int) -> Callable[[int, int], bytes]:
    def read(address: int, size: int) -> bytes:
        try:
            with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
                return os.pread(memory.fileno(), size, address)
        except OSError as error:
            raise UnreadableMemory(address, size, str(error)) from error

    return read
