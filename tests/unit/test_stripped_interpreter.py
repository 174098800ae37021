# SPDX-License-Identifier: Apache-2.0
"""What detectors find on stacks of an interpreter that names what it exports and nothing else."""

from __future__ import annotations

import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.scenes import HEAP, PC, PID, SP, crash, state

from gdb_epi.detectors.runtimes import (
    debug_block,
    misused_python,
    python_fatal_error,
)
from gdb_epi.fault.own_native_code import own_library_names_of_frames
from gdb_epi.target.api import NativeFrame

LOAD = bytes.fromhex("488b07")
PYTHON, LIBRARY, LIBC = "/usr/bin/python3.13", "/srv/app/uplink.so", "/lib/libc.so.6"


def frame(function: str | None, module: str = PYTHON, sp: int = SP) -> NativeFrame:
    return NativeFrame(PC, sp, function, module)


def inlined(function: str) -> NativeFrame:
    return frame(function)._replace(kind="inline")


@pytest.mark.parametrize(
    ("frames", "function"),
    [
        ([frame(None), frame("PyErr_SetString"), frame("push", LIBRARY)], "PyErr_SetString"),
        ([frame(None, LIBC), frame(None), frame("PyList_New"), frame(None, LIBRARY)], "PyList_New"),
        ([frame("PyList_New"), frame(None)], "PyList_New"),
        # What the caller called, and not the accessor that was inlined in it.
        (
            [
                inlined("_Py_atomic_load_uintptr_relaxed"),
                frame("PyErr_CheckSignals"),
                frame("PyObject_Str"),
                frame("total", LIBRARY),
            ],
            "PyObject_Str",
        ),
        (
            [
                inlined("_PyObject_GC_UNTRACK"),
                frame("PyObject_GC_UnTrack"),
                frame("dict_dealloc"),
                frame("_PyEval_EvalFrameDefault"),
                frame("PyObject_CallFunction"),
                frame("work", LIBRARY),
            ],
            "PyObject_CallFunction",
        ),
        # That calls what the caller likes, which may have given the GIL back itself.
        ([frame(None), frame("PyObject_CallNoArgs"), frame("push", LIBRARY)], None),
        ([frame(None), frame("PyErr_SetString"), frame(None), frame("push", LIBRARY)], None),
        ([frame(None), frame("PyEval_RestoreThread"), frame("push", LIBRARY)], None),
        ([frame(None), frame(None, LIBRARY), frame("PyList_New")], None),
        # Static functions, and what reads the thread state, in an interpreter with names.
        (
            [
                frame("_PyInterpreterState_GET"),
                frame("get_list_state"),
                frame("PyList_New"),
                frame("read_all", LIBRARY),
            ],
            "PyList_New",
        ),
        # The thread had no state when it was read: whatever ran in between.
        (
            [
                inlined("_PyInterpreterState_GET"),
                frame("get_type_cache"),
                frame("_PyType_Lookup"),
                frame("PyObject_Dir"),
                frame(None, "/lib/libffi.so.8"),
            ],
            "PyObject_Dir",
        ),
        (
            [
                inlined("_PyInterpreterState_GET"),
                frame("_PyType_Lookup"),
                frame("_PyEval_EvalFrameDefault"),
                frame("main", LIBRARY),
            ],
            None,
        ),
        # What is inlined is part of a function; a static one may have given the GIL back.
        (
            [inlined("get_state"), frame("_PyObject_Malloc"), frame("PyLong_FromLong")],
            "_PyObject_Malloc",
        ),
        ([frame("get_state"), frame("_PyObject_Malloc"), frame("PyLong_FromLong")], None),
        ([frame("os_read_impl"), frame("_PyEval_EvalFrameDefault")], None),
        # The frame of a call is pushed on the stack of the thread's state, which is not there.
        (
            [
                frame("_PyThreadState_HasStackSpace"),
                frame("_PyEval_Vector"),
                frame("_PyObject_VectorcallTstate"),
                frame("replay", LIBRARY),
            ],
            "_PyObject_VectorcallTstate",
        ),
        ([frame("take_gil"), frame("PyEval_RestoreThread"), frame("push", LIBRARY)], None),
        ([frame(None), frame("PyList_New")], None),
        ([frame(None)], None),
    ],
)
def test_the_function_that_was_entered_without_the_gil(
    frames: list[NativeFrame], function: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(misused_python, "_lacks_gil", lambda *_: True)
    monkeypatch.setattr(misused_python, "PythonState", SimpleNamespace)
    python = SimpleNamespace(finalizing=False, gil_holder=None)
    made = state(crash(address=16), native=frames, python=python, code=LOAD)
    functions = [finding.facts["function"] for finding in misused_python.without_gil(made)]
    assert functions == ([function] if function else [])


def test_ctypes_is_told_to_keep_the_gil(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(misused_python, "_lacks_gil", lambda *_: True)
    monkeypatch.setattr(misused_python, "PythonState", SimpleNamespace)
    python = SimpleNamespace(finalizing=False, gil_holder=None)
    frames = [frame("PyObject_Repr"), frame(None, "/lib/libffi.so.8"), frame(None)]
    made = state(crash(address=16), native=frames, python=python, code=LOAD)
    (finding,) = misused_python.without_gil(made)
    assert "ctypes.CDLL gives it back" in finding.summary


SIGNAL = NativeFrame(PC, SP, None, None, kind="signal")


@pytest.mark.parametrize(
    ("inner", "handler", "interrupted", "found"),
    [
        (PYTHON, LIBRARY, PYTHON, True),
        (PYTHON, "/lib/libffi.so.8", LIBC, True),
        (PYTHON, PYTHON, PYTHON, False),  # Python's own handler
        (LIBC, LIBRARY, PYTHON, False),  # it called no Python
        (PYTHON, LIBRARY, "/srv/app/other.so", False),
    ],
)
def test_python_that_a_handler_of_a_signal_ran(
    inner: str, handler: str, interrupted: str, found: bool
) -> None:
    frames = [frame("f", inner), frame("g", handler), SIGNAL, frame("h", interrupted)]
    made = state(crash(address=16), native=frames, code=LOAD)
    assert bool(list(misused_python.python_in_handler(made))) is found
    assert not list(misused_python.python_in_handler(state(crash(address=16), code=LOAD)))


def damaged(reason: str, names: tuple[str | None, ...], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the findings at a block whose address lies on the stack of its check."""
    constants: dict[str, int] = {"rsi": 1}
    monkeypatch.setattr(python_fatal_error, "constant_arguments", lambda *_: constants)
    monkeypatch.setattr(python_fatal_error, "constant_text", lambda *_: reason)
    frames = [frame("raise", LIBC), frame("abort", LIBC)]
    frames += [frame(name, sp=SP + 64 * number) for number, name in enumerate(names, 1)]
    block = HEAP + 0x100
    made = state(crash(6, -6, sender=PID), native=frames, words={SP + 64 * 4 - 8: block})
    head = struct.pack(">Q", 40) + b"r" + b"\xfd" * 7
    made.target.write(block - 16, head)  # type: ignore[attr-defined]
    made.target.write(block + 40, b"A" * 8)  # type: ignore[attr-defined]
    return list(debug_block.debug_block(made))


GAVE_UP = (None, "_Py_FatalErrorFunc", None, "_PyEval_EvalFrameDefault")


def test_a_block_whose_check_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = damaged("bad trailing pad byte", GAVE_UP, monkeypatch)
    assert (finding.facts["size"], finding.facts["side"]) == (40, "behind")


def test_another_fatal_error_is_no_check(monkeypatch: pytest.MonkeyPatch) -> None:
    assert damaged("out of memory", GAVE_UP, monkeypatch) == []
    assert damaged("bad trailing pad byte", (None, None, None, None), monkeypatch) == []


def test_libraries_of_the_standard_library_are_not_the_program_s_own() -> None:
    names = ("libexpat.so.1.13.0", "libmpdec.so.3", "libgdbm.so.6", "libcrypt.so.1", "uplink.so")
    frames = [frame(None, str(Path("/usr/lib/x86_64-linux-gnu") / name)) for name in names]
    assert own_library_names_of_frames(frames) == ["uplink.so"]
