# SPDX-License-Identifier: Apache-2.0
"""Categories of faults that the kernel raised: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP.

They rest on siginfo, registers and the mapping table, and on dumped stack bytes, so that two
machines agree; of a protection fault, for which the kernel tells no address, also on the faulting
instruction where it can be read: a left-over number in another register is no cause. How Linux
reports each: facts measured on kernel 6.18; SI_KERNEL with address 0 is a general protection fault
(SDM volume 3, 6.15).
"""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.fault.find import GENERAL, Fault
from gdb_epi.fault.maps import NEAR_NULL, below_large_frame, is_canonical, may_execute, stack_below
from gdb_epi.fault.reads import NULL_PAGE, read_word
from gdb_epi.fault.signals import SI_KERNEL, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP
from gdb_epi.signature.categories.types import Answer, Match, Scene
from gdb_epi.sizes import WORD

BUS_ADRALN, BUS_ADRERR, BUS_OBJERR, BUS_MCEERR_AR, BUS_MCEERR_AO = 1, 2, 3, 4, 5
_FPE_CODES = {1: "integer division by zero", 2: "integer overflow", 3: "floating-point division"}
# Bytes; a larger PROT_NONE mapping is a reservation, not a guard. fault/maps.py draws the line at
# 32 KiB: two answers to one question, to be settled with the verdicts.
MAX_GUARD = 1 << 20


def _address_fault(scene: Scene) -> tuple[Fault, int] | None:
    """Return a SIGSEGV of the kernel with the address that it reported."""
    fault = scene.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.signo != SIGSEGV:
        return None
    if fault.address is None or fault.code == SI_KERNEL:
        return None
    return fault, fault.address


def stack_overflow(scene: Scene) -> Answer:
    """The access lies just below the stack mapping, and rsp is at its low end."""
    reported = _address_fault(scene)
    if reported is None:
        return None
    fault, address = reported
    stack = stack_below(scene.target, fault, address)
    if stack is not None:
        return Match(
            "segv-stack-overflow",
            f"the fault address {address:#018x} is {stack.start - address} bytes below the stack "
            f"mapping {stack.start:#018x}-{stack.end:#018x} and rsp is {fault.sp:#018x}",
        )
    stack = below_large_frame(scene.target, fault, address)
    if stack is None:
        return None
    return Match(
        "segv-stack-overflow",
        f"rsp {fault.sp:#018x} is {stack.start - fault.sp} bytes below the stack mapping that rbp "
        f"{fault.registers['rbp']:#018x} is in, and the access between: one frame is too large",
    )


def exec_fault(scene: Scene) -> Answer:
    """The instruction pointer itself lies in memory that may not be executed."""
    reported = _address_fault(scene)
    if reported is None or reported[0].pc != reported[1] or reported[1] < NULL_PAGE:
        return None
    region = scene.region_at(reported[1])
    if may_execute(region):
        return None
    where = "not mapped" if region is None else f"in a mapping with permissions {region.perms}"
    return Match("segv-exec", f"rip equals the fault address {reported[1]:#018x}, which is {where}")


def return_to_null(scene: Scene) -> Answer:
    """A return popped 0: the slot below rsp is 0 and no call just pushed a return address.

    After a call through a NULL pointer the word at rsp is a return address, so that case stays
    with segv-null. Only dumped stack words decide.
    """
    reported = _address_fault(scene)
    if reported is None or reported[0].pc != 0 or reported[1] != 0:
        return None
    sp = reported[0].sp
    popped, top = read_word(scene.target, sp - WORD), read_word(scene.target, sp)
    if popped != 0 or top is None or may_execute(scene.region_at(top)):
        return None
    return Match(
        "return-to-null",
        f"rip is 0, the popped slot at {sp - WORD:#018x} is 0 and the word at rsp, {top:#018x}, is "
        "no code address",
    )


def misaligned_sp(scene: Scene) -> Answer:
    """rsp is no multiple of 8, which compiled code never makes."""
    fault = scene.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or not fault.sp:
        return None
    if fault.signo not in (SIGSEGV, SIGBUS) or fault.sp % WORD == 0:
        return None
    return Match("misaligned-sp", f"rsp {fault.sp:#018x} is no multiple of 8")


def noncanonical(scene: Scene) -> Answer:
    """A general protection fault by an address that is not canonical."""
    fault = scene.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap:
        return None
    if fault.signo not in (SIGSEGV, SIGBUS) or fault.code != SI_KERNEL:
        return None
    odd = _noncanonical_words(scene, fault)
    if not odd:
        return None
    return Match(
        "segv-noncanonical",
        f"SI_KERNEL without an address (general protection fault) and {', '.join(odd[:3])} "
        "not canonical",
    )


