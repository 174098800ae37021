# SPDX-License-Identifier: Apache-2.0
"""Python's own lock objects: who owns them, and on which word their waiters sleep.

`threading.Lock` held a pointer to a sem_t up to 3.12 and in 3.13.0; later 3.13 and 3.14+ have a
PyMutex byte in the object (gh-125859). The size of the type tells which one the process had.
"""

from __future__ import annotations

from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

MAX_REFCOUNT = 1 << 32  # a freed object has a free-list pointer there
MAX_SIZE = 1 << 20  # of one lock object
SEMAPHORE_SIZE = 32  # sizeof(sem_t) in 64-bit glibc; the next one may lie 48 bytes further on

LOCK, RLOCK = "threading.Lock", "threading.RLock"
SIMPLE_QUEUE, BUFFERED = "queue.SimpleQueue", "buffered I/O lock"
SEMLOCK, HANDLE = "multiprocessing SemLock", "Thread.join"

_STRUCTS = {
    "_thread.lock": ("lockobject", LOCK),
    "_thread.RLock": ("rlockobject", RLOCK),
    "_queue.SimpleQueue": ("simplequeueobject", SIMPLE_QUEUE),
    "_io.BufferedReader": ("buffered", BUFFERED),
    "_io.BufferedWriter": ("buffered", BUFFERED),
    "_io.BufferedRandom": ("buffered", BUFFERED),
    "_multiprocessing.SemLock": ("SemLockObject", SEMLOCK),
    "_thread._ThreadHandle": ("PyThreadHandleObject", HANDLE),
}
# The member that points to what waiters sleep on, newest first; a lock inside the object has none.
_POINTERS = {
    "lockobject": ("lock_lock",),
    "rlockobject": ("rlock_lock",),
    "simplequeueobject": ("lock",),
    "buffered": ("lock",),
    "SemLockObject": ("handle",),
    "PyThreadHandleObject": ("handle",),
}
_POINTED = {"PyThreadHandleObject": "ThreadHandle"}  # else a sem_t


class LockObject(NamedTuple):
    """A lock object. Waiters sleep on a word in [start, end).

    `owner` is a pthread_t, 0 when nobody owns it, None when this kind stores no owner. `locked` is
    None where this kind of lock does not say.
    """

    address: int
    kind: str
    type_name: str
    start: int
    end: int
    owner: int | None
    locked: bool | None
    taken: int | None  # how often the owner has acquired it (RLock)


class LockObjects:
    """Recognise and read lock objects of one process."""

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self._kinds: dict[int, str] = {}

    def type_name(self, address: int | None) -> str:
        """Return tp_name of an object's type; "" where no object is, or it cannot be read."""
        if not address or address & 7:
            return ""
        try:
            kind = self._reader.type_of(address)
        except UnreadableMemory:
            return ""
        if kind not in self._kinds:
            name = self._reader.type_name(kind)
            self._kinds[kind] = "" if isinstance(name, Absent) else name
        return self._kinds[kind]

    def is_lock(self, address: int) -> bool:
        """Tell whether the type of an object is one of the lock types."""
        return self.type_name(address) in _STRUCTS

    def lock_at(self, address: int) -> LockObject | None:
        """Return the lock object at an address; None for any other, freed or unreadable object."""
        name = self.type_name(address)
        if name not in _STRUCTS:
            return None
        try:
            return (
                self._read_lock_object(address, name) if self._is_living_object(address) else None
            )
        except UnreadableMemory:
            return None

    def _is_living_object(self, address: int) -> bool:
        """A freed lock still has its semaphore's address, but no plausible reference count."""
        field = self._reader.layout.find_field("PyObject", "ob_refcnt")
        if field is None:  # free-threaded: two counts, one of which may be 0
            return True
        raw = self._reader.read(address + field.offset, field.size)
        return 0 < int.from_bytes(raw, "little") < MAX_REFCOUNT

    def _read_lock_object(self, address: int, name: str) -> LockObject | None:
        reader = self._reader
        struct, kind = _STRUCTS[name]
        size = reader.field(reader.type_of(address), "PyTypeObject", "tp_basicsize")
        layout = reader.layout.with_struct_size(struct, size) or reader.layout
        end = address + (size if 0 < size < MAX_SIZE else layout.size(struct) or 0)
        start = address
        for member in _POINTERS[struct]:
            at = layout.offset(struct, member)
            field = layout.find_field(struct, member)
            if at is not None and field is not None and field.size == 8:
                start = reader.u64(address + at)
                end = start + (layout.size(_POINTED.get(struct, "")) or SEMAPHORE_SIZE)
        if struct == "buffered" and start == address:
            return None
        owner, count = self._owner_of_lock(address, struct, layout)
        return LockObject(
            address=address,
            kind=kind,
            type_name=name,
            start=start,
            end=end,
            owner=owner,
            locked=self._is_locked(address, struct, layout),
            taken=count,
        )

    def _owner_of_lock(
        self, address: int, struct: str, layout: Layout
    ) -> tuple[int | None, int | None]:
        offset = layout.offset
        if struct == "PyThreadHandleObject":
            handle = self._reader.field(address, struct, "handle")
            return self._reader.field(handle, "ThreadHandle", "ident"), None
        if struct not in ("rlockobject", "buffered"):
            return None, None
        # 3.14 (gh-125859): RLock is a _PyRecursiveMutex whose thread is a pthread_t too.
        at = offset(struct, "rlock_owner", "lock.thread", "owner")
        count_at = offset(struct, "rlock_count")
        owner = self._reader.u64(address + at) if at is not None else None
        count = self._reader.u64(address + count_at) if count_at is not None else None
        return owner, count

    def _is_locked(self, address: int, struct: str, layout: Layout) -> bool | None:
        offset = layout.offset
        if struct == "lockobject":
            at = offset(struct, "locked", "lock")
        elif struct == "rlockobject":
            at = offset(struct, "rlock_count", "lock.mutex")
        else:
            return None
        return None if at is None else bool(self._reader.u8(address + at) & 1)
