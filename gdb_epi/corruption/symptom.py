# SPDX-License-Identifier: Apache-2.0
"""The class of a crash's symptom: a feature for a population to separate, not a cause.

One core cannot tell why a return slot held 0; a thousand cores can, when the ones with a stack
pointer that is off by 8 all come from one host. So each core gets exactly one name of a closed
list (SYMPTOMS), by a table over the account of the fault and never by the score. Names are never
reused; new ones may come.
"""

from __future__ import annotations

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.pointers.read_place import describe_wrong_word
from gdb_epi.corruption.pointers.suspects import find_fault_words, software_pattern
from gdb_epi.corruption.replay.return_slot import (
    libunwind_setcontext_race,
    one_bit_return_slots,
    return_slot_above,
)
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import (
    ABORTED,
    ACCESS,
    BUS,
    CPU_LIMIT,
    FILE_SIZE_LIMIT,
    HOW,
    KILLED,
    MEMORY_ERROR,
    PROTECTION,
    PROTECTION_KEY,
    RAISED,
    REFUSED_CALL,
    SENT,
    SHADOW_STACK,
    TRANSFER,
    FaultAccount,
)
from gdb_epi.fault.address_place import (
    BEHIND,
    FORBIDDEN,
    GUARD,
    LOW,
    NON_CANONICAL,
    NULL,
    NULL_BASE,
    PERMITTED,
    PLACES,
    READ_ONLY,
    RESERVED,
    STACK_ENDED,
)
from gdb_epi.fault.fault_site import (
    ARITHMETIC,
    CALL,
    DATA,
    ILLEGAL,
    MISALIGNED,
    PRIVILEGED,
    RETURN,
    TRAPPED,
    UNEXPLAINED,
    UNSTARTED_HANDLER,
    FaultSite,
)
from gdb_epi.typing_lite import NamedTuple

_OF_SHAPE = {
    "ascii": "ascii-as-pointer",
    "double": "double-as-pointer",
    "int-pair": "int-pair-as-pointer",
    "negative": "int-pair-as-pointer",
    "poison": "poison-pointer",
    "truncated": "truncated-pointer",
    "misaligned": "misaligned-read",
    "misaligned:one-bit": "misaligned-read",
    "tagged": "tagged-pointer",
}


# What lies at the address, where that says more than the pointer's bytes; and where it says less.
_BEFORE_WORDS = {
    STACK_ENDED: "stack-overflow",
    NULL: "null-dereference",
    LOW: "near-null",
    NULL_BASE: "near-null",
    GUARD: "guard-page",
}
_BEHIND_WORDS = {
    NON_CANONICAL: "non-canonical",
    READ_ONLY: "write-to-read-only",
    BEHIND: "past-the-end",
    RESERVED: "reserved-memory",
    PERMITTED: "mapping-changed",
    FORBIDDEN: "reserved-memory",
}
_ENDS = {
    MISALIGNED: "misaligned-access",
    PRIVILEGED: "privileged-instruction",
    ILLEGAL: "illegal-instruction",
    ARITHMETIC: "arithmetic",
    TRAPPED: "trap",
    PROTECTION: "protection-fault",
    PROTECTION_KEY: "protection-key",
    SHADOW_STACK: "shadow-stack",
    BUS: "bus-error",
    MEMORY_ERROR: "bus-error",
    CPU_LIMIT: "limit-reached",
    FILE_SIZE_LIMIT: "limit-reached",
    REFUSED_CALL: "refused-call",
    RAISED: "signal-sent",
    KILLED: "signal-sent",
    SENT: "signal-sent",
}
# Texts of malloc that only a block given back twice makes (malloc/malloc.c, glibc 2.31 to 2.42); of
# "double free or corruption (!prev)", "(out)" and "(top)" an overrun is the other cause.
_DOUBLE_FREE = ("free-double-free-detected", "double-free-or-corruption-fasttop")

