# SPDX-License-Identifier: Apache-2.0
"""What CPython calls of a program's functions by itself: no code that runs names them.

`gc.callbacks` at each collection, whichever thread it is in (Modules/gcmodule.c), what is called of
an error that met nobody (threading.excepthook, sys.unraisablehook), callbacks of weak references
when their object goes, audit hooks (PEP 578), and functions that follow each line or call of a
thread (sys.settrace, sys.setprofile, sys.monitoring): these may raise an error in it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.locks.python.python_view import PythonView

MAX_HOOKS = 64
CALLABLES = 6 * 17  # of sys.monitoring: of a program's tools, by events (Include/cpython, 3.12)
_OF_MODULES = (("threading", "excepthook"), ("sys", "unraisablehook"))
_WEAK = ("weakref", "weakref.ReferenceType")  # renamed in 3.11


def find_python_hooks(view: PythonView) -> Iterator[int]:
    """Yield the callables (PyObject *) of Python that CPython calls, but for those of threads."""
    reader, containers = view.reader, ContainerReader(view.reader)
    interpreter = view.python.interpreters[0].address
    for name, hook in _OF_MODULES:
        yield _read_module_global(view, name, hook)
    with suppress(EpiError):
        callbacks = _read_module_global(view, "gc", "callbacks")
        yield from containers.list_items(callbacks)[:MAX_HOOKS] if callbacks else ()
    with suppress(UnreadableMemory, LayoutError):
        audited = reader.field(interpreter, "PyInterpreterState", "audit_hooks")
        yield from containers.list_items(audited)[:MAX_HOOKS] if audited else ()
    at = reader.layout.offset("PyWeakReference", "wr_callback")
    weak = shared_instances(view.target, view.python).instances_of(_WEAK) if at is not None else ()
    yield from dict.fromkeys(reader.words([each.address + (at or 0) for each in weak]))


def find_tracing_functions(view: PythonView, tid: int) -> Iterator[int]:
    """Yield the callables (PyObject *) that follow what a thread does."""
    reader = view.reader
    for thread in view.python.threads():
        for name in ("c_traceobj", "c_profileobj") if thread.tid == tid else ():
            with suppress(UnreadableMemory, LayoutError):
                yield reader.field(thread.address, "PyThreadState", name)
    at = reader.layout.offset("PyInterpreterState", "monitoring_callables")  # 3.12
    if at is not None:
        with suppress(UnreadableMemory):
            yield from reader.consecutive_words(view.python.interpreters[0].address + at, CALLABLES)


def _read_module_global(view: PythonView, module: str, name: str) -> int:
    contents = view.objects.module_dict(view.python.interpreters[0].address, module)
    value = Absent("", "") if isinstance(contents, Absent) else (
        view.objects.dict_get(contents, name)
    )  # fmt: skip
    return 0 if isinstance(value, Absent) else value
