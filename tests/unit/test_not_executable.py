# SPDX-License-Identifier: Apache-2.0
"""Code in memory that is not executable: what reads as code, and what does not."""

from __future__ import annotations

import pytest
from support.scenes import crash, state

from gdb_epi.detectors.jumps_to_wrong_code import decodes_as_whole_function, vsyscall
from gdb_epi.fault.mapping_checks import VSYSCALL

ADD_ONE = b"\x8d\x47\x01\xc3"  # lea 1(%rdi), %eax; ret
FRAMED = b"\x55\x48\x89\xe5\x89\xf8\x5d\xc3"  # push %rbp; mov %rsp, %rbp; mov %edi, %eax; pop; ret


@pytest.mark.parametrize("code", [ADD_ONE, FRAMED, b"\xf3\x0f\x1e\xfa\xc3"])
def test_a_function_reads_as_code(code: bytes) -> None:
    assert decodes_as_whole_function(code + bytes(60))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        bytes(64),
        b"\xc3" * 64,
        (1).to_bytes(8, "little") + bytes(56),  # a reference count
        b"lines of text that somebody has written into this page, \xc3",
        ADD_ONE[:3],
    ],
)
def test_data_do_not(data: bytes) -> None:
    assert not decodes_as_whole_function(data)


@pytest.mark.parametrize(
    ("entry", "said", "doubt"),
    [(0x400, "time() was called by the vsyscall page", "filter"), (0x980, "none of its", None)],
)
def test_the_page_of_old_system_calls(entry: int, said: str, doubt: str | None) -> None:
    address = VSYSCALL + entry
    (finding,) = vsyscall(state(crash(address=address), registers={"rip": address}))
    assert said in finding.summary
    assert finding.facts.get("doubt") == doubt
