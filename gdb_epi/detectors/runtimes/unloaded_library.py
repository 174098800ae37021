# SPDX-License-Identifier: Apache-2.0
"""Control went to memory that is gone, and a library that ctypes had loaded is gone too."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.detectors.registry import Finding, SupportedLabel, detector, hex_word, plain_finding
from gdb_epi.errors import Absent
from gdb_epi.fault.account import TRANSFER
from gdb_epi.fault.own_native_code import AT_FAULT, PROGRAM
from gdb_epi.process_state import ProcessState

LIBRARY = "ctypes.CDLL"
MAX_LIBRARIES = 256
MIN_ADDRESS = 1 << 32
_SUPPORTS = SupportedLabel("software", "use-after-free", was_mapped=True)


@detector("unloaded_library", needs="python", supports=_SUPPORTS)
def unloaded_library(state: ProcessState) -> Iterator[Finding]:
    """Find a jump to where nothing is mapped, and a ctypes.CDLL whose file is not loaded any more.

    Innocent causes: a wrong pointer that has nothing to do with that library: both together are
    rare, as hardly any program closes libraries.
    Reference: dlclose(3); Lib/ctypes/__init__.py (CDLL keeps `_name` and never closes).
    """
    account, python = state.fault_account, state.python
    if isinstance(account, Absent) or account.how != TRANSFER:
        return
    if not isinstance(python, PythonState):
        return
    address = account.address or 0
    if address < MIN_ADDRESS or state.target.region_at(address) is not None:
        return
    loaded = [_base_name(module.path) for module in state.target.modules()]
    values = PlainValues(state.target, python)
    for library in shared_instances(state.target, python).instances_of([LIBRARY])[:MAX_LIBRARIES]:
        kept = values.attribute(library.address, "_name")
        name = _base_name(values.text(kept) or "") if kept else ""
        stem = name.partition(".so")[0]  # without its version: a link leads to libx.so.1.2
        if not name or any(path.startswith(stem) for path in loaded):
            continue
        facts = {"library": name, "address": hex_word(address), AT_FAULT: PROGRAM}
        plain = (
            f"a function of {name} was called, it seems, which is not loaded any more: ctypes had "
            "loaded it, and it was closed (dlclose) while its functions were kept"
        )
        details = f"control went to {address:#x}, where nothing is mapped"
        subject = f"thread {account.fault.tid}"
        yield plain_finding("unloaded_library", subject, facts, plain, details)
        return


def _base_name(path: str) -> str:
    return path.rpartition("/")[2]
