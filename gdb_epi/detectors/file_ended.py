# SPDX-License-Identifier: Apache-2.0
"""An access to a mapped file beyond its end, where the mapping has no bytes to show."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import (
    DOUBT,
    FULL_DISK,
    Finding,
    SupportedLabel,
    detector,
    hex_word,
    plain_finding,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import BUS_ADRERR, SIGBUS
from gdb_epi.process_state import ProcessState

SHARED_MEMORY = "/dev/shm/"


@detector(
    "file_ended",
    needs="crash",
    supports=SupportedLabel("software", "file-ended", doubt_fact=DOUBT),
)
def file_ended(state: ProcessState) -> Iterator[Finding]:
    """Find SIGBUS with BUS_ADRERR inside the mapping of a file.

    Innocent causes: this is itself the ordinary explanation. The kernel says the same where a file
    has a hole and its file system no room to fill it, and where it cannot read the page (a disk or
    a network file system): neither is a fault of the program, and no core has the file's size.
    tmpfs takes a page for a hole when it is read as well (mm/shmem.c, shmem_fault).
    Reference: mm/memory.c (VM_FAULT_SIGBUS), arch/x86/mm/fault.c (do_sigbus), Linux 6.
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.address is None:
        return
    if fault.signo != SIGBUS or fault.code != BUS_ADRERR:
        return
    region = state.target.region_at(fault.address)
    if region is None or not region.path:
        return
    shared = region.path.startswith(SHARED_MEMORY)
    offset = region.file_offset + fault.address - region.start
    what = "a file of /dev/shm" if shared else "a file"
    full = "/dev/shm was full" if shared else "its disk was full"
    plain = (
        f"{what} that was mapped has no data at the place that was used: it was cut off after it "
        f"was mapped, or {full} when a gap in it was to be filled, or the page could not be read"
    )
    facts = {
        "address": hex_word(fault.address), "offset": offset, "shared_memory": shared,
        DOUBT: FULL_DISK,
    }  # fmt: skip
    subject = f"thread {fault.tid}"
    yield plain_finding("file_ended", subject, facts, plain, f"offset {offset:#x}")
