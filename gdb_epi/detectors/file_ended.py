# SPDX-License-Identifier: Apache-2.0
"""SIGBUS where no data are behind memory: a file that ended, or a pool of huge pages used up."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import (
    DOUBT,
    FEW_HUGE_PAGES,
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
# Of memfd_create(), shmget() and shared mappings without a file: the kernel's own tmpfs, without a
# limit (mm/shmem.c), or hugetlbfs.
_WITHOUT_DISK = ("/memfd:", "/SYSV", "/dev/zero")
HUGE_PAGES = "/anon_hugepage"  # what the kernel calls them: fs/hugetlbfs/inode.c


@detector(
    "file_ended", needs="crash", supports=SupportedLabel("software", "file-ended", doubt_fact=DOUBT)
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
    if region is None or not region.path or region.path.startswith(HUGE_PAGES):
        return
    shared = region.path.startswith(SHARED_MEMORY)
    offset = region.file_offset + fault.address - region.start
    what = "a file of /dev/shm" if shared else "a file"
    full = "/dev/shm was full" if shared else "its disk was full"
    others = f"{full} when a gap in it was to be filled, or the page could not be read"
    on_disk = not region.path.startswith(_WITHOUT_DISK)
    if not on_disk:
        what, others = "a piece of memory", "no huge page was left for it, if it is made of these"
    plain = (
        f"{what} that was mapped has no data at the place that was used: it was cut off after it "
        f"was mapped, or always shorter than that; or {others}"
    )
    facts = {
        "address": hex_word(fault.address), "offset": offset, "shared_memory": shared,
        DOUBT: FULL_DISK if on_disk else FEW_HUGE_PAGES,
    }  # fmt: skip
    subject = f"thread {fault.tid}"
    yield plain_finding("file_ended", subject, facts, plain, f"offset {offset:#x}")


@detector("no_huge_page", needs="crash", supports=SupportedLabel("out-of-memory", "no-memory"))
def no_huge_page(state: ProcessState) -> Iterator[Finding]:
    """Find SIGBUS with BUS_ADRERR in anonymous memory that is made of huge pages.

    Innocent causes: none is known; no file is behind such memory that could be cut off. Its pages
    are taken from the kernel's pool when they are first used, unless mmap() has reserved them: with
    MAP_NORESERVE, behind a fork(), or over the limit of a control group none may be left.
    Reference: mm/hugetlb.c (hugetlb_no_page, hugetlb_wp: VM_FAULT_SIGBUS), Linux 6.
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.address is None:
        return
    region = state.target.region_at(fault.address)
    path = "" if region is None else region.path or ""
    if fault.signo != SIGBUS or fault.code != BUS_ADRERR or not path.startswith(HUGE_PAGES):
        return
    plain = (
        "memory of huge pages (MAP_HUGETLB) was used, and the kernel had no such page left: its "
        "pool is too small (vm.nr_hugepages), or a control group limits them"
    )
    at = hex_word(fault.address)
    yield plain_finding("no_huge_page", f"thread {fault.tid}", {"address": at}, plain, at)
