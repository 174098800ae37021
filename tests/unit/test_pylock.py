# SPDX-License-Identifier: Apache-2.0
"""Python's lock objects by generated layouts: where waiters sleep, owners, freed ones."""

from __future__ import annotations

import pytest
from support.scenes import HEAP, crash, state

from gdb_epi.cpython.layout.layout import Layout, available_tables, load_layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.locks.python.lock_objects import LOCK, RLOCK, SEMAPHORE_SIZE, LockObject, LockObjects

OBJECT, TYPE, NAME, SEMAPHORE = HEAP + 0x1000, HEAP + 0x100, HEAP + 0x800, HEAP + 0x2000
OWNER = 0x7F00_1234_5000
GIL_TABLES = [version for version, flavour in available_tables() if flavour == ""]


def layout_of(version: tuple[int, int], flavour: bool = False) -> Layout:
    layout = load_layout(version, flavour)
    assert layout is not None
    return layout


def read(
    layout: Layout, name: str, size: int, words: dict[int, int], *, count: int = 1
) -> LockObject | None:
    """Read an object of a type of this name and size; `words` are offsets and their contents."""
    at = layout.require
    made = state(crash(6, 0, sender=5))
    target = made.target
    memory = {
        TYPE + at("PyTypeObject", "tp_name"): NAME,
        TYPE + at("PyTypeObject", "tp_basicsize"): size,
        **{OBJECT + offset: word for offset, word in words.items()},
        OBJECT + at("PyObject", "ob_type"): TYPE,
    }
    for address, word in memory.items():
        target.write(address, word.to_bytes(8, "little"))  # type: ignore[attr-defined]
    refcount = layout.find_field("PyObject", "ob_refcnt")
    if refcount is not None:
        raw = (count & (1 << 8 * refcount.size) - 1).to_bytes(refcount.size, "little")
        target.write(OBJECT + refcount.offset, raw)  # type: ignore[attr-defined]
    target.write(NAME, name.encode() + b"\0")  # type: ignore[attr-defined]
    return LockObjects(MemoryReader(target, layout)).lock_at(OBJECT)


@pytest.mark.parametrize("version", [v for v in GIL_TABLES if v < (3, 14)])
def test_a_lock_with_a_semaphore(version: tuple[int, int]) -> None:
    layout = layout_of(version)
    size = layout.size("lockobject")
    words = {
        layout.require("lockobject", "lock_lock"): SEMAPHORE,
        layout.require("lockobject", "locked"): 1,
    }
    lock = read(layout, "_thread.lock", size or 0, words)
    assert lock is not None
    assert (lock.kind, lock.start, lock.locked, lock.owner) == (LOCK, SEMAPHORE, True, None)
    assert lock.end == SEMAPHORE + SEMAPHORE_SIZE


def test_the_size_of_the_type_says_which_lock_of_3_13_it_is() -> None:
    """3.13.0 has a semaphore (40 bytes), 3.13.5 a PyMutex inside of the object (24 bytes)."""
    lock = read(layout_of((3, 13)), "_thread.lock", 24, {16: 1})
    assert lock is not None
    assert (lock.start, lock.end, lock.locked) == (OBJECT, OBJECT + 24, True)


@pytest.mark.parametrize("version", GIL_TABLES)
def test_the_owner_of_an_rlock(version: tuple[int, int]) -> None:
    layout = layout_of(version)
    owner = layout.require("rlockobject", "rlock_owner", "lock.thread")
    pointer = layout.offset("rlockobject", "rlock_lock")
    words = {owner: OWNER, **({pointer: SEMAPHORE} if pointer is not None else {})}
    lock = read(layout, "_thread.RLock", layout.size("rlockobject") or 0, words)
    assert lock is not None
    assert (lock.kind, lock.owner) == (RLOCK, OWNER)
    assert lock.start == (SEMAPHORE if pointer is not None else OBJECT)


@pytest.mark.parametrize("count", [0, HEAP])
def test_a_freed_lock_is_none(count: int) -> None:
    """A free list keeps its link where the reference count was, and the semaphore's address."""
    layout = layout_of((3, 11))
    size = layout.size("lockobject") or 0
    words = {layout.require("lockobject", "lock_lock"): SEMAPHORE}
    assert read(layout, "_thread.lock", size, words, count=count) is None
    assert read(layout, "_thread.lock", size, words) is not None


def test_other_types_and_absurd_sizes() -> None:
    layout = layout_of((3, 14))
    assert read(layout, "lock", 24, {16: 1}) is None
    lock = read(layout, "_thread.lock", 1 << 40, {16: 1})
    assert lock is not None
    assert lock.end - lock.start == layout.size("lockobject")
