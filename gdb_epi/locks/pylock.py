# SPDX-License-Identifier: Apache-2.0
"""From a semaphore's address to the Python lock object that owns it, and to its name.

Up to 3.13 `threading.Lock` and RLock keep a pointer to their sem_t at object + 16
(Modules/_threadmodule.c, lockobject and rlockobject); an RLock has its owner's ident behind it.
"""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import TYPE_CHECKING, NamedTuple
from gdb_epi.locks.holders import Holders, find_holders
from gdb_epi.locks.naming import module_attribute
from gdb_epi.search import find_word
from gdb_epi.target.api import Target

if TYPE_CHECKING:
    from gdb_epi.cpython.reader import Reader

SEMAPHORE_AT = 16  # lockobject.lock_lock, rlockobject.rlock_lock
RLOCK_OWNER_AT = 24  # rlockobject.rlock_owner
MAX_REFCOUNT = 1 << 32
MAX_CANDIDATES = 16
KINDS = {
    "_thread.lock": "threading.Lock", "_thread.RLock": "threading.RLock",
    "lock": "threading.Lock", "RLock": "threading.RLock",
}  # fmt: skip


class LockObject(NamedTuple):
    """A Python lock; `name` is module.attribute or None, `owner` an ident (RLock only)."""

    address: int
    kind: str
    name: str | None
    owner: int | None
    holders: Holders
    evidence: tuple[str, ...]


def find_lock_object(
    target: Target, python: PythonState | Absent, semaphore: int, waiter: int
) -> LockObject | Absent:
    """Return the Python lock object around a sem_t that thread `waiter` waits for.

    Absent without CPython, or when no object with a lock's type points at it.
    """
    if isinstance(python, Absent):
        return Absent(NOT_APPLICABLE, "no Python lock: the process's CPython was not decoded")
    from gdb_epi.cpython.reader import Reader

    hits = find_word(target, semaphore, limit=MAX_CANDIDATES)
    try:
        reader = Reader(target, python.layout)
        for hit in hits.addresses:
            found = _lock_at(reader, python, hit - SEMAPHORE_AT, waiter)
            if found is not None:
                return found
    except LayoutError as error:
        return Absent(NOT_AVAILABLE, f"no lock object: {error}")
    where = "" if hits.complete else ", and the search was cut"
    return Absent(
        NOT_AVAILABLE,
        f"{len(hits.addresses)} words point at the semaphore, none of them in a lock object{where}",
    )


def _lock_at(reader: Reader, python: PythonState, address: int, waiter: int) -> LockObject | None:
    try:
        refcount = reader.u64(address)
        type_name = reader.type_name(reader.type_of(address))
    except UnreadableMemory:
        return None
    # A freed lock keeps the semaphore's address: its refcount gives it away.
    if isinstance(type_name, Absent) or type_name not in KINDS or not 0 < refcount < MAX_REFCOUNT:
        return None
    kind, owner = KINDS[type_name], None
    if kind == "threading.RLock":
        try:
            owner = reader.u64(address + RLOCK_OWNER_AT) or None
        except UnreadableMemory:
            owner = None
    modules = [f.module for t in python.threads() for f in t.frames if f.module]
    name = module_attribute(reader, python, address, modules)
    said = f"the semaphore belongs to the {type_name} object at {address:#018x}"
    named = (f"{name} refers to it",) if name is not None else ()
    holders = find_holders(reader, python, address, waiter)
    return LockObject(address, kind, name, owner, holders, (said, *named))