__all__ = ["SYMPTOMS", "Symptom", "classify_symptom"]
SYMPTOMS = {
    # how control went wrong
    "return-to-null": "a return popped 0",
    "libunwind-setcontext-race": "a return popped 0, and below the stack pointer lies the frame of "
    "a signal that interrupted libunwind's setcontext just before (libunwind issue 927)",
    "rsp-off-by-8": "a return took the word below its return address",
    "return-slot-one-bit-off": "a return popped a word that is one bit from a return address",
    "return-to-garbage": "a return popped a word that is no return address",
    "call-to-null": "a call or jump went to an address below 64 KiB",
    "call-through-bad-pointer": "a call went to memory that cannot be executed",
    "jump-to-data": "a jump went to memory that cannot be executed",
    # how an access went wrong
    "null-dereference": "an access below 4 KiB",
    "near-null": "an access below 64 KiB, or through a pointer of 0 to a far offset",
    "stack-overflow": "an access below the stack that the thread ran out of, or in its guard",
    "guard-page": "an access to an inaccessible mapping of at most 1 MiB beside memory",
    "bad-stack-pointer": "an access through the stack pointer, which leads to no stack",
    "ascii-as-pointer": "the pointer's bytes are text",
    "double-as-pointer": "the pointer is a floating-point number of ordinary size",
    "int-pair-as-pointer": "the pointer is two small 32-bit integers, -1 and its like among them",
    "poison-pointer": "the pointer is a pattern that allocators fill memory with",
    "truncated-pointer": "the pointer is the low half of a valid one",
    "misaligned-read": "the pointer is made of bytes of two neighbouring words",
    "tagged-pointer": "several top bits are set above a valid pointer",
    "misaligned-access": "a vector access that must be aligned is not",
    "past-the-end": "an access less than 64 KiB behind the end of a mapping",
    "write-to-read-only": "a write to memory that may be read",
    "reserved-memory": "an access to another inaccessible mapping",
    "mapping-changed": "an access to memory that permits it, as the core has the map",
    "non-canonical": "an address that x86-64 does not allow, of no known pattern",
    "wild-read": "a read at any other address",
    "wild-write": "a write at any other address",
    "wild-access": "an access at any other address; its direction is not known",
    "unexplained-fault": "the instruction cannot have made the fault that was reported",
    # anything but an access
    "illegal-instruction": "SIGILL",
    "privileged-instruction": "an instruction that user code must not run",
    "protection-fault": "the CPU refused an instruction for another reason",
    "protection-key": "a protection key forbade the access",
    "shadow-stack": "a return address differs from the one on the shadow stack",
    "arithmetic": "SIGFPE",
    "trap": "SIGTRAP",
    "bus-error": "SIGBUS: the end of a mapped file, or poisoned memory",
    "abort": "the process sent itself SIGABRT",
    "abort-assert": "a failed assertion",
    "abort-fortify": "glibc found an overflow of a buffer",
    "abort-stack-smashing": "a function found its stack canary changed",
    "abort-malloc": "glibc's malloc found damage",
    "abort-double-free": "glibc's malloc was given a block twice: no other cause gives its text",
    "signal-sent": "another signal, sent by a process",
    "limit-reached": "the kernel ended the process at a limit of CPU time or of a file's size",
    "refused-call": "a seccomp filter refused a system call",
    "unknown": "a fault whose text is not in the core and in no file",
    "none": "no crash",
}


def classify_symptom(context: Context) -> Symptom:
    """Return the symptom; "none" for a process that did not crash."""
    account = context.state.fault_account
    if isinstance(account, Absent):
        return Symptom("none", account.detail)
    if account.how == TRANSFER:
        return _transfer_symptom(context, account)
    if account.how == ACCESS:
        return _access_symptom(context, account)
    if account.how == ABORTED:
        return _abort_symptom(account)
    return _symptom_of_other_failures(context, account)


