# SPDX-License-Identifier: Apache-2.0
"""Files beside a core: matched by build-id, and said when they are wrong or missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.cores import Made, make_core, program
from support.interpreters import discover
from support.opening import made_or_skip, need_core_dumps, target_of

from gdb_epi.cpython.runtime.find_runtime import RECOVERED
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.process_state import ProcessState
from gdb_epi.target import elf
from gdb_epi.target.api import Module
from gdb_epi.target.corefile import CoreFileTarget


@pytest.fixture(scope="module")
def made() -> Made:
    """A core of an interpreter before 3.13 that lives in this machine's own root."""
    need_core_dumps()
    interpreters = [i for i in discover() if i.root is None and i.minor < (3, 13)]
    if not interpreters:
        pytest.skip("no CPython before 3.13 in this machine's own root")
    return make_core(interpreters[0], "simple")


def test_a_wrong_executable_is_said_and_not_used(made: Made) -> None:
    target = CoreFileTarget.open(made.core, exe=shutil.which("true"))
    soft_errors = [e for e in target.soft_errors if e.stage == "executable"]
    assert len(soft_errors) == 1 and "not used" in soft_errors[0].message
    assert shutil.which("true") not in soft_errors[0].message, "no path of this machine in a record"
    python = ProcessState(target).python
    assert isinstance(python, PythonState), "the right file at its own path still serves"


def test_the_right_executable_is_no_complaint(made: Made) -> None:
    target = CoreFileTarget.open(made.core, exe=str(made.executable))
    assert not [e for e in target.soft_errors if e.stage == "executable"]


def test_without_files_the_reason_names_the_build_id(made: Made, tmp_path: Path) -> None:
    target = CoreFileTarget.open(made.core, sysroot=str(tmp_path))
    python = ProcessState(target).python
    if isinstance(python, Absent):
        detail = python.detail
    else:  # thread states may be found by their pthread_t alone
        assert python.found_by == RECOVERED
        detail = " ".join(error.message for error in python.soft_errors)
    assert "build-id" in detail and str(tmp_path) not in detail
    for region in target.regions():
        if region.dumped < region.size and region.path and "x" in region.perms:
            at = region.start + region.dumped
            assert target.provenance(at) == "absent"
            with pytest.raises(UnreadableMemory):
                target.read(at, 8)


def test_elided_text_comes_from_the_file_and_says_so(made: Made) -> None:
    target = CoreFileTarget.open(made.core)
    checked = 0
    for module in target.modules():
        if isinstance(module.file, Absent):
            continue
        for region in target.regions():
            if region.path == module.path and "x" in region.perms and not region.dumped:
                assert target.provenance(region.start) == "file"
                with open(module.file, "rb") as stream:
                    stream.seek(region.file_offset)
                    assert target.read(region.start, 4096) == stream.read(4096)
                checked += 1
    assert checked


@pytest.fixture(scope="module")
def without_build_id() -> tuple[Made, Module]:
    """A core that lacks the page with the build-id of a library, and that library."""
    for interpreter in reversed(discover()):  # the older ones all hold it
        entry = program("values_numpy")
        if interpreter.root is None and entry.supports(interpreter) and interpreter.gil:
            made = made_or_skip(interpreter, entry)
            for module in target_of(made).modules():
                if "_multiarray_umath" in module.path and module.build_id is None:
                    return made, module
    pytest.skip("every core of numpy holds its build-id")


def test_a_library_without_build_id_is_known_by_its_headers(
    without_build_id: tuple[Made, Module],
) -> None:
    made, module = without_build_id
    assert module.file == module.path
    text = next(r for r in target_of(made).regions() if r.path == module.path and "x" in r.perms)
    assert target_of(made).provenance(text.start) == "file"


@pytest.mark.parametrize("damaged", ["header", "dynamic", "neither"])
def test_another_build_of_it_is_not_taken(
    damaged: str, without_build_id: tuple[Made, Module], tmp_path: Path
) -> None:
    made, module = without_build_id
    copy = tmp_path / module.path[1:]
    copy.parent.mkdir(parents=True)
    data = bytearray(Path(module.path).read_bytes())
    header = elf.parse_header(bytes(data[:64]))
    assert header is not None
    dynamic = next(s for s in elf.read_segments(bytes(data), header) if s.type == elf.PT_DYNAMIC)
    if damaged == "header":
        data[4000] ^= 1  # of the first page
    if damaged == "dynamic":
        data[dynamic.offset + 8] ^= 1  # the value of the first entry
    copy.write_bytes(data)
    library = next(
        m for m in target_of(made, sysroot=str(tmp_path)).modules() if m.path == module.path
    )
    assert (library.file == str(copy)) == (damaged == "neither")
