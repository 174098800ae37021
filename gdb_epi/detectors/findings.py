# SPDX-License-Identifier: Apache-2.0
"""Findings and the registry of detectors.

A detector is a function (ProcessState) -> findings in a file of its own here. It yields facts,
never judgement, and rules out the innocent causes that its docstring lists before it yields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.locks.types import Cycle
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import Any, NamedTuple

MAX_FINDINGS = 64  # of one detector
MAX_CYCLE = 32  # threads of one cycle that a finding names


class Finding(NamedTuple):
    """One observed fact. `subject` names where; `facts` are JSON values; `summary` a sentence."""

    detector: str
    subject: str
    facts: Mapping[str, Any]
    summary: str


Detect = Callable[[ProcessState], Iterable[Finding]]


class Detector(NamedTuple):
    """A registered detector; `needs` is "crash", "python" or "nothing"."""

    name: str
    needs: str
    detect: Detect


DETECTORS: dict[str, Detector] = {}


def detector(name: str, *, needs: str = "nothing") -> Callable[[Detect], Detect]:
    """Register the decorated function as a detector."""

    def register(detect: Detect) -> Detect:
        if not (detect.__doc__ or "").strip():
            raise ValueError(f"detector {name!r} does not list its innocent causes")
        known = DETECTORS.get(name)
        if known is not None and known.detect.__code__.co_filename != detect.__code__.co_filename:
            raise ValueError(f"detector {name!r} is registered twice")
        DETECTORS[name] = Detector(name, needs, detect)
        return detect

    return register


def run_detectors(state: ProcessState) -> tuple[list[Finding], list[SoftError]]:
    """Run every detector under detectors/; one that fails becomes a soft error."""
    import gdb_epi.detectors
    from gdb_epi.loader import load_all

    errors = load_all(gdb_epi.detectors)
    findings: list[Finding] = []
    for name in sorted(DETECTORS):
        one = DETECTORS[name]
        if not _applies(one, state):
            continue
        try:
            for count, finding in enumerate(one.detect(state)):
                if count == MAX_FINDINGS:
                    errors.append(SoftError("detector", name, f"cut at {MAX_FINDINGS} findings"))
                    break
                findings.append(finding)
        except Exception as error:  # noqa: BLE001 - boundary: running a detector
            errors.append(SoftError("detector", name, f"{type(error).__name__}: {error}"))
    return findings, errors


def _applies(one: Detector, state: ProcessState) -> bool:
    if one.needs == "crash":
        return not isinstance(state.crash, Absent)
    if one.needs == "python":
        return isinstance(state.python, PythonState)
    return True


def hex_word(value: int) -> str:
    """Return an address or word as the record prints it: 0x and 16 digits."""
    return f"{value & WORD_MASK:#018x}"


def cycle_facts(state: ProcessState, cycle: Cycle) -> tuple[dict[str, Any], str]:
    """Return the facts of a cycle of waiting threads, and one line that goes around it."""
    inside = frozenset(cycle.tids[:MAX_CYCLE])
    waits = {wait.tid: wait for wait in state.locks.waits if wait.tid in inside}
    around = [
        f"thread {tid} waits for {waits[tid].name or waits[tid].kind}"
        for tid in cycle.tids
        if tid in waits
    ]
    facts = {
        "tids": list(cycle.tids[:MAX_CYCLE]),
        "kinds": list(cycle.kinds[:MAX_CYCLE]),
        "length": len(cycle.tids),
        "names": [waits[tid].name if tid in waits else None for tid in cycle.tids[:MAX_CYCLE]],
        "addresses": [hex_word(waits[tid].address) for tid in cycle.tids if tid in waits],
        "confidence": cycle.confidence,
        "evidence": [line for tid in cycle.tids if tid in waits for line in waits[tid].evidence],
    }
    return facts, ", ".join(around)
