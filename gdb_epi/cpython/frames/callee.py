# SPDX-License-Identifier: Apache-2.0
"""Which C function a Python frame was calling.

Two witnesses must agree: a callable on the frame's value stack, and a native frame between the
eval loop and the next Python code whose function (by the unwind tables, no symbols needed) is the
one that this callable runs. Where none agree, the symbol of the native frame that the eval loop
called is given as such. Works on a merged stack; without native frames there is no answer.

What Python calls the C functions of an extension module that has no symbols.

An extension module lists its functions in tables that must outlast stripping: a PyMethodDef holds
the name, the C function and flags (Include/methodobject.h, 3.8 to 3.15; Cython's functions have
one each). The tables lie in the module's own data. A name is given where the function that runs,
by the unwind tables, begins at a word after a name and before flags, and all such words agree.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence

from gdb_epi.cpython.frames.frame_chain import value_stack_start
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.types import MergedStack, PyFrame
from gdb_epi.errors import Absent, UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import Module, NativeFrame, Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

VALUE_STACK = "value-stack"
SYMBOL = "symbol"

MAX_STACK_WORDS = 1024  # of one frame; the standard library stays below 100
MAX_LOOKED_AT = 200_000  # objects on value stacks, of all threads; 1,001 threads have 10,000
MAX_NATIVE = 64  # native frames of one call that are examined, from the eval loop inward
MIN_ADDRESS = PAGE  # no object lies in the first page
MAX_NAME = 256
MAX_OBJECT = 1 << 16  # bytes into an object at which it may keep a C function
# Their C code runs Python code, which is in the stack itself.
PYTHON_CALLABLES = ("function", "method")
# It begins with a PyCFunctionObject (Cython 3, Cython/Utility/CythonFunction.c).
CYTHON_FUNCTION = "cython_function_or_method"

# CPython's own plumbing between two Python frames, or between the eval loop and a C function.
GLUE = re.compile(
    r"_?PyEval_|_TAIL_CALL_|_PyFunction_Vectorcall|_?PyObject_(?:Vectorcall|Call|FastCall|MakeTpCall)"
    r"|_Py_(?:BuiltinCallFast|CallBuiltinClass|VectorCall|Vectorcall)"
    r"|PyVectorcall_|_PyVectorcall_|_?PyCFunction_|cfunction_|method_vectorcall|_PyObject_\w*[Cc]all"
    r"|object_vacall|slot_tp_|call_function|do_call_core|function_code_fastcall"
    r"|_?Py_X?DECREF|_Py_Dealloc\Z"
    r"|_PyFunction_FastCall|_PyMethodDef_RawFastCall"
    r"|pymain_|Py_BytesMain|Py_RunMain|run_(?:mod|eval_code_obj)|_PyRun_|PyRun_|pyrun_"
    r"|__libc_start_|_start\Z|thread_run\Z|pythread_wrapper|start_thread\Z|clone3?\Z|bootstrap_"
)
MAX_DATA = 8 << 20  # bytes of one module's data that are searched
MAX_HITS = 64
METH_ALL = 0x3FF  # METH_VARARGS to METH_METHOD, and METH_STACKLESS


class Callee(NamedTuple):
    """The C function that a Python frame was calling.

    `name` is Python's for it ("time.sleep", "list.sort"), None when only the C symbol is known;
    `function` is the C symbol, None in a stripped object. `evidence` is VALUE_STACK or SYMBOL.
    """

    name: str | None
    function: str | None
    evidence: str

    def best_name(self) -> str:
        """Return the best name."""
        return self.name or self.function or "?"


class _CallableOnValueStack(NamedTuple):
    """An object on a value stack and where the C code starts that calling it may run."""

    address: int
    kind: str  # "function", "method", "type", "object"
    entries: frozenset[int]


class _CallableType(NamedTuple):
    """What is needed of a type. `vectorcall_at` is where its objects keep a C function, or 0."""

    name: str
    call: int
    vectorcall_at: int
    is_metaclass: bool


class CalleeReader:
    """Find the callees in the stacks of one process."""

    def __init__(self, target: Target, layout: Layout) -> None:
        self._layout = layout
        self._reader = MemoryReader(target, layout)
        self._functions = FunctionBounds(target)
        self._left = MAX_LOOKED_AT

    @property
    def has_spent_budget(self) -> bool:
        """Whether MAX_LOOKED_AT was reached: then symbols alone name callees."""
        return self._left <= 0

    def callees_in_stack(self, stack: MergedStack) -> dict[int, Callee]:
        """Return the callee of the innermost Python frame of each eval call, by frame address."""
        callees: dict[int, Callee] = {}
        inner: list[NativeFrame] = []
        was_eval = False
        for frame in stack.frames:
            if frame.native is not None:
                inner.append(frame.native)
                was_eval = bool(frame.evidence)
                continue
            if was_eval and frame.python is not None and frame.python.hole is None:
                callee = self._callee(frame.python, inner[:-1])
                if callee is not None:
                    callees[frame.python.address] = callee
            inner, was_eval = [], False
        return callees

    def _callee(self, frame: PyFrame, inner: Sequence[NativeFrame]) -> Callee | None:
        """`inner` are the native frames between the eval loop and the next Python code."""
        called = [native for native in reversed(inner) if native.kind != "sentinel"][:MAX_NATIVE]
        if not called:
            return None
        return self._callee_on_value_stack(frame, called) or _callee_by_symbol(called)

    def _callee_on_value_stack(
        self, frame: PyFrame, called: Sequence[NativeFrame]
    ) -> Callee | None:
        """The match that is nearest to the eval loop wins; called functions call others."""
        entries: dict[int, _CallableOnValueStack] = {}
        for candidate in self._callables_on_value_stack(frame):
            entries.update(dict.fromkeys(candidate.entries, candidate))
        if not entries:
            return None
        for native in called:
            if native.inlined:
                continue
            function = self._functions.function_returned_to(native.pc)
            match = entries.get(function.start) if function is not None else None
            name = self._python_name_of_callable(match) if match is not None else None
            if name is not None:
                return Callee(name, native.function, VALUE_STACK)
        return None

    def _callables_on_value_stack(self, frame: PyFrame) -> Iterator[_CallableOnValueStack]:
        """Yield what lies on the value stack, used or left over, and can run C code."""
        try:
            words = self._value_stack(frame)
        except UnreadableMemory:
            return
        seen: set[int] = set()
        for word in words:
            address = word & ~7  # 3.14 (gh-117139) tags references in the lowest bits
            if address < MIN_ADDRESS or address in seen:
                continue
            if self.has_spent_budget:
                return
            seen.add(address)
            self._left -= 1
            try:
                candidate = self._called_object(address)
            except UnreadableMemory:
                continue  # a number, or a dead object
            if candidate is not None and candidate.entries:
                yield candidate

    def _value_stack(self, frame: PyFrame) -> tuple[int, ...]:
        reader = self._reader
        start = value_stack_start(reader, frame.address, frame.code)
        count = min(reader.field32(frame.code, "PyCodeObject", "co_stacksize"), MAX_STACK_WORDS)
        return struct.unpack(f"<{count}Q", reader.read(start, 8 * count))

    def _called_object(self, address: int) -> _CallableOnValueStack | None:
        kind = self._callable_type(self._reader.type_of(address))
        name = kind.name
        if name in ("builtin_function_or_method", "builtin_method"):
            return self._callable_of_method_def(address, "function", "PyCFunctionObject", "m_ml")
        if name in ("method_descriptor", "classmethod_descriptor"):
            return self._callable_of_method_def(
                address, "method", "PyMethodDescrObject", "d_method"
            )
        if name in PYTHON_CALLABLES:
            return None
        if name.endswith(CYTHON_FUNCTION):
            return self._callable_of_method_def(address, "function", "PyCFunctionObject", "m_ml")
        if kind.is_metaclass:
            slots = ("tp_vectorcall", "tp_new", "tp_init")
            return _CallableOnValueStack(address, "type", self._slot_functions(address, slots))
        own = self._reader.u64(address + kind.vectorcall_at) if kind.vectorcall_at else 0
        return _CallableOnValueStack(address, "object", frozenset({kind.call, own} - {0}))

    @memoized
    def _callable_type(self, kind: int) -> _CallableType:
        layout, reader = self._layout, self._reader
        name = reader.type_name(kind)
        flag = layout.constant("Py_TPFLAGS_TYPE_SUBCLASS") or 0
        flags = reader.field(kind, "PyTypeObject", "tp_flags")
        call = reader.field(kind, "PyTypeObject", "tp_call")
        at = reader.field(kind, "PyTypeObject", "tp_vectorcall_offset")
        text = "" if isinstance(name, Absent) else name
        at = at if at < MAX_OBJECT else 0
        return _CallableType(text, call, at, bool(flags & flag))

    def _callable_of_method_def(
        self, address: int, kind: str, struct_: str, member: str
    ) -> _CallableOnValueStack:
        definition = self._reader.field(address, struct_, member)
        code = self._reader.field(definition, "PyMethodDef", "ml_meth")
        return _CallableOnValueStack(address, kind, frozenset({code} - {0}))

    def _slot_functions(self, type_: int, names: Sequence[str]) -> frozenset[int]:
        functions = {self._reader.field(type_, "PyTypeObject", name) for name in names}
        return frozenset(functions - {0})

    def _python_name_of_callable(self, callee: _CallableOnValueStack) -> str | None:
        """Return Python's name of a callable. Absent (None) when nobody has its text."""
        try:
            if callee.kind == "function":
                return self._qualified_name_of_c_function(callee.address)
            if callee.kind == "method":
                reader, struct_ = self._reader, "PyMethodDescrObject"
                kind = reader.field(callee.address, struct_, "d_common.d_type", "d_type")
                name = reader.method_def_name(callee.address, struct_, "d_method")
                return _join_qualified_name(reader.type_name(kind), name)
            is_type = callee.kind == "type"
            kind = callee.address if is_type else self._reader.type_of(callee.address)
            text = self._reader.type_name(kind)
        except UnreadableMemory:
            return None
        if isinstance(text, Absent) or not text:
            return None
        return text if is_type else f"{text} object"

    def _qualified_name_of_c_function(self, address: int) -> str | None:
        """A function of a module is named after it, a method after the type of its object."""
        reader = self._reader
        name = reader.method_def_name(address)
        module = reader.field(address, "PyCFunctionObject", "m_module")
        if module:
            owner = reader.string(module, MAX_NAME)
            return _join_qualified_name("" if owner == "builtins" else owner, name)
        bound = reader.field(address, "PyCFunctionObject", "m_self")
        if not bound:
            return _join_qualified_name("", name)
        kind = reader.type_of(bound)
        return _join_qualified_name(
            reader.type_name(bound if self._callable_type(kind).is_metaclass else kind), name
        )


