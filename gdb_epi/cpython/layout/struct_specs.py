# SPDX-License-Identifier: Apache-2.0
"""Which structs, members and constants a layout table holds, and how C spells them.

There are no numbers here: offsets and sizes come from debug information (gdbhost/debug_info.py). A
struct that a version lacks is simply absent from its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi.target.api import StructType
from gdb_epi.typing_lite import Any, NamedTuple

# Members deeper than this are not recorded.
MAX_DEPTH = 4

# Members that only wrap: their own name is left out of a path ("ob_base.ob_type" -> "ob_type").
TRANSPARENT = frozenset({"ob_base", "_base", "long_value"})
# The two huge structs: every member of the first level, and these in depth.
_RUNTIME_DESCEND = (
    "interpreters interpreters.mutex gc ceval ceval.gil ceval.pending ceval.pending_mainthread "
    "ceval.sys_trace_profile_mutex gilstate gilstate.tstate_current gilstate.autoTSSkey "
    "autoTSSkey _finalizing _finalizing_id unicode_ids unicode_state unicode_state.ids "
    "xidregistry xi xi.registry imports imports.extensions threads threads.handles allocators "
    "atexit getargs audit_hooks types stoptheworld stoptheworld_mutex signals signals.wakeup "
    "faulthandler pyhash_state parser"
).split()
_INTERPRETER_DESCEND = (
    "threads threads.mutex ceval ceval.pending _gil gc gc.young gc.old imports imports.lock "
    "codecs warnings warnings.lock _finalizing _finalizing_id atexit stoptheworld qsbr brc "
    "unicode unicode.ids unicode.fs_codec types types.mutex code_state dict_state xi xidregistry "
    "callable_cache mem_free_queue weakref_locks asyncio_tasks_head tlbc_indices fs_codec"
).split()
# Enumerators and macros worth having by name. Macros are seen only where a header stub was
# compiled for them (tests/tools/layout_from_headers.py).
CONSTANTS: tuple[str, ...] = tuple(
    (
        # frames
        "FRAME_OWNED_BY_THREAD FRAME_OWNED_BY_GENERATOR FRAME_OWNED_BY_FRAME_OBJECT "
        "FRAME_OWNED_BY_INTERPRETER FRAME_OWNED_BY_CSTACK FRAME_CREATED FRAME_SUSPENDED "
        "FRAME_SUSPENDED_YIELD_FROM FRAME_SUSPENDED_YIELD_FROM_LOCKED FRAME_EXECUTING "
        "FRAME_RETURNED FRAME_UNWINDING FRAME_RAISED FRAME_COMPLETED FRAME_CLEARED "
        "FRAME_SPECIALS_SIZE Py_TAG_BITS Py_TAG_DEFERRED Py_TAG_REFCNT Py_TAG_INVALID Py_INT_TAG "
        "Py_TAGGED_SHIFT "
        # code objects
        "CO_OPTIMIZED CO_NEWLOCALS CO_VARARGS CO_VARKEYWORDS CO_NESTED CO_GENERATOR CO_COROUTINE "
        "CO_ITERABLE_COROUTINE CO_ASYNC_GENERATOR CO_FAST_ARG_POS CO_FAST_ARG_KW CO_FAST_ARG_VAR "
        "CO_FAST_HIDDEN CO_FAST_LOCAL CO_FAST_CELL CO_FAST_FREE "
        # types
        "Py_TPFLAGS_HEAPTYPE Py_TPFLAGS_HAVE_GC Py_TPFLAGS_READY Py_TPFLAGS_MANAGED_DICT "
        "Py_TPFLAGS_MANAGED_WEAKREF Py_TPFLAGS_PREHEADER Py_TPFLAGS_INLINE_VALUES "
        "Py_TPFLAGS_ITEMS_AT_END Py_TPFLAGS_LONG_SUBCLASS Py_TPFLAGS_LIST_SUBCLASS "
        "Py_TPFLAGS_TUPLE_SUBCLASS Py_TPFLAGS_BYTES_SUBCLASS Py_TPFLAGS_UNICODE_SUBCLASS "
        "Py_TPFLAGS_DICT_SUBCLASS Py_TPFLAGS_BASE_EXC_SUBCLASS Py_TPFLAGS_TYPE_SUBCLASS "
        "MANAGED_DICT_OFFSET MANAGED_WEAKREF_OFFSET "
        # objects
        "PyLong_SHIFT _PyLong_NON_SIZE_BITS _PyLong_SIGN_MASK PyUnicode_WCHAR_KIND "
        "PyUnicode_1BYTE_KIND PyUnicode_2BYTE_KIND PyUnicode_4BYTE_KIND DICT_KEYS_GENERAL "
        "DICT_KEYS_UNICODE DICT_KEYS_SPLIT _Py_IMMORTAL_REFCNT _Py_IMMORTAL_INITIAL_REFCNT "
        "_Py_IMMORTAL_REFCNT_LOCAL _Py_REF_SHARED_SHIFT _PyGC_PREV_SHIFT BLOCKLEN STATE_PENDING "
        "STATE_CANCELLED STATE_FINISHED "
        # locks and threads
        "_Py_UNLOCKED _Py_LOCKED _Py_HAS_PARKED _Py_THREAD_DETACHED _Py_THREAD_ATTACHED "
        "_Py_THREAD_SUSPENDED THREAD_HANDLE_NOT_STARTED THREAD_HANDLE_STARTING "
        "THREAD_HANDLE_RUNNING THREAD_HANDLE_DONE"
    ).split()
)


class StructSpec(NamedTuple):
    """How to find one struct and how far to go into it.

    `spellings` are tried in order. `descend` lists the struct-valued members whose own members
    are recorded too, by dotted path; None means all of them.
    """

    spellings: tuple[str, ...]
    descend: frozenset[str] | None = None


def _spec_with_all_members(*spellings: str) -> StructSpec:
    return StructSpec(spellings)


def _specs_by_name(words: str) -> dict[str, StructSpec]:
    """Return the structs that C spells as the table does."""
    return {name: _spec_with_all_members(name) for name in words.split()}


def _spec_descending_into(spellings: tuple[str, ...], *descend: str) -> StructSpec:
    return StructSpec(spellings, frozenset(descend))


STRUCTS: dict[str, StructSpec] = {
    # runtime, interpreters, threads
    "_PyRuntimeState": _spec_descending_into(
        ("_PyRuntimeState", "struct pyruntimestate"), *_RUNTIME_DESCEND
    ),
    "PyInterpreterState": _spec_descending_into(("struct _is",), *_INTERPRETER_DESCEND),
    "PyThreadState": _spec_with_all_members("struct _ts"),
    "_PyThreadStateImpl": _spec_descending_into(
        ("struct _PyThreadStateImpl", "_PyThreadStateImpl"), "asyncio_tasks_head", "tlbc"
    ),
    "_PyCFrame": _spec_with_all_members(
        "struct _PyCFrame", "_PyCFrame", "CFrame", "struct _cframe"
    ),
    "_PyStackChunk": _spec_with_all_members("struct _stack_chunk"),
    "_PyErr_StackItem": _spec_with_all_members("struct _err_stackitem"),
    # Not into its mutexes and condition variables: their members belong to the C library.
    "_gil_runtime_state": _spec_descending_into(("struct _gil_runtime_state",)),
    "_gc_runtime_state": _spec_with_all_members("struct _gc_runtime_state"),
    "_ceval_runtime_state": _spec_descending_into(
        ("struct _ceval_runtime_state",), "gil", "pending"
    ),
    "_ceval_state": _spec_descending_into(("struct _ceval_state",), "pending"),
    "_pending_calls": _spec_with_all_members("struct _pending_calls"),
    "_import_state": _spec_with_all_members("struct _import_state"),
    "_Py_DebugOffsets": _spec_with_all_members("struct _Py_DebugOffsets"),
    "_Py_AsyncioModuleDebugOffsets": _spec_with_all_members(
        "struct _Py_AsyncioModuleDebugOffsets", "Py_AsyncioModuleDebugOffsets"
    ),
    **_specs_by_name("_PyRemoteDebuggerSupport"),
    "Py_tss_t": _spec_with_all_members("struct _Py_tss_t"),
    "_Py_hashsecret": _spec_with_all_members("_Py_HashSecret_t"),
    "_Py_unicode_ids": _spec_with_all_members("struct _Py_unicode_ids"),
    "llist_node": _spec_with_all_members("struct llist_node"),
    # frames and code
    "_PyInterpreterFrame": _spec_with_all_members(
        "struct _PyInterpreterFrame", "struct _interpreter_frame"
    ),
    "_PyStackRef": _spec_with_all_members("union _PyStackRef", "_PyStackRef"),
    "PyFrameObject": _spec_with_all_members("struct _frame"),
    **_specs_by_name("PyTryBlock"),
    "PyCodeObject": _spec_with_all_members("struct PyCodeObject", "PyCodeObject"),
    **_specs_by_name("_PyCodeArray"),
    "_PyExecutorObject": _spec_descending_into(
        ("struct _PyExecutorObject", "_PyExecutorObject"), "vm_data"
    ),
    "PyTracebackObject": _spec_with_all_members("struct _traceback", "PyTracebackObject"),
    # objects
    "PyObject": _spec_with_all_members("struct _object", "PyObject"),
    **_specs_by_name("PyVarObject"),
    "PyTypeObject": _spec_with_all_members("struct _typeobject"),
    "PyHeapTypeObject": _spec_descending_into(
        ("struct _heaptypeobject", "PyHeapTypeObject"), "_spec_cache"
    ),
    **_specs_by_name("PyGC_Head PyASCIIObject PyCompactUnicodeObject PyUnicodeObject"),
    "PyLongObject": _spec_with_all_members("struct _longobject"),
    **_specs_by_name(
        "PyFloatObject PyComplexObject PyBytesObject PyByteArrayObject PyTupleObject PyListObject "
        "PyDictObject"
    ),
    "PyDictKeysObject": _spec_with_all_members("struct _dictkeysobject"),
    **_specs_by_name("PyDictKeyEntry PyDictUnicodeEntry"),
    "PyDictValues": _spec_with_all_members("struct _dictvalues"),
    **_specs_by_name("PyFrozenDictObject PySetObject setentry"),
    "PyGenObject": _spec_with_all_members("PyGenObject", "struct _PyGenObject"),
    "PyCoroObject": _spec_with_all_members("PyCoroObject", "struct _PyCoroObject"),
    "PyAsyncGenObject": _spec_with_all_members("PyAsyncGenObject", "struct _PyAsyncGenObject"),
    **_specs_by_name(
        "PyCellObject PyFunctionObject PyMethodObject PyModuleObject PyCFunctionObject"
    ),
    "PyMethodDef": _spec_with_all_members("struct PyMethodDef"),
    "PyMemberDef": _spec_with_all_members("struct PyMemberDef"),
    **_specs_by_name("PyMemberDescrObject PyMethodDescrObject"),
    "PyWeakReference": _spec_with_all_members("struct _PyWeakReference"),
    **_specs_by_name("PySliceObject rangeobject PyCapsule mappingproxyobject dequeobject"),
    "rangeiterobject": _spec_with_all_members("rangeiterobject", "_PyRangeIterObject"),
    **_specs_by_name("permutationsobject combinationsobject cwrobject productobject"),
    "dequeblock": _spec_with_all_members("struct BLOCK"),
    **_specs_by_name("defdictobject partialobject"),
    "PyMemoryViewObject": _spec_descending_into(("PyMemoryViewObject",), "view"),
    **_specs_by_name(
        "_PyNamespaceObject localobject PyDateTime_Date PyDateTime_Time PyDateTime_DateTime "
        "PyDateTime_Delta"
    ),
    # exceptions
    **_specs_by_name(
        "PyBaseExceptionObject PyBaseExceptionGroupObject PySyntaxErrorObject PyImportErrorObject "
        "PyUnicodeErrorObject PySystemExitObject PyOSErrorObject PyStopIterationObject "
        "PyNameErrorObject PyAttributeErrorObject"
    ),
    # locks
    **_specs_by_name("lockobject rlockobject ThreadHandle PyThreadHandleObject"),
    "PyMutex": _spec_with_all_members("struct PyMutex", "PyMutex"),
    **_specs_by_name("_PyRecursiveMutex _PyRWMutex _PyOnceFlag PyEvent"),
    "PyCriticalSection": _spec_with_all_members("struct PyCriticalSection", "PyCriticalSection"),
    "PyCriticalSection2": _spec_with_all_members("struct PyCriticalSection2", "PyCriticalSection2"),
    "mutex_entry": _spec_with_all_members("struct mutex_entry"),
    "wait_entry": _spec_with_all_members("struct wait_entry"),
    "_PySemaphore": _spec_descending_into(("struct _PySemaphore", "_PySemaphore")),
    **_specs_by_name("buffered textio fileio SemLockObject simplequeueobject"),
    # asyncio and contextvars
    **_specs_by_name("FutureObj TaskObj PyRunningLoopHolder"),
    "PyContext": _spec_with_all_members("struct _pycontextobject"),
}


def find_struct_spec(name: str) -> StructSpec:
    """Return how to look up `name`: the table's key, or any C spelling."""
    return STRUCTS.get(name) or StructSpec((name,))


# Turn C types into a layout document (schema gdb-epi/layout/1). Pure: types come from outside.


SCHEMA = "gdb-epi/layout/1"


def _encode_struct(struct: StructType) -> list[Any]:
    members = {  # bit fields have their bit's number and the width too
        path: list(member) if member.bit_size else [member.offset, member.size]
        for path, member in struct.fields.items()
    }
    return [struct.size, members]


def make_layout_document(
    type_layout: Callable[[str], StructType | None],
    constants: Callable[[str], int | None],
    header: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the layout document of one interpreter build.

    `header` must hold version ([major, minor]), free_threaded and debug; whatever else it holds
    (arch, how, build_id, command) is kept. Structs that `type_layout` does not know are named in
    header["missing"].
    """
    structs = {name: type_layout(name) for name in STRUCTS}
    values = {name: constants(name) for name in CONSTANTS}
    return {
        "schema": SCHEMA,
        "header": {**header, "missing": sorted(n for n, s in structs.items() if s is None)},
        "constants": {n: v for n, v in values.items() if v is not None},
        "debug_offsets": {},
        "structs": {n: _encode_struct(s) for n, s in structs.items() if s is not None},
    }
