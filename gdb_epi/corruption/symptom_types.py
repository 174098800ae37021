# SPDX-License-Identifier: Apache-2.0
"""The closed list of symptoms. Names are never reused; new ones may come."""

from __future__ import annotations

from gdb_epi.typing_lite import NamedTuple

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


class Symptom(NamedTuple):
    """`name` is a key of SYMPTOMS; `why` a sentence with the values that decided."""

    name: str
    why: str
