# SPDX-License-Identifier: Apache-2.0
"""The account of a fault, made once; category, symptom, detectors and verdict are tables over it.

It tells how the process ended (`how`), what lies at the address (`place`), and whether the access
went through the stack pointer. Two readers of one account cannot disagree about the facts; each has
its own names for them.
"""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.fault import signals
from gdb_epi.fault.abort_message import AbortMessage, read_abort_message
from gdb_epi.fault.address_place import (
    LOW,
    NULL,
    NULL_BASE,
    PLACES,
    STACK_ENDED,
    UNKNOWN,
    AddressPlace,
    place_at_failed_address,
)
from gdb_epi.fault.fault_site import (
    ARITHMETIC,
    DATA,
    ILLEGAL,
    MISALIGNED,
    PRIVILEGED,
    RETURN,
    TRANSFERS,
    TRAPPED,
    FaultSite,
    site_of_fault,
)
from gdb_epi.fault.find_fault import ELSEWHERE, KERNEL, OTHER, PROCESS, SELF, Fault
from gdb_epi.fault.mapping_checks import permits, user_space_end
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

# How the process ended. ACCESS, TRANSFER: `place` says where.
ACCESS, TRANSFER, PROTECTION = "access", "transfer", "protection"
PROTECTION_KEY, SHADOW_STACK, UNEXPLAINED = "protection-key", "shadow-stack", "unexplained"
BUS, MEMORY_ERROR = "bus", "memory-error"
ABORTED, RAISED, KILLED, SENT = "aborted", "raised", "killed", "sent"
CPU_LIMIT, FILE_SIZE_LIMIT, REFUSED_CALL = "cpu-limit", "file-size-limit", "refused-call"

HOW = {
    ACCESS: "an access to memory failed",
    TRANSFER: "control went where nothing may be executed",
    MISALIGNED: "an access that must be aligned was not",
    PRIVILEGED: "user code ran an instruction of the kernel's",
    PROTECTION: "the CPU refused an instruction for another reason",
    PROTECTION_KEY: "a protection key of the thread forbade the access",
    SHADOW_STACK: "a return address differs from the one on the shadow stack",
    UNEXPLAINED: "the instruction cannot have made the fault that was reported",
    BUS: "the file or memory behind a mapping could not serve an access",
    MEMORY_ERROR: "the kernel found poisoned memory",
    ARITHMETIC: "arithmetic without a result",
    ILLEGAL: "the CPU knows no such instruction",
    TRAPPED: "a breakpoint or a trap",
    ABORTED: "the process sent itself SIGABRT",
    RAISED: "the process sent itself another signal",
    KILLED: "another process, a terminal or a limit sent a signal",
    CPU_LIMIT: "the limit of CPU time was used up",
    FILE_SIZE_LIMIT: "a file would have become larger than the limit of its size",
    REFUSED_CALL: "a seccomp filter refused a system call",
    SENT: "a signal was sent; by whom is not in the core",
}
_BY_TERMINAL = frozenset((1, 2, 3))  # SIGHUP, SIGINT, SIGQUIT
WITHOUT_ADDRESS = frozenset((ARITHMETIC, ILLEGAL, TRAPPED))  # the instruction itself failed
_PLAIN = frozenset((MISALIGNED, PRIVILEGED, ARITHMETIC, ILLEGAL, TRAPPED))
_BY_CODE = {signals.SEGV_PKUERR: PROTECTION_KEY, signals.SEGV_CPERR: SHADOW_STACK}


