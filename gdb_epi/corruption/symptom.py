# SPDX-License-Identifier: Apache-2.0
"""The class of a crash's symptom: a feature for a population to separate, not a cause.

One core cannot tell why a return slot held 0; a thousand cores can, when the ones with a stack
pointer that is off by 8 all come from one host. So each core gets exactly one name of a closed
list (symptom_types.py), by fixed rules that look at the fault alone and never at the score.
"""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.corruption.code.return_slot import off_by_8, one_bit_return, race_of_setcontext
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers.suspect_words import FaultWord, fault_words, software_pattern
from gdb_epi.corruption.symptom_types import SYMPTOMS, Symptom
from gdb_epi.errors import Absent
from gdb_epi.fault.maps import (
    NEAR_NULL,
    guard_page,
    is_canonical,
    nearest_mapping,
    permits,
    stack_below,
    user_top,
)
from gdb_epi.fault.reads import NULL_PAGE
from gdb_epi.fault.signals import BUS_ADRERR, SI_KERNEL, SIGABRT, SIGBUS
from gdb_epi.fault.site import (
    ARITHMETIC,
    CALL,
    DATA,
    ILLEGAL,
    MISALIGNED,
    PRIVILEGED,
    RETURN,
    TRANSFERS,
    TRAPPED,
    UNEXPLAINED,
    FaultSite,
)

PAST_END = 64 << 10

_OF_SHAPE = {
    "ascii": "ascii-as-pointer",
    "double": "double-as-pointer",
    "int-pair": "int-pair-as-pointer",
    "poison": "poison-pointer",
    "truncated": "truncated-pointer",
    "misaligned": "misaligned-read",
    "tagged": "tagged-pointer",
}


def transfer_symptom(context: Context, site: FaultSite) -> Symptom:
    """Return the symptom of a transfer to memory that cannot be executed."""
    target = site.address or 0
    if site.kind == RETURN:
        return _return_symptom(context, site, target)
    if target < NEAR_NULL:
        return Symptom("call-to-null", f"control went to {target:#x} by a {site.kind}")
    if site.kind == CALL:
        return Symptom("call-through-bad-pointer", f"an indirect call went to {target:#018x}")
    return Symptom("jump-to-data", f"control went to {target:#018x}; {site.why}".rstrip("; "))


def _return_symptom(context: Context, site: FaultSite, target: int) -> Symptom:
    slot = off_by_8(context)
    if slot is not None:
        return Symptom("rsp-off-by-8", slot.summary)
    if target == 0:
        race = race_of_setcontext(context)
        if race is not None:
            return Symptom("libunwind-setcontext-race", race)
        return Symptom("return-to-null", f"the slot at {site.slot or 0:#x} holds 0")
    near = one_bit_return(context)
    if near:
        return Symptom("return-slot-one-bit-off", near[0].summary)
    return Symptom("return-to-garbage", f"the slot at {site.slot or 0:#x} holds {target:#018x}")


def data_symptom(context: Context, site: FaultSite) -> Symptom:
    """Return the symptom of a failed access to data."""
    address = site.address
    if site.fault.signo == SIGBUS and site.fault.code != SI_KERNEL:
        return Symptom("bus-error", f"SIGBUS at {address or 0:#018x}, si_code {site.fault.code}")
    if address is None:
        return _by_words(context, site) or Symptom("unknown", site.why)
    stack = stack_below(context.target, site.fault, address)
    if stack is not None:
        return Symptom("stack-overflow", f"{stack.start - address} bytes below the stack")
    if address < NEAR_NULL:
        name = "null-dereference" if address < NULL_PAGE else "near-null"
        return Symptom(name, f"an access at {address:#x}")
    guard = guard_page(context.target, address)
    if guard is not None:
        return Symptom("guard-page", f"{address:#018x} is in {guard.start:#x}-{guard.end:#x}")
    return _by_words(context, site) or _by_map(context, site, address)


def _by_words(context: Context, site: FaultSite) -> Symptom | None:
    """Return the symptom that the registers of the access show."""
    for word in fault_words(context):
        shape = software_pattern(context, word)
        if shape is not None:
            return Symptom(_OF_SHAPE[shape.name], _told(word, shape.why))
    return None


def _told(word: FaultWord, why: str) -> str:
    return f"{word.source} holds {word.value:#018x}: {why}"


def _by_map(context: Context, site: FaultSite, address: int) -> Symptom:
    target = context.target
    if not is_canonical(address, user_top(target, site.fault)):
        return Symptom("non-canonical", f"the address is {address:#018x} (from {site.source})")
    here = target.region_at(address)
    if site.access == "w" and permits(here, "r") and not permits(here, "w"):
        return Symptom("write-to-read-only", f"{address:#018x} may only be read")
    near = nearest_mapping(target, address, PAST_END, site.access)
    if near is not None and near.after:
        return Symptom("past-the-end", f"{near.distance} bytes behind {near.region.end:#018x}")
    name = {"r": "wild-read", "w": "wild-write"}.get(site.access or "", "wild-access")
    return Symptom(name, f"the address is {address:#018x}")


__all__ = ["SYMPTOMS", "Symptom", "symptom_of"]

_PLAIN = {
    MISALIGNED: ("misaligned-access", "a vector access of {address} is not aligned"),
    PRIVILEGED: ("privileged-instruction", "the instruction is not for user code"),
    ILLEGAL: ("illegal-instruction", "SIGILL"),
    ARITHMETIC: ("arithmetic", "SIGFPE"),
    TRAPPED: ("trap", "SIGTRAP"),
}
_RULES: dict[str, Callable[[Context, FaultSite], Symptom]] = {DATA: data_symptom}


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
    for finding in context.findings:
        if finding.detector == "deliberate_abort":
            message_class = str(finding.facts.get("class") or "")
            name = f"abort-{finding.facts.get('kind')}"
            if "stack smashing" in message_class:
                name = "abort-stack-smashing"
            elif "double free" in message_class or "double-free" in message_class:
                name = "abort-double-free"
            return Symptom(name if name in SYMPTOMS else "abort", finding.summary)
    return Symptom("abort", "SIGABRT that the process sent itself, without a message of glibc")
