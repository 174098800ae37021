# SPDX-License-Identifier: Apache-2.0
"""Code for another processor: an instruction of an extension that this CPU does not have."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word
from gdb_epi.errors import Absent
from gdb_epi.fault.instructions import is_boundary, is_decoded_from_start
from gdb_epi.fault.memory_reads import read_up_to
from gdb_epi.fault.signals import SIGILL
from gdb_epi.process_state import ProcessState
from gdb_epi.target.cpu_features import CpuidLeaves, cpu_features
from gdb_epi.x86 import MAX_LENGTH
from gdb_epi.x86.instruction_sets import InstructionSet, instruction_sets


@detector(
    "missing_instruction_set", needs="crash", supports=SupportedLabel("software", "other-processor")
)
def missing_instruction_set(state: ProcessState) -> Iterator[Finding]:
    """Find an illegal instruction of an extension that the CPU said it lacks.

    Innocent causes: this is itself the ordinary explanation of SIGILL. Not said where the CPU has
    the extension, where ld.so wrote no CPUID down (musl, static programs), and in the middle of an
    instruction, where a wrong jump may have hit such bytes. A kernel that does not save the
    registers of an extension (a hypervisor, noxsave) counts as a CPU without it.
    Reference: Intel SDM volume 2, the exceptions of each instruction; AMD64 volume 6 (XOP).
    """
    fault = state.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.signo != SIGILL:
        return
    if not fault.architecture.decodes:
        return
    wanted = instruction_sets(read_up_to(state.target, fault.pc, MAX_LENGTH))
    features = cpu_features(state.target) if wanted else None
    if features is None:
        return
    missing = next((extension for extension in wanted if not _has(features, extension)), None)
    at = fault.pc
    if missing is None or not (
        is_decoded_from_start(state.target, at) or is_boundary(state.target, at)
    ):
        return
    facts = {
        "address": hex_word(at),
        "instruction_set": missing.name,
        "family": features.family,
        "model": features.model,
    }
    summary = (
        f"the instruction at {at:#018x} is one of {missing.name}, which this CPU (family "
        f"{features.family:#x}, model {features.model:#x}) does not have"
    )
    yield Finding("missing_instruction_set", f"thread {fault.tid}", facts, summary)


def _has(features: CpuidLeaves, wanted: InstructionSet) -> bool:
    """Tell whether, as far as is known, CPU and kernel support an extension."""
    rows = [features.rows]
    if wanted.by_system and features.active:
        rows.append(features.active)
    return all(row[wanted.leaf][wanted.register] >> wanted.bit & 1 for row in rows)