class FaultAccount(NamedTuple):
    """What failed. `how` is a key of HOW, `place` what lies at the address.

    `through_stack`: the access went through rsp (push, pop, call, return, an operand with rsp), and
    rsp leads to no stack, so no pointer of the program was followed. `message` is what glibc stored
    for a SIGABRT that the process sent itself; None for other deaths.
    """

    fault: Fault
    site: FaultSite
    how: str
    place: AddressPlace
    through_stack: bool
    message: AbortMessage | Absent | None

    @property
    def address(self) -> int | None:
        """Return the true address of the access, or the target of the transfer."""
        return self.site.address

    @property
    def is_near_null(self) -> bool:
        """Whether the address is low, or a NULL and what the access adds to it.

        Beside an index that is scaled the base is the pointer: compilers scale none.
        """
        if self.place.kind in (NULL, LOW, NULL_BASE):
            return True
        operand = self.site.operand
        if self.how != ACCESS or operand is None or operand.scale == 1 or operand.segment:
            return False
        return operand.base is not None and self.fault.registers.get(operand.base) == 0

    @property
    def failed_in_return(self) -> bool:
        """Whether control went astray in a return: the bad word was on the stack."""
        return self.how == TRANSFER and self.site.kind == RETURN

    @property
    def returned_to_null(self) -> bool:
        """Whether a return popped 0."""
        return self.failed_in_return and self.place.kind == NULL and self.address == 0


def account_of_fault(target: Target, fault: Fault) -> FaultAccount:
    """Return the account of a fault; what is unknown says so."""
    site = site_of_fault(target, fault)
    how = _kind_of_failure(fault, site)
    place = AddressPlace(UNKNOWN)
    if how in (ACCESS, TRANSFER):
        place = place_at_failed_address(target, site, user_space_end(target, fault))
    through = how == ACCESS and place.kind != STACK_ENDED and _is_access_below_stack(target, site)
    message = read_abort_message(target, fault.registers) if how == ABORTED else None
    return FaultAccount(fault, site, how, place, through, message)


def own_abort_message(target: Target, account: FaultAccount) -> AbortMessage | Absent | None:
    """Return what glibc stored before the process ended itself by SIGABRT; None without it.

    This includes a handler that restored the default action, raised the signal again and returned:
    the thread is then found after the call, as if another one had sent the signal.
    """
    fault = account.fault
    if account.how == KILLED and fault.signo == signals.SIGABRT and fault.sender == PROCESS:
        return read_abort_message(target)
    return account.message


def _kind_of_failure(fault: Fault, site: FaultSite) -> str:
    if not fault.is_hardware_trap:
        return _how_ended_by_sent_signal(fault)
    if site.kind in _PLAIN:
        return site.kind
    if fault.signo == signals.SIGBUS and fault.code in (
        signals.BUS_MCEERR_AR,
        signals.BUS_MCEERR_AO,
    ):
        return MEMORY_ERROR
    if fault.signo == signals.SIGBUS and fault.code != signals.SI_KERNEL:
        return MISALIGNED if fault.code == signals.BUS_ADRALN else BUS
    if fault.signo == signals.SIGSEGV and fault.code in _BY_CODE:
        return _BY_CODE[fault.code]
    if site.kind in TRANSFERS:
        return TRANSFER
    if site.kind == DATA and site.address is not None:
        return ACCESS
    if fault.code == signals.SI_KERNEL:
        return PROTECTION
    return UNEXPLAINED


def _how_ended_by_sent_signal(fault: Fault) -> str:
    """Return how a process ended by a signal that no instruction caused (kernel/signal.c)."""
    if fault.signo == signals.SIGXFSZ and fault.sender in (SELF, PROCESS, KERNEL):
        return FILE_SIZE_LIMIT  # send_sig() in mm/filemap.c: the kernel names the writer as sender
    if fault.sender == KERNEL:
        if fault.signo == signals.SIGSYS and fault.code == signals.SYS_SECCOMP:
            return REFUSED_CALL
        if fault.signo == signals.SIGXCPU:
            return CPU_LIMIT
        return KILLED if fault.signo in _BY_TERMINAL else SENT
    if fault.sender in (OTHER, PROCESS, ELSEWHERE):
        return KILLED
    if fault.sender == SELF:
        return ABORTED if fault.signo == signals.SIGABRT else RAISED
    return SENT


def _is_access_below_stack(target: Target, site: FaultSite) -> bool:
    operand = site.operand
    if operand is None or operand.base != "rsp" or operand.index_register is not None:
        return False
    return not permits(target.region_at(site.fault.sp), "w")


__all__ = ["HOW", "PLACES", "FaultAccount", "AddressPlace", "account_of_fault", "own_abort_message"]
