# SPDX-License-Identifier: Apache-2.0
"""The class of a crash's symptom: a feature for a population to separate, not a cause.

One core cannot tell why a return slot held 0; a thousand cores can, when the ones with a stack
pointer that is off by 8 all come from one host. So each core gets exactly one name of a closed
list, by fixed rules that look at the fault alone and never at the score.
"""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.symptom_rules import data_symptom, transfer_symptom
from gdb_epi.corruption.symptom_types import SYMPTOMS, Symptom
from gdb_epi.errors import Absent
from gdb_epi.fault import BUS_ADRERR, SIGABRT, SIGBUS
from gdb_epi.fault.site import (
    ARITHMETIC,
    DATA,
    ILLEGAL,
    MISALIGNED,
    PRIVILEGED,
    TRANSFERS,
    TRAPPED,
    UNEXPLAINED,
    Site,
)

__all__ = ["SYMPTOMS", "Symptom", "symptom_of"]

_PLAIN = {
    MISALIGNED: ("misaligned-access", "a vector access of {address} is not aligned"),
    PRIVILEGED: ("privileged-instruction", "the instruction is not for user code"),
    ILLEGAL: ("illegal-instruction", "SIGILL"),
    ARITHMETIC: ("arithmetic", "SIGFPE"),
    TRAPPED: ("trap", "SIGTRAP"),
}
_RULES: dict[str, Callable[[Context, Site], Symptom]] = {DATA: data_symptom}


def symptom_of(context: Context) -> Symptom:
    """Return the symptom; "none" for a process that did not crash."""
    fault = context.fault
    if isinstance(fault, Absent):
        return Symptom("none", fault.detail)
    site = context.site
    assert not isinstance(site, Absent)
    if not fault.is_hardware_trap:
        return _sent(context)
    if site.kind in TRANSFERS:
        return transfer_symptom(context, site)
    if fault.signo == SIGBUS and fault.code == BUS_ADRERR:
        return Symptom(
            "bus-error", f"nothing is behind {fault.address or 0:#018x}, which is mapped"
        )
    if site.kind in _RULES:
        return _RULES[site.kind](context, site)
    if site.kind == UNEXPLAINED:
        if fault.signo == SIGBUS and fault.address:
            return Symptom("bus-error", site.why)
        return Symptom("unexplained-fault" if site.instruction else "unknown", site.why)
    name, why = _PLAIN.get(site.kind, ("unknown", site.why))
    return Symptom(name, why.format(address=hex(site.address or 0)))


def _sent(context: Context) -> Symptom:
    fault = context.fault
    assert not isinstance(fault, Absent)
    if fault.signo != SIGABRT or fault.sender == "other":
        return Symptom(
            "signal-sent", f"signal {fault.signo} was sent, the sender is {fault.sender}"
        )
    for one in context.findings:
        if one.detector == "deliberate_abort":
            told = str(one.facts.get("class") or "")
            name = f"abort-{one.facts.get('kind')}"
            if "stack smashing" in told:
                name = "abort-stack-smashing"
            elif "double free" in told or "double-free" in told:
                name = "abort-double-free"
            return Symptom(name if name in SYMPTOMS else "abort", one.summary)
    return Symptom("abort", "SIGABRT that the process sent itself, without a message of glibc")
