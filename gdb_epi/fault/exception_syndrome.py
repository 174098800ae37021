# SPDX-License-Identifier: Apache-2.0
"""What an aarch64 CPU told the kernel about a fault: ESR_EL1, which signal frames hold.

It is used where there is no siginfo: a handler without SA_SIGINFO (faulthandler's) gets none.
Reference: Arm ARM, ESR_EL1; linux arch/arm64/kernel/signal.c (setup_sigframe: the record follows
that of the FPU, where the thread has had a fault), arch/arm64/mm/fault.c.
"""

from __future__ import annotations

import struct

from gdb_epi.fault.signals import (
    BUS_ADRALN,
    BUS_OBJERR,
    FATAL,
    ILL_ILLOPC,
    SEGV_ACCERR,
    SEGV_MAPERR,
    SI_KERNEL,
    SIGABRT,
    SIGBUS,
    SIGILL,
    SIGSEGV,
)
from gdb_epi.machine.aarch64 import AARCH64
from gdb_epi.typing_lite import NamedTuple

_RECORD = struct.Struct("<IIQ")
_ESR_MAGIC = 0x45535201
_UNKNOWN, _FETCH_ABORT, _DATA_ABORT = 0x00, 0x20, 0x24  # exception classes, from user code
_ALIGNMENT = 0x21  # the status of an abort
_EXTERNAL = range(0x10, 0x20)
_WRITE = 1 << 6
ERROR_WRITE, ERROR_FETCH = 2, 16  # as an x86 page fault's error code has them


class Syndrome(NamedTuple):
    """The register; `address` is what the frame has for the address of the fault."""

    value: int
    address: int

    @property
    def _class(self) -> int:
        return self.value >> 26 & 0x3F

    @property
    def error(self) -> int | None:
        """The access in the bits of an x86 error code; None when it was no abort."""
        if self._class == _FETCH_ABORT:
            return ERROR_FETCH
        if self._class != _DATA_ABORT:
            return None
        return ERROR_WRITE if self.value & _WRITE else 0

    def fits(self, signo: int, code: int, address: int) -> bool:
        """Tell whether a siginfo can be the one that the kernel wrote for it."""
        if signo not in FATAL or not 0 < code <= SI_KERNEL:
            return False
        return self.error is None or signo == SIGBUS or address == self.address

    def signal(self, raised: int, mapped: bool) -> tuple[int, int, int]:
        """Return signal, si_code and address; (0, 0, 0) when it is not the signal `raised`.

        `mapped`: something is mapped at the address. The register of an older fault may be left.
        """
        signal = (0, 0, 0)
        status = self.value & 0x3F
        if self.error is None:
            signal = (SIGILL, ILL_ILLOPC, self.address) if self._class == _UNKNOWN else signal
        elif status == _ALIGNMENT:
            signal = (SIGBUS, BUS_ADRALN, self.address)
        elif status in _EXTERNAL:
            signal = (SIGBUS, BUS_OBJERR, self.address)
        else:
            signal = (SIGSEGV, SEGV_ACCERR if mapped else SEGV_MAPERR, self.address)
        return signal if raised in (signal[0], SIGABRT) else (0, 0, 0)


def syndrome_in(frame: bytes, address: int) -> Syndrome | None:
    """Return the syndrome of a whole signal frame; None when the thread never had a fault."""
    at = AARCH64.signal_frame.size - _RECORD.size
    magic, size, value = _RECORD.unpack_from(frame, at)
    return Syndrome(value, address) if (magic, size) == (_ESR_MAGIC, _RECORD.size) else None