def _join_qualified_name(owner: str | Absent, name: str | Absent) -> str | None:
    if isinstance(name, Absent) or not name:
        return None
    return name if isinstance(owner, Absent) or not owner else f"{owner}.{name}"


def _callee_by_symbol(called: Sequence[NativeFrame]) -> Callee | None:
    """The outermost native frame that is no plumbing, if its name is known.

    A nameless one ends the search: a name further inward would be that of a callee's callee.
    """
    for native in called:
        if native.kind != "normal" and native.kind != "inline":
            return None
        if native.function is None:
            return None
        if not GLUE.match(native.function):
            return Callee(None, native.function, SYMBOL)
    return None


class MethodTables:
    """The method tables of the extension modules of one process; each module is read once."""

    def __init__(self, target: Target, layout: Layout) -> None:
        self._target = target
        self._reader = MemoryReader(target, layout)
        self._functions = FunctionBounds(target)
        self._extensions = [m for m in target.modules()[1:] if _may_be_extension_module(m)]
        self._data: dict[int, list[bytes]] = {}
        self._names: dict[int, str | None] = {}  # by start of a function

    def method_name_at(self, pc: int) -> str | None:
        """Return Python's name for the function that a native frame is in; None where it has none.

        It is the name alone, without module and class. Executables and libpython are left out.
        """
        function = self._functions.function_at(pc)
        if function is None or function.start == pc:
            return None  # after a call that never returns, another function may begin
        if function.start not in self._names:
            module = next((m for m in self._extensions if m.start <= pc < m.end), None)
            name = None if module is None else self._find_method_name(module, function.start)
            self._names[function.start] = name
        return self._names[function.start]

    def _find_method_name(self, module: Module, start: int) -> str | None:
        if module.start not in self._data:
            self._data[module.start] = self._read_writable_data(module)
        wanted = struct.pack("<Q", start)
        names: set[str] = set()
        for section in self._data[module.start]:
            at = section.find(wanted, 8)
            for _ in range(MAX_HITS):
                if at < 0:
                    break
                name = (
                    None if at % 8 or len(section) < at + 12 else self._method_def_name(section, at)
                )
                if name is not None:
                    names.add(name)
                at = section.find(wanted, at + 1)
        return names.pop() if len(names) == 1 else None

    def _method_def_name(self, section: bytes, at: int) -> str | None:
        """Return the name of a PyMethodDef whose ml_meth lies at a place of the data."""
        pointer, flags = struct.unpack_from("<Q8xI", section, at - 8)
        if not flags or flags & ~METH_ALL or not pointer:
            return None
        name = self._reader.c_string(pointer, MAX_NAME)
        return name if not isinstance(name, Absent) and name.isidentifier() else None

    def _read_writable_data(self, module: Module) -> list[bytes]:
        left, parts = MAX_DATA, []
        for region in self._target.regions():
            inside = module.start <= region.start < module.end
            if not inside or "x" in region.perms or region.size > left:
                continue
            try:
                parts.append(self._target.read(region.start, region.size))
                left -= region.size
            except UnreadableMemory:
                continue
        return parts


def _may_be_extension_module(module: Module) -> bool:
    name = module.path.rpartition("/")[2]
    return ".so" in name and not name.startswith("libpython")
