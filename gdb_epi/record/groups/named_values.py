# SPDX-License-Identifier: Apache-2.0
"""Which variables of the Python frames hold the bad address: their names, never their values."""

from __future__ import annotations

from gdb_epi.fault.find import Fault
from gdb_epi.fault.named_values import named_values
from gdb_epi.fault.site import analyze_fault
from gdb_epi.record.registry import SEVERAL, Json, Notes, Parts, group

MAX_NAME = 200


@group(SEVERAL, order=205)
def bad_address_in(parts: Parts, _notes: Notes) -> Json | None:
    """Return `signal.named_values`; None when no variable holds the bad address."""
    fault, target = parts.signed.scene.fault, parts.state.target
    if not isinstance(fault, Fault) or not fault.is_hardware_trap:
        return None
    site = analyze_fault(target, fault)
    address = site.address if site.address is not None else fault.address
    named = named_values(target, parts.state.python, fault.tid, address)
    if not named:
        return None
    entries = []
    for one in named:
        entry = {
            "name": one.name[:MAX_NAME],
            "function": one.function,
            "filename": one.filename,
            "lineno": one.lineno,
            "frame": one.number,
            "how": one.how,
            "type": one.type,
        }
        if one.offset:
            entry["offset"] = one.offset
        entries.append(entry)
    return {"signal": {"named_values": entries}}
