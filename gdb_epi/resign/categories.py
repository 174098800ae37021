# SPDX-License-Identifier: Apache-2.0
"""The category of a stored record by this version's rules, as far as the record tells.

What was `unknown` in gsig/1 has names in gsig/2, and a call to a low address another one (SPEC.md
9). Signal, sender and the kind of the fault are stored; the mapping table is not: an access in a
large guard keeps the category that it had.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.fault import signals
from gdb_epi.fault.fault_site import MISALIGNED, PRIVILEGED
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import NULL_PAGE
from gdb_epi.fault.signals import signal_name
from gdb_epi.record.record_parts import get_group
from gdb_epi.typing_lite import Any

BEFORE = ("gsig/1",)  # whose categories had other names
_BY_KIND = {MISALIGNED: "segv-misaligned", PRIVILEGED: "segv-privileged"}
_BY_CODE = {signals.SEGV_PKUERR: "segv-protection-key", signals.SEGV_CPERR: "segv-shadow-stack"}

Json = Mapping[str, Any]


def recompute_category(record: Json, category: str, version: str) -> str:
    """Return the category of a record that was signed by an earlier version."""
    if version not in BEFORE:
        return category
    signal = get_group(record, "signal")
    sender = str(signal.get("sender"))
    behind = get_group(signal, "behind_handler")
    fault = behind or signal
    signo, code = fault.get("signo"), fault.get("si_code")
    if behind:
        sender = "kernel"
    if category == "segv-exec":
        address = _address(fault)
        low = address is not None and NULL_PAGE <= address < NEAR_NULL
        return "segv-near-null" if low else category
    if category == "bus-adrerr":
        return "segv-misaligned" if code == signals.BUS_ADRALN else category
    if category == "killed-external":
        return "limit:cpu" if signo == signals.SIGXCPU and sender == "kernel" else category
    if category == "segv-wild" and signo == signals.SIGSEGV and code in _BY_CODE:
        return _BY_CODE[code]
    return _category_of_unknown(record, signo, code, sender) if category == "unknown" else category


def _category_of_unknown(record: Json, signo: object, code: object, sender: str) -> str:
    if sender == "self" and isinstance(signo, int) and signo != signals.SIGABRT:
        return "limit:file-size" if signo == signals.SIGXFSZ else f"raised:{signal_name(signo)}"
    if sender != "kernel":
        return "unknown"
    if signo == signals.SIGSYS and code == signals.SYS_SECCOMP:
        return "seccomp"
    if signo in (signals.SIGSEGV, signals.SIGBUS) and code == signals.SI_KERNEL:
        kind = get_group(record, "facts").get("fault_kind")
        return _BY_KIND.get(str(kind), "segv-protection")
    return "unknown"


def _address(fault: Json) -> int | None:
    try:
        return int(str(fault.get("fault_address")), 16)
    except ValueError:
        return None
