# SPDX-License-Identifier: Apache-2.0
"""Greenlets: the stacks of those that are suspended.

How the places were derived: `PyGreenlet` is public (greenlet.h, 2.0 to 3.x): weakreflist, dict, and
a pointer to the implementation, which ends the struct; so the pointer follows tp_dictoffset. The
implementation is private and differs between versions and interpreters. Its second word is the
greenlet itself, which proves the pointer; and of the words behind it one is a frame object while
the greenlet is suspended (`_top_frame`), none otherwise. The frame is found by its type, by no
offset; seen in the debug information of greenlet 3.1 and 3.5, and tried with both.
Older versions (1.x) have another struct and are said to be unknown.
"""

from __future__ import annotations

from gdb_epi.cpython.frames.coroutines import Coroutines
from gdb_epi.cpython.heap.instances import Instances
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import SoftError, UnreadableMemory
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

GREENLET = "greenlet.greenlet"
MAX_GREENLETS = 100_000
MAX_PROBLEMS = 50
_SELF_AT = 8  # behind the pointer to the C++ class's functions
_SEARCHED = 192  # bytes; the whole implementation has 176 in greenlet 3.5 for 3.12

SUSPENDED = "suspended"
OTHER = "running, ended or not started"


class Greenlet(NamedTuple):
    """One greenlet. `stack` is innermost first, empty unless it is suspended.

    `state` is SUSPENDED or OTHER; "" when it cannot be told.
    """

    address: int
    shown: str  # its class
    state: str
    stack: tuple[PyFrame, ...]


class Greenlets(NamedTuple):
    """All greenlets that were found, and what could not be had."""

    greenlets: tuple[Greenlet, ...]
    soft_errors: tuple[SoftError, ...]


def greenlets_of(target: Target, python: PythonState) -> Greenlets:
    """Return the greenlets of a process. Never raises for damage."""
    reader = Reader(target, python.layout)
    instances = Instances(reader, python)
    coroutines = Coroutines(reader, instances.objects, instances.types)
    greenlets: list[Greenlet] = []
    problems: list[SoftError] = []
    for instance in instances.of((GREENLET,))[:MAX_GREENLETS]:
        greenlet = Greenlet(instance.address, instance.shown, "", ())
        try:
            frame = _top_frame(reader, instances, instance.address)
            stack, broken = coroutines.stack_from(_interpreter_frame(reader, frame))
            greenlet = greenlet._replace(state=SUSPENDED if frame else OTHER, stack=stack)
        except UnreadableMemory as error:
            broken = str(error)
        greenlets.append(greenlet)
        if broken and len(problems) < MAX_PROBLEMS:
            problems.append(SoftError("greenlets", f"{instance.address:#x}", broken))
    return Greenlets(tuple(greenlets), (*instances.problems, *problems))


def _top_frame(reader: Reader, instances: Instances, address: int) -> int:
    """Return the frame object of a suspended greenlet; 0 when it has none."""
    root = instances.types.lineage(reader.type_of(address)).root
    dict_at = reader.i64(root.address + reader.layout.require("PyTypeObject", "tp_dictoffset"))
    if dict_at <= 0 or root.basicsize != dict_at + 2 * WORD:
        why = f"a greenlet of {root.basicsize} bytes with its dict at {dict_at}: unknown version"
        raise UnreadableMemory(address, root.basicsize, why)
    implementation = reader.u64(address + dict_at + WORD)
    if reader.u64(implementation + _SELF_AT) != address:
        raise UnreadableMemory(implementation, 16, "no implementation of this greenlet")
    for at in range(_SELF_AT + WORD, _SEARCHED, WORD):
        word = reader.u64(implementation + at)
        if instances.ident(word) == "frame":
            return word
    return 0


def _interpreter_frame(reader: Reader, frame: int) -> int:
    """Return what the frame reader reads: since 3.11 the frame object only points at it."""
    at = reader.layout.offset("PyFrameObject", "f_frame")
    return reader.u64(frame + at) if frame and at is not None else frame
