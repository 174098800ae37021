# SPDX-License-Identifier: Apache-2.0
"""The rules behind symptom_of: transfers of control and accesses to data."""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.stack_slot import off_by_8, one_bit_return, race_of_setcontext
from gdb_epi.corruption.symptom_types import Symptom
from gdb_epi.corruption.words import Word, pattern_of, wrong_words
from gdb_epi.fault import NEAR_NULL, NULL_PAGE, SI_KERNEL, SIGBUS, stack_below
from gdb_epi.fault.maps import beside, canonical, guard_page, permits, user_top
from gdb_epi.fault.site import CALL, RETURN, Site

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


def transfer_symptom(context: Context, site: Site) -> Symptom:
    """Return the symptom of a transfer to memory that cannot be executed."""
    target = site.address or 0
    if site.kind == RETURN:
        return _return_symptom(context, site, target)
    if target < NEAR_NULL:
        return Symptom("call-to-null", f"control went to {target:#x} by a {site.kind}")
    if site.kind == CALL:
        return Symptom("call-through-bad-pointer", f"an indirect call went to {target:#018x}")
    return Symptom("jump-to-data", f"control went to {target:#018x}; {site.why}".rstrip("; "))


def _return_symptom(context: Context, site: Site, target: int) -> Symptom:
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


def data_symptom(context: Context, site: Site) -> Symptom:
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


def _by_words(context: Context, site: Site) -> Symptom | None:
    """Return the symptom that the registers of the access show."""
    for word in wrong_words(context):
        shape = pattern_of(context, word)
        if shape is not None:
            return Symptom(_OF_SHAPE[shape.name], _told(word, shape.why))
    return None


def _told(word: Word, why: str) -> str:
    return f"{word.source} holds {word.value:#018x}: {why}"


def _by_map(context: Context, site: Site, address: int) -> Symptom:
    target = context.target
    if not canonical(address, user_top(target, site.fault)):
        return Symptom("non-canonical", f"the address is {address:#018x} (from {site.source})")
    here = target.region_at(address)
    if site.access == "w" and permits(here, "r") and not permits(here, "w"):
        return Symptom("write-to-read-only", f"{address:#018x} may only be read")
    near = beside(target, address, PAST_END, site.access)
    if near is not None and near.after:
        return Symptom("past-the-end", f"{near.distance} bytes behind {near.region.end:#018x}")
    name = {"r": "wild-read", "w": "wild-write"}.get(site.access or "", "wild-access")
    return Symptom(name, f"the address is {address:#018x}")
