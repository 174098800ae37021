# SPDX-License-Identifier: Apache-2.0
"""An access to a mapped file beyond its end, where the mapping has no bytes to show."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent
from gdb_epi.fault.signals import BUS_ADRERR, SIGBUS
from gdb_epi.process_state import ProcessState

SHARED_MEMORY = "/dev/shm/"


@detector("file_ended", needs="crash", supports=SupportedLabel("software", "file-ended"))
def file_ended(state: ProcessState) -> Iterator[Finding]:
    """Find SIGBUS with BUS_ADRERR inside the mapping of a file.

    Innocent causes: this is itself the ordinary explanation. The kernel says the same when it
    cannot read the page (a disk or a network file system), so that is named with it.
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
    full = "/dev/shm is full" if shared else "its disk is full"
    plain = (
        f"{what} that was mapped ends before the place that was used: it was cut off after it was "
        f"mapped; or {full}, or the page could not be read"
    )
    facts = {"address": hex_word(fault.address), "offset": offset, "shared_memory": shared}
    subject = f"thread {fault.tid}"
    yield plain_finding("file_ended", subject, facts, plain, f"offset {offset:#x}")
