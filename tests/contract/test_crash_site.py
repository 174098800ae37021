# SPDX-License-Identifier: Apache-2.0
"""Facts of where it failed, from real cores of programs that fail in one known way each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.cores import find_core
from support.opening import need_core_dumps

from gdb_epi.analysis import analyze
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

# Each way: (assembly in main, what must be found). rsp is 16-aligned at the asm in all of them.
WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "call-null": (
        "xor %%eax, %%eax; call *%%rax",
        {"pc_in": "null", "fault_in": "null", "rsp_mod_16": 8, "fault_kind": "call",
         "return_slot_how": "call", "return_slot_in": "code"},
    ),
    "return-to-null": (
        "push $0; ret",
        {"pc_in": "null", "rsp_mod_16": 0, "fault_kind": "return", "access": "x",
         "return_slot_how": "return", "return_slot_in": "null"},
    ),
    "misaligned": (
        "sub $8, %%rsp; movaps %%xmm0, (%%rsp)",
        {"pc_in": "code", "rsp_mod_16": 8, "operand": "rsp", "access": "w",
         "fault_kind": "misaligned", "operand_register": "rsp", "operand_register_in": "stack"},
    ),
    "read-indexed": (
        "mov $0x1234, %%edi; mov $2, %%ecx; mov 0x10(%%rdi,%%rcx,8), %%rax",
        {"pc_in": "code", "rsp_mod_16": 0, "fault_in": "near-null", "operand": "rdi+rcx*8+0x10",
         "access": "r", "operand_register": "rdi", "operand_register_in": "near-null"},
    ),
    "write-wild": (
        "movabs $0x8000000000001000, %%rbx; movl $1, -4(%%rbx)",
        {"pc_in": "code", "fault_in": "non-canonical", "operand": "rbx-0x4", "access": "w",
         "operand_register_in": "non-canonical"},
    ),
}  # fmt: skip
SOURCE = 'int main(void) {{ __asm__ volatile("and $-16, %%rsp; {asm}" ::: "memory"); return 0; }}'
NOTE = {"type": "deb", "name": "sample", "version": "1.2-3", "os": "debian", "secret": "hidden"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("gcc is missing")
    return tmp_path_factory.mktemp("sites")


def built(folder: Path, name: str, *flags: str) -> Path:
    source = folder / f"{name}.c"
    source.write_text(SOURCE.format(asm=WAYS[name][0]))
    program = folder / name
    subprocess.run(["gcc", "-O0", *flags, "-o", program, source], check=True, capture_output=True)
    return program


def record_of(program: Path, folder: Path, name: str) -> dict[str, Any]:
    place = folder / f"run-{name}"
    place.mkdir()
    command = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$0"', str(program)]
    subprocess.run(command, cwd=place, check=False, capture_output=True, timeout=120)
    (core,) = find_core(place)
    return analyze(Session(CoreFileTarget.open(core)))


@pytest.mark.parametrize("name", list(WAYS))
def test_facts(folder: Path, name: str) -> None:
    record = record_of(built(folder, name), folder, name)
    facts, expected = record["facts"], WAYS[name][1]
    assert {key: facts.get(key) for key in expected} == expected
    slot = record["signal"].get("return_slot")
    assert (slot is not None) == ("return_slot_how" in expected)
    if name == "return-to-null":
        assert int(slot["value"], 16) == 0
    if name == "read-indexed":
        operand = record["signal"]["operand"]
        assert operand["address"] == record["signal"]["fault_address"] == f"0x{0x1254:016x}"
        assert operand["value"] == f"0x{0x1234:016x}"


def test_package_note(folder: Path) -> None:
    """ld writes the note (binutils 2.39 and later); only known keys are recorded."""
    try:
        note = f"--package-metadata={json.dumps(NOTE)}"
        program = built(folder, "misaligned", "-Xlinker", note)
    except subprocess.CalledProcessError:
        pytest.skip("this linker has no --package-metadata")
    record = record_of(program, folder, "note")
    public = {key: value for key, value in NOTE.items() if key != "secret"}
    assert record["libs"]["packages"]["misaligned"] == public
    assert "hidden" not in json.dumps(record)


def test_build_ids_are_those_of_the_files(folder: Path) -> None:
    """`readelf -n` of the executable says the same."""
    if shutil.which("readelf") is None:
        pytest.skip("readelf is missing")
    program = built(folder, "call-null")
    record = record_of(program, folder, "build-id")
    listed = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True)
    assert f"Build ID: {record['process']['build_id']}" in listed.stdout
    assert record["process"]["comm"] == "call-null"
    assert record["process"]["uid"] == os.getuid()
