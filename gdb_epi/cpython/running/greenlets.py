# SPDX-License-Identifier: Apache-2.0
"""Greenlets: the state of each, and the stacks of those that are suspended.

How the places were derived: `PyGreenlet` is public (greenlet.h, 2.0 to 3.x): weakreflist, dict, and
a pointer to the implementation, which ends the struct; so the pointer follows tp_dictoffset.
Classes of C that begin with it (gevent's) have it at the same place. The implementation is private
and differs between versions and interpreters. One of its words is the greenlet itself, which proves
the pointer; and one is a frame object while the greenlet is suspended (`_top_frame`), none
otherwise. The frame is found by its type, by no offset; seen in the debug
information of greenlet 3.1 and 3.5, and tried with both. Up to 1.x these words are in the object.

Where the C stack begins and ends (`_stack_start`, `stack_stop`) are two words one after the other.
The greenlet of a thread's own stack ends at -1, which gives the place; the others have no end
before they start, and no start after they ended (greenlet.hpp: active(), started()).
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.frames.coroutines import CoroutineReader
from gdb_epi.cpython.heap.instances import InstancesByClass, shared_instances
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.errors import SoftError, UnreadableMemory
from gdb_epi.sizes import WORD, WORD_MASK, split_into_words
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

GREENLET = "greenlet.greenlet"
MAX_GREENLETS = 100_000
MAX_PROBLEMS = 50
_SEARCHED = 192  # bytes; the whole implementation has 176 in greenlet 3.5 for 3.12

SUSPENDED, RUNNING = "suspended", "running"
ENDED, NOT_STARTED = "ended", "not started"
_NO_END = WORD_MASK  # stack_stop of the greenlet that a thread begins with
_OWN_WORDS = 16  # of a greenlet of 1.x, after its head: enough for stack_stop


class Greenlet(NamedTuple):
    """One greenlet. `stack` is innermost first, empty unless it is suspended.

    `state` is SUSPENDED, RUNNING, ENDED or NOT_STARTED; "" when it is unknown. `main` is the
    one that a thread begins with.
    """

    address: int
    shown: str  # its class
    state: str
    stack: tuple[PyFrame, ...]
    main: bool = False


class Greenlets(NamedTuple):
    """All greenlets that were found, and what could not be had."""

    greenlets: tuple[Greenlet, ...]
    soft_errors: tuple[SoftError, ...]


def read_greenlets(target: Target, python: PythonState) -> Greenlets:
    """Return the greenlets of a process. Never raises for damage."""
    instances = shared_instances(target, python)
    reader = instances.reader
    coroutines = CoroutineReader(reader, instances.objects, instances.types)
    problems: list[SoftError] = []
    seen: list[tuple[Greenlet, tuple[int, ...]]] = []
    for instance in instances.instances_of((GREENLET,))[:MAX_GREENLETS]:
        greenlet = Greenlet(instance.address, instance.shown, "", ())
        words: tuple[int, ...] = ()
        try:
            words = _state_words(reader, instances, instance.address)
            frames = [word for word in words if instances.ident(word) == "frame"]
            frame = _frame_of_frame_object(reader, frames[0]) if frames else 0
            stack, broken = coroutines.frame_with_callers(frame)
            greenlet = greenlet._replace(state=SUSPENDED if frame else "", stack=stack)
        except UnreadableMemory as error:
            broken = str(error)
        seen.append((greenlet, words))
        if broken and len(problems) < MAX_PROBLEMS:
            problems.append(SoftError("greenlets", f"{instance.address:#x}", broken))
    at = _index_of_stack_stop([words for _, words in seen])
    greenlets = tuple(_with_state_from_words(greenlet, words, at) for greenlet, words in seen)
    return Greenlets(greenlets, (*instances.problems, *problems))


def _state_words(
    reader: MemoryReader, instances: InstancesByClass, address: int
) -> tuple[int, ...]:
    """Return the words that hold the state of a greenlet. Raises UnreadableMemory."""
    types = instances.types.lineage(reader.type_of(address)).types
    root = next((info for info in types if info.qualified_name == GREENLET), types[-1])
    dict_at = reader.signed_field(root.address, "PyTypeObject", "tp_dictoffset")
    head = reader.layout.require("PyMethodObject", "im_func")
    if dict_at == head + WORD and root.basicsize == dict_at + 2 * WORD:
        start, size = reader.u64(address + dict_at + WORD) + WORD, _SEARCHED - WORD
    elif dict_at > head + 4 * WORD and root.basicsize <= head + 2 * _OWN_WORDS * WORD:
        start, size = address + head, root.basicsize - head
    else:
        why = f"a greenlet of {root.basicsize} bytes with its dict at {dict_at}: unknown version"
        raise UnreadableMemory(address, root.basicsize, why)
    words = tuple(split_into_words(reader.read(start, size)))
    if start != address + head and address not in words:
        raise UnreadableMemory(start, size, "no implementation of this greenlet")
    return words


def _index_of_stack_stop(all_words: Sequence[tuple[int, ...]]) -> int | None:
    """Return which of the words is stack_stop, by the greenlets that have -1 there.

    The words may go on after the end of the implementation; so the word before it must be a start
    below that end in every greenlet.
    """
    places = {
        place
        for words in all_words
        for place, word in enumerate(words)
        if word == _NO_END and place and words[place - 1]
    }
    fitting = [at for at in sorted(places) if all(_is_stack_stop(words, at) for words in all_words)]
    return fitting[0] if fitting else None


def _is_stack_stop(words: tuple[int, ...], at: int) -> bool:
    if at >= len(words):
        return not words  # one that could not be read says nothing
    start, end = words[at - 1], words[at]
    return start < end if start else end < 1 << 47


def _with_state_from_words(greenlet: Greenlet, words: tuple[int, ...], at: int | None) -> Greenlet:
    if at is None or not 0 < at < len(words):
        return greenlet
    start, end = words[at - 1], words[at]
    greenlet = greenlet._replace(main=end == _NO_END)
    if greenlet.state == SUSPENDED:
        return greenlet
    return greenlet._replace(state=NOT_STARTED if not end else RUNNING if start else ENDED)


def _frame_of_frame_object(reader: MemoryReader, frame: int) -> int:
    """Return what the frame reader reads: since 3.11 the frame object only points at it."""
    at = reader.layout.offset("PyFrameObject", "f_frame")
    return reader.u64(frame + at) if frame and at is not None else frame
