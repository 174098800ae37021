# SPDX-License-Identifier: Apache-2.0
"""Findings and the registry of detectors.

A detector is a function (ProcessState) -> findings, in a file here, alone or with its like. It
yields facts, never judgement, and rules out the innocent causes that its docstring lists first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.fault.account import FaultAccount
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import NativeFrame
from gdb_epi.typing_lite import Any, NamedTuple

MAX_FINDINGS = 64  # of one detector
# A fact of any finding: what else than code that is wrong looks the same. It caps the probability
# of signs and categories that rest on the finding (judgement/label_evidence.py, ELSE_EXPLAINS).
DOUBT = "doubt"
NOTHING_SAID = "info"  # a kind or confidence of what is told and speaks for nothing
SMALL_STACK = "small-stack"  # its size, which somebody set, is far below the usual one
LENT_BUFFER = "lent-buffer"  # others had a pointer to the array on the stack that was overrun
IN_MEMORY = "value-in-memory"  # others can have written what was found wrong
FILTER = "filter"  # of system calls: who set it forbade what the program needs
FULL_DISK = "full-disk"  # a gap in a file could not be filled
FEW_HUGE_PAGES = "few-huge-pages"  # the kernel's pool may have been used up


class Finding(NamedTuple):
    """One observed fact. `subject` names where; `facts` are JSON values; `summary` a sentence."""

    detector: str
    subject: str
    facts: Mapping[str, Any]
    summary: str


def plain_finding(
    detector: str, subject: str, facts: Mapping[str, Any], plain: str, details: str
) -> Finding:
    """Return a finding whose summary ends with addresses; its fact `plain` leaves them out."""
    return Finding(detector, subject, {**facts, "plain": plain}, f"{plain} ({details})")


Detect = Callable[[ProcessState], Iterable[Finding]]


class SupportedLabel(NamedTuple):
    """What a detector's findings are evidence for: a label of the verdict and a hypothesis.

    `counted_by` names the fact that tells kinds of the finding apart, whose hits are counted apart
    (judgement/calibration.json): "confidence", "kind". A kind "info" speaks for nothing.
    `overwritten_fact` names the fact that is the address of memory which was overwritten, where a
    finding shows that some was. `max_probability` caps what the finding gives by itself, for
    findings that damage elsewhere could also leave. `damage_fact` names the fact which says that a
    failed check of the runtime was caused by damage. Without damage, the check says little.
    `doubt_fact` names the fact that says what else looks the same: who outside of this core may
    only be slow, or that errno may be old (judgement/label_evidence.py, ELSE_EXPLAINS).
    `root`: what else speaks for the label is there because of it. `was_mapped`: a file that is gone
    may have lain where the pointer leads, so that it differs from a right one in pages alone.
    """

    label: str
    hypothesis: str
    counted_by: str = ""
    overwritten_fact: str = ""
    max_probability: float = 1.0
    damage_fact: str = ""
    doubt_fact: str = ""
    root: bool = False
    was_mapped: bool = False


class Detector(NamedTuple):
    """A registered detector; `needs` is "crash", "python" or "nothing"."""

    name: str
    needs: str
    detect: Detect
    supports: SupportedLabel | None = None


DETECTORS: dict[str, Detector] = {}


def detector(
    name: str, *, needs: str = "nothing", supports: SupportedLabel | None = None
) -> Callable[[Detect], Detect]:
    """Register the decorated function as a detector; without `supports` it moves no verdict."""

    def register(detect: Detect) -> Detect:
        if not (detect.__doc__ or "").strip():
            raise ValueError(f"detector {name!r} does not list its innocent causes")
        earlier = DETECTORS.get(name)
        if earlier and earlier.detect.__code__.co_filename != detect.__code__.co_filename:
            raise ValueError(f"detector {name!r} is registered twice")
        DETECTORS[name] = Detector(name, needs, detect, supports)
        return detect

    return register


def supported_label(name: str) -> SupportedLabel | None:
    """Return what a detector's findings are evidence for; None for nothing, and for no detector."""
    registered = DETECTORS.get(name)
    return registered.supports if registered is not None else None


def run_detectors(state: ProcessState) -> tuple[list[Finding], list[SoftError]]:
    """Run every detector under detectors/; one that fails becomes a soft error."""
    import gdb_epi.detectors
    from gdb_epi.loader import import_all_modules

    errors = import_all_modules(gdb_epi.detectors)
    findings: list[Finding] = []
    for name, (_, needs, detect, _) in sorted(DETECTORS.items()):
        if needs == "crash" and isinstance(state.crash, Absent):
            continue
        if needs == "python" and not isinstance(state.python, PythonState):
            continue
        try:
            for count, finding in enumerate(detect(state)):
                if count == MAX_FINDINGS:
                    errors.append(SoftError("detector", name, f"cut at {MAX_FINDINGS} findings"))
                    break
                findings.append(finding)
        except Exception as error:  # noqa: BLE001 - boundary: running a detector
            errors.append(SoftError("detector", name, f"{type(error).__name__}: {error}"))
    return findings, errors


def failure_and_frames(
    state: ProcessState, *how: str
) -> tuple[FaultAccount, Sequence[NativeFrame]] | None:
    """Return the account of a failure of these kinds, and the native frames of its thread.

    None when nothing failed, or in another way, and without native frames (these need GDB).
    """
    account = state.fault_account
    if isinstance(account, Absent) or account.how not in how:
        return None
    frames = state.target.native_frames(account.fault.tid)
    return None if isinstance(frames, Absent) else (account, frames)


def hex_word(value: int) -> str:
    """Return an address or word as the record prints it: 0x and 16 digits."""
    return f"{value & WORD_MASK:#018x}"
