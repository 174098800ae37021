# SPDX-License-Identifier: Apache-2.0
"""The machines whose cores are read: x86-64 and aarch64, each as one `Architecture`.

In: the number of a machine in an ELF header. Out: how the kernel lays out its registers in a core
and in a signal frame, their names and numbers for system calls and unwind tables, and whether its
instructions are decoded here. Nothing here reads memory; what is asked of a machine is a field or a
method of `Architecture`, so that no other part compares machines.
"""

from __future__ import annotations

from gdb_epi.machine.aarch64 import AARCH64
from gdb_epi.machine.architecture import Architecture
from gdb_epi.machine.x86_64 import X86_64

ARCHITECTURES = {architecture.number: architecture for architecture in (X86_64, AARCH64)}

__all__ = ["AARCH64", "ARCHITECTURES", "X86_64", "Architecture"]
