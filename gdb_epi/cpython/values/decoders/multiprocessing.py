# SPDX-License-Identifier: Apache-2.0
"""Other processes: multiprocessing and subprocess.

A POSIX semaphore has its value in its low 31 bits (glibc 2.21 and later: nptl/internaltypes.h,
struct new_sem; musl the same). Shared memory of `multiprocessing` has no name left, so that the
kernel dumps it as it does anonymous memory.
"""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr

_MAX_VALUE = 0x7FFFFFFF


@decodes_repr(("multiprocessing.sharedctypes", "SynchronizedBase.__repr__"))
def synchronized(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what SynchronizedBase.__repr__ does; str() of what it holds must be its repr()."""
    held = decoder.attribute(obj.address, "_obj")
    if decoder.ident(held) != "_ctypes._SimpleCData":
        decoder.mark_inexact()
    return f"<{decoder.class_name(obj)} wrapper for {decoder.repr_of(held)}>"


def _semlock_of_object(decoder: ReprDecoder, obj: Obj) -> int:
    held = decoder.attribute(obj.address, "_semlock")
    if not decoder.ident(held).endswith("SemLock"):
        raise Undecodable("its _semlock is none")
    return held


def _semaphore_value(decoder: ReprDecoder, semlock: int) -> int:
    """Return the value of a semaphore. Raises UnreadableMemory when it was not dumped."""
    return decoder.reader.u32(decoder.field(semlock, "SemLockObject", "handle")) & _MAX_VALUE


@decodes_repr(("multiprocessing.synchronize", "Semaphore.__repr__"))
def semaphore(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Semaphore.__repr__ does."""
    value = _semaphore_value(decoder, _semlock_of_object(decoder, obj))
    return f"<{decoder.class_name(obj)}(value={value})>"


@decodes_repr(("multiprocessing.synchronize", "BoundedSemaphore.__repr__"))
def bounded_semaphore(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what BoundedSemaphore.__repr__ does."""
    semlock = _semlock_of_object(decoder, obj)
    most = decoder.reader.u32(semlock + decoder.offset("SemLockObject", "maxvalue"))
    return (
        f"<{decoder.class_name(obj)}(value={_semaphore_value(decoder, semlock)}, maxvalue={most})>"
    )


@decodes_repr(("multiprocessing.synchronize", "Event.__repr__"))
def event(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Event.__repr__ does (3.12+): set when its semaphore can be taken."""
    flag = decoder.obj(decoder.attribute(obj.address, "_flag"))
    status = "set" if _semaphore_value(decoder, _semlock_of_object(decoder, flag)) else "unset"
    return f"<{obj.type.qualname} at {obj.address:#x} {status}>"


@decodes_repr(("multiprocessing.synchronize", "Lock.__repr__"))
def lock(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Lock.__repr__ does, asked by the thread whose frame holds the lock.

    Held by another thread of this process, it is shown with that thread: repr() names neither.
    """
    semlock = _semlock_of_object(decoder, obj)
    name = decoder.class_name(obj)
    if decoder.reader.u32(semlock + decoder.offset("SemLockObject", "count")):
        owner = decoder.field(semlock, "SemLockObject", "last_tid")
        asker = decoder.thread_calling_repr()
        if asker is None or asker.ident != owner:
            decoder.mark_inexact()
            return f"<{name}(owner=thread {owner:#x} of this process)>"
        decoder.note_left_out("held by", f"thread {owner:#x} of this process")
        thread = "" if asker.name == "MainThread" else f"|{asker.name}"
        current = decoder.module_global("multiprocessing.process", "_current_process")
        return f"<{name}(owner={decoder.string(decoder.attribute(current, '_name'))}{thread})>"
    owner_text = "None" if _semaphore_value(decoder, semlock) == 1 else "SomeOtherProcess"
    return f"<{name}(owner={owner_text})>"


@decodes_repr(("multiprocessing.process", "BaseProcess.__repr__"))
def process(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what BaseProcess.__repr__ does for a process that was not started; else marked."""
    status = "initial"
    if not decoder.is_none(decoder.attribute(obj.address, "_popen")):
        decoder.mark_inexact()  # the kernel knew whether it runs
        status = "started"
    info = [
        decoder.class_name(obj),
        f"name={decoder.string(decoder.attribute(obj.address, '_name'))!r}",
    ]
    info.append(f"parent={decoder.attribute_text(obj.address, '_parent_pid')}")
    return f"<{' '.join([*info, status])}>"


@decodes_repr(("subprocess", "Popen.__repr__"))
def popen(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Popen.__repr__ does (3.9+); a long one is shortened to 80 characters."""
    code, args = (
        decoder.attribute_text(obj.address, "returncode"),
        decoder.attribute(obj.address, "args"),
    )
    shown = decoder.repr_of(args)
    text = f"<{decoder.class_name(obj)}: returncode: {code} args: {shown}>"
    return text[:76] + "...>" if len(text) > 80 else text
