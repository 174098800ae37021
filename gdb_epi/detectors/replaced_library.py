# SPDX-License-Identifier: Apache-2.0
"""The file of a library was written anew while the process had it mapped."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent
from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.api import DUMPED, Module, Target
from gdb_epi.target.unsafe_file_names import read_link_map

MAX_FRAMES = 64


@detector(
    "replaced_library", needs="crash", supports=SupportedLabel("software", "file-ended", root=True)
)
def replaced_library(state: ProcessState) -> Iterator[Finding]:
    """Find a library on the stack whose header in memory is not the one that it was loaded by.

    The pages of a mapped file that the process did not write to are the file's as it is now. The
    dynamic linker has kept where the dynamic section was when it loaded the file; the header that
    is mapped now says where it is in the file that lies there now.
    Innocent causes: one flipped bit in either address (not said of one bit); a file that was
    replaced after the crash (a header that is not in the core is not looked at). A new file with
    the section in the same place is not seen.
    Reference: mmap(2), MAP_PRIVATE ("unspecified whether changes made to the file are visible");
    l_ld in glibc's elf/dl-load.c.
    """
    fault, target = state.fault, state.target
    if isinstance(fault, Absent) or not fault.is_hardware_trap:
        return
    dynamic_sections = None
    for module in _modules_on_stack(target, fault):
        if target.provenance(module.start, PAGE) != DUMPED:
            continue
        image = elf.base_and_headers(read_up_to(target, module.start, PAGE), module.start)
        place = next((s.vaddr for s in image[1] if s.type == elf.PT_DYNAMIC), 0) if image else 0
        if image is None or not place:
            continue
        if dynamic_sections is None:
            dynamic_sections = {base: dynamic for base, _, dynamic in read_link_map(target)}
        loaded_by = dynamic_sections.get(image[0])
        if loaded_by is None or (loaded_by ^ image[0] + place).bit_count() < 2:
            continue
        file = module.path.rpartition("/")[2]
        facts = {"file": file, "then": hex_word(loaded_by), "now": hex_word(image[0] + place)}
        plain = (
            f"the file {file} was written anew while the process used it: its code in memory is "
            "that of the new file, its data are of the old one"
        )
        details = f"its dynamic section was at {loaded_by:#x} and is at {image[0] + place:#x}"
        yield plain_finding("replaced_library", f"thread {fault.tid}", facts, plain, details)
        return


def _modules_on_stack(target: Target, fault: Fault) -> list[Module]:
    frames = target.native_frames(fault.tid)
    places = [fault.pc, fault.address or 0]
    if not isinstance(frames, Absent):
        places += [frame.pc for frame in frames[:MAX_FRAMES]]
    modules = target.modules()
    on_stack = (
        next((module for module in modules if module.start <= place < module.end), None)
        for place in places
    )
    return list(dict.fromkeys(module for module in on_stack if module is not None))