def _transfer_symptom(context: Context, account: FaultAccount) -> Symptom:
    """Return the symptom of a transfer to memory that cannot be executed."""
    site, target = account.site, account.address or 0
    if site.kind == RETURN:
        return _return_symptom(context, site, target)
    if account.place.kind in (NULL, LOW):
        return Symptom("call-to-null", f"control went to {target:#x} by a {site.kind}")
    if site.kind == CALL:
        return Symptom("call-through-bad-pointer", f"an indirect call went to {target:#018x}")
    return Symptom("jump-to-data", f"control went to {target:#018x}; {site.why}".rstrip("; "))


def _return_symptom(context: Context, site: FaultSite, target: int) -> Symptom:
    slot = return_slot_above(context)
    if slot is not None:
        return Symptom("rsp-off-by-8", slot.summary)
    if target == 0:
        race = libunwind_setcontext_race(context)
        if race is not None:
            return Symptom("libunwind-setcontext-race", race)
        return Symptom("return-to-null", f"the slot at {site.slot or 0:#x} holds 0")
    near = one_bit_return_slots(context)
    if near:
        return Symptom("return-slot-one-bit-off", near[0].summary)
    return Symptom("return-to-garbage", f"the slot at {site.slot or 0:#x} holds {target:#018x}")


def _access_symptom(context: Context, account: FaultAccount) -> Symptom:
    """Return the symptom of a failed access to data."""
    address, place, site = account.address or 0, account.place, account.site
    if account.through_stack:
        return Symptom("bad-stack-pointer", f"rsp is {account.fault.sp:#018x}: no stack is there")
    name = _BEFORE_WORDS.get(place.kind)
    if name is None:
        by_words = _symptom_of_registers(context)
        if by_words is not None:
            return by_words
        name = _BEHIND_WORDS.get(place.kind)
    if name is None:
        wild = {"r": "wild-read", "w": "wild-write"}.get(site.access or "", "wild-access")
        return Symptom(wild, f"the address is {address:#018x}")
    return Symptom(name, f"the address {address:#018x} lies in: {PLACES[place.kind]}")


def _symptom_of_registers(context: Context) -> Symptom | None:
    """Return the symptom that the registers of the access show."""
    for word in find_fault_words(context):
        shape = software_pattern(context, word)
        if shape is not None and shape.name in _OF_SHAPE:  # a number of no shape has no name here
            wrong = describe_wrong_word(context, word, shape)
            why = f"{word.source} holds {word.value:#018x}: {wrong}"
            return Symptom(_OF_SHAPE[shape.name], why)
    return None


def _abort_symptom(account: FaultAccount) -> Symptom:
    message = account.message
    if not isinstance(message, AbortMessage) or message.kind == "other":
        return Symptom("abort", "SIGABRT that the process sent itself, without a message of glibc")
    why = f"glibc's __abort_msg holds the message of {message.kind}"
    if "stack smashing" in message.klass:
        return Symptom("abort-stack-smashing", why)
    if message.klass.startswith(_DOUBLE_FREE):
        return Symptom("abort-double-free", why)
    return Symptom(f"abort-{message.kind}", why)


def _symptom_of_other_failures(context: Context, account: FaultAccount) -> Symptom:
    site, fault = account.site, account.fault
    if account.how == PROTECTION:
        if site.kind == UNSTARTED_HANDLER:
            return Symptom("protection-fault", site.why)
        if site.kind == DATA:
            return _symptom_of_registers(context) or Symptom("protection-fault", site.why)
        if site.instruction is not None:
            return Symptom("unexplained-fault", site.why)
        return _symptom_of_registers(context) or Symptom("unknown", site.why)
    if account.how == UNEXPLAINED:
        return Symptom("unexplained-fault" if site.instruction else "unknown", site.why)
    at = f", address {fault.address:#018x}" if fault.address else ""
    why = f"{HOW[account.how]}: signal {fault.signo}, si_code {fault.code}{at}"
    return Symptom(_ENDS[account.how], why)


class Symptom(NamedTuple):
    """`name` is a key of SYMPTOMS; `why` a sentence with the values that decided."""

    name: str
    why: str