def _noncanonical_words(scene: Scene, fault: Fault) -> list[str]:
    """Return the words that are not canonical: of the instruction, of all registers without it."""
    from gdb_epi.fault.site import DATA, TRANSFERS, analyze_fault

    site = analyze_fault(scene.target, fault)
    if site.instruction is None or (site.address is None and site.kind == DATA):
        values = {name: fault.registers[name] for name in GENERAL if name in fault.registers}
        top = read_word(scene.target, fault.sp)
        if top is not None:
            values["the word at rsp"] = top
    elif site.address is not None and site.kind in (DATA, *TRANSFERS):
        names = site.operand.registers() if site.operand is not None else ()
        values = {name: fault.registers[name] for name in names if name in fault.registers}
        if all(map(is_canonical, values.values())):
            what = "the target it goes to" if site.kind in TRANSFERS else "the address it computes"
            values = {"the word at rsp" if site.slot is not None else what: site.address}
    else:  # misaligned, privileged, or nothing that explains it
        return []
    return [f"{name} = {value:#018x}" for name, value in values.items() if not is_canonical(value)]


def null(scene: Scene) -> Answer:
    """The address lies in the first page."""
    reported = _address_fault(scene)
    if reported is None or reported[1] >= NULL_PAGE:
        return None
    what = "a call or jump to" if reported[0].pc == reported[1] else "an access at"
    return Match("segv-null", f"{what} address {reported[1]:#x}, below {NULL_PAGE}")


def near_null(scene: Scene) -> Answer:
    """The address lies in the first 64 KiB."""
    reported = _address_fault(scene)
    if reported is None or reported[1] >= NEAR_NULL:
        return None
    return Match("segv-near-null", f"the fault address {reported[1]:#x} is below {NEAR_NULL}")


def guard(scene: Scene) -> Answer:
    """The address lies in an inaccessible mapping beside an accessible one."""
    reported = _address_fault(scene)
    region = scene.region_at(reported[1]) if reported is not None else None
    if reported is None or region is None or region.size > MAX_GUARD:
        return None
    if any(letter in region.perms for letter in "rwx"):
        return None
    beside = (scene.region_at(region.start - 1), scene.region_at(region.end))
    if not any(letter in mapping.perms for mapping in beside if mapping for letter in "rw"):
        return None
    return Match(
        "segv-guard",
        f"the fault address {reported[1]:#018x} is in the inaccessible mapping "
        f"{region.start:#018x}-{region.end:#018x}",
    )


def wild(scene: Scene) -> Answer:
    """Any other address that may not be accessed so."""
    reported = _address_fault(scene)
    if reported is None:
        return None
    region = scene.region_at(reported[1])
    where = "not mapped" if region is None else f"in a mapping with permissions {region.perms}"
    return Match("segv-wild", f"the fault address {reported[1]:#018x} is {where}")


def bus(scene: Scene) -> Answer:
    """SIGBUS: the file behind a mapping ended, or the memory is poisoned."""
    fault = scene.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap or fault.signo != SIGBUS:
        return None
    at = "no address" if fault.address is None else f"address {fault.address:#018x}"
    if fault.code in (BUS_MCEERR_AR, BUS_MCEERR_AO):
        return Match("bus-memerr", f"si_code {fault.code}: the kernel found poisoned memory, {at}")
    if fault.code in (BUS_ADRALN, BUS_ADRERR, BUS_OBJERR):
        return Match("bus-adrerr", f"si_code {fault.code}, {at}")
    return None


def arithmetic(scene: Scene) -> Answer:
    """SIGFPE, SIGILL and SIGTRAP."""
    fault = scene.fault
    if isinstance(fault, Absent) or not fault.is_hardware_trap:
        return None
    if fault.signo == SIGFPE:
        what = _FPE_CODES.get(fault.code or 0, f"si_code {fault.code}")
        return Match("fpe", f"SIGFPE: {what} at {fault.pc:#018x}")
    if fault.signo == SIGILL:
        return Match("ill", f"SIGILL: the CPU refused the instruction at {fault.pc:#018x}")
    if fault.signo == SIGTRAP:
        return Match("trap", f"SIGTRAP at {fault.pc:#018x}")
    return None


FAULT_RULES = (
    ("segv-stack-overflow", stack_overflow),
    ("segv-exec", exec_fault),
    ("return-to-null", return_to_null),
    ("misaligned-sp", misaligned_sp),
    ("segv-noncanonical", noncanonical),
    ("segv-null", null),
    ("segv-near-null", near_null),
    ("segv-guard", guard),
    ("segv-wild", wild),
    ("bus", bus),
    ("fpe, ill, trap", arithmetic),
)
