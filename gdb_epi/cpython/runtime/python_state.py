# SPDX-License-Identifier: Apache-2.0
"""Interpreters, thread states, the GIL: from `_PyRuntime` to every thread's Python stack.

Names of static types whose own text lies in a file that is not here.

tp_name of a type that C code defines points into the read-only data of its library, which no core
holds. The dicts of modules, which every core holds, name most of these types too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import islice

from gdb_epi.cpython.frames.code_objects import CodeReader
from gdb_epi.cpython.frames.frame_chain import frame_reader
from gdb_epi.cpython.frames.stack_walk import StackWalker, WalkedStack
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.runtime.find_runtime import RECOVERED, Runtime, find_runtime
from gdb_epi.cpython.runtime.gil import gil_address, gil_holder
from gdb_epi.cpython.runtime.recover_modules import read_thread_names
from gdb_epi.cpython.types import InterpreterState, MemorySearchResults, PythonState, ThreadState
from gdb_epi.errors import UNPARSABLE, Absent, LayoutError, SoftError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

MAX_INTERPRETERS = 10_000
MAX_THREAD_STATES = 200_000
MAX_PROBLEMS_PER_THREAD = 20
MAX_MODULES = 5_000
MAX_MODULE_ENTRIES = 20_000
MAX_NAME = 256
MAX_PATH = 4096

# Modules whose dicts name types where tp_name cannot be read, and names that differ there.
_NAMING_MODULES = ("builtins", "types", "_collections", "datetime", "_datetime", "_decimal")
# Objects of `builtins` that tell the name of their type.
_INSTANCES = {
    "None": "NoneType",
    "Ellipsis": "ellipsis",
    "NotImplemented": "NotImplementedType",
    "len": "builtin_function_or_method",
}
_ALIASES = {
    "types.FunctionType": "function",
    "types.CodeType": "code",
    "types.GeneratorType": "generator",
    "types.CoroutineType": "coroutine",
    "types.AsyncGeneratorType": "async_generator",
    "types.MethodType": "method",
    "types.BuiltinFunctionType": "builtin_function_or_method",
    "types.ModuleType": "module",
    "types.CellType": "cell",
    "types.MappingProxyType": "mappingproxy",
    "types.MemberDescriptorType": "member_descriptor",
    "types.FrameType": "frame",
    "types.TracebackType": "traceback",
    "types.WrapperDescriptorType": "wrapper_descriptor",
    "types.MethodWrapperType": "method-wrapper",
    "types.MethodDescriptorType": "method_descriptor",
    "types.ClassMethodDescriptorType": "classmethod_descriptor",
    "types.GetSetDescriptorType": "getset_descriptor",
    "_collections.deque": "collections.deque",
    "_collections.defaultdict": "collections.defaultdict",
    "_collections.OrderedDict": "collections.OrderedDict",
    "_decimal.Decimal": "decimal.Decimal",
    "_functools.partial": "functools.partial",
    "greenlet._greenlet.greenlet": "greenlet.greenlet",
}
# What C modules call their types, where it is not the module's own name.
_PREFIXES = {
    "builtins.": "",
    "_operator.": "operator.",
    "numpy._core._multiarray_umath.": "numpy.",
    "numpy.core._multiarray_umath.": "numpy.",
}


class _LwpsOfCore(NamedTuple):
    """The threads that are in the core, by their pthread_t and by their number."""

    by_ident: dict[int, int]
    tids: frozenset[int]
    crashed: int | None


def decode_python(target: Target) -> PythonState | Absent:
    """Decode the CPython runtime of a process.

    Absent when there is none, or when it cannot be found or read; the detail says why.
    """
    runtime = find_runtime(target)
    if isinstance(runtime, Absent):
        return runtime
    try:
        return _PythonStateDecoder(target, runtime).decode()
    except (UnreadableMemory, LayoutError) as error:
        return Absent(UNPARSABLE, f"CPython {runtime.version}: {error}")


class _PythonStateDecoder:
    def __init__(self, target: Target, runtime: Runtime) -> None:
        self.target = target
        self.runtime = runtime
        self.layout = runtime.layout
        self.reader = MemoryReader(target, runtime.layout)
        self.objects = NamespaceReader(self.reader)
        self.codes = CodeReader(self.reader)
        self.walker = StackWalker(self.reader, frame_reader(self.reader, self.codes), self.objects)
        self.errors: list[SoftError] = list(runtime.soft_errors)
        self._ident_at = self.layout.require("PyThreadState", "thread_id")
        # 3.11 (bpo-46038); before, only the pthread_t is known.
        self._tid_at = self.layout.offset("PyThreadState", "native_thread_id")
        threads = target.threads()
        by_ident = {t.ident: t.tid for t in threads if t.ident}
        crash = target.crash()
        crashed = None if isinstance(crash, Absent) else crash.tid
        self.lwps = _LwpsOfCore(by_ident, frozenset(t.tid for t in threads), crashed)
        # Why thread states may exist that no list leads to; such are then searched for.
        self._named_idents: set[int] = set()
        self._names: dict[int, dict[int, str]] = {}  # by PyInterpreterState *
        self._damage: list[str] = (
            ["its own list of threads is lost"] if runtime.found_by == RECOVERED else []
        )

    def decode(self) -> PythonState:
        """Return everything that the runtime leads to."""
        interpreters = []
        holders: set[int] = set()
        for address in self._interpreter_addresses():
            number = self._interpreter_id(address)
            holder = self._gil_holder(address)
            holders |= {holder} if holder else set()
            threads = [
                self._decode_thread(tstate, number, tstate in holders)
                for tstate in self._thread_states(address)
            ]
            threads = self._add_thread_names(threads, address, number)
            interpreters.append(InterpreterState(address, number, tuple(threads)))
        # A thread that `threading` knows, that lives and that is in no list: a link is damaged.
        listed = {thread.ident for interpreter in interpreters for thread in interpreter.threads}
        lwps = self.lwps.by_ident
        unlisted = sorted(i for i in self._named_idents if i in lwps and i not in listed)
        if unlisted and not self._damage:
            tids = ", ".join(str(lwps[ident]) for ident in unlisted[:4])
            self._note_damage(
                "thread states", f"threading knows threads that no list has (LWPs {tids})"
            )
        if self._damage:
            interpreters = self._add_recovered_threads(interpreters)
        interpreters = self._add_orphan_frames(interpreters)
        interpreters.sort(key=lambda interpreter: interpreter.id)
        if _needs_lwp_matching(interpreters):
            from gdb_epi.cpython.frames.unlinked_frames import drop_contested_frames
            from gdb_epi.cpython.runtime.lwp_matching import match_thread_states

            interpreters = drop_contested_frames(interpreters)
            interpreters = match_thread_states(
                self.target, self.layout, interpreters, self._native_id
            )
            interpreters = [
                self._rename_threads_by_ident(interpreter) for interpreter in interpreters
            ]
        held = [t.tid for i in interpreters for t in i.threads if t.holds_gil]
        names = StaticTypeNames(self.reader, tuple(i.address for i in interpreters))
        return PythonState(
            version=self.runtime.version,
            version_hex=self.runtime.version_hex,
            layout=self.layout.with_type_names(names.name),
            runtime=self.runtime.address,
            found_by=self.runtime.found_by,
            finalizing=self._is_finalizing(),
            gil_holder=held[0] if held else None,
            interpreters=tuple(interpreters),
            soft_errors=tuple(self.errors),
            searched=MemorySearchResults(),
        )

    def _add_orphan_frames(self, interpreters: list[InterpreterState]) -> list[InterpreterState]:
        """Up to 3.10: look for frames outward of holes that the C stacks did not lead to either."""
        if self.layout.offset("_PyInterpreterFrame", "previous") is not None:
            return interpreters
        if not any(
            thread.stack_ends_in_hole
            for interpreter in interpreters
            for thread in interpreter.threads
        ):
            return interpreters
        from gdb_epi.cpython.frames.unlinked_frames import attach_orphan_frames

        interpreters, errors = attach_orphan_frames(
            self.reader, self.codes, self.objects, interpreters
        )
        self.errors += errors
        return interpreters

    def _add_recovered_threads(self, reached: list[InterpreterState]) -> list[InterpreterState]:
        """Add the thread states of LWPs that the lists did not lead to."""
        from gdb_epi.cpython.runtime.recover_threads import ThreadStateSearcher

        by_address = {interpreter.address: interpreter for interpreter in reached}
        have = {thread.address for each in reached for thread in each.threads}
        idents = {thread.ident for each in reached for thread in each.threads}
        new: dict[int, list[int]] = {}
        searcher = ThreadStateSearcher(self.target, self.layout, self.runtime.memory)
        for tstate, interpreter in searcher.thread_states(list(by_address)):
            if tstate not in have:
                new.setdefault(interpreter, []).append(tstate)
        for address, tstates in new.items():
            number = (
                by_address[address].id if address in by_address else self._interpreter_id(address)
            )
            holder = self._gil_holder(address)
            threads = [
                self._recover_thread(tstate, number, holds_gil=tstate == holder)
                for tstate in tstates
            ]
            # Memory that was freed may still hold an older thread state of a living thread.
            threads = [
                thread
                for thread in threads
                if thread.ident not in idents
                or (thread.frames and all(frame.hole is None for frame in thread.frames))
            ]
            idents |= {thread.ident for thread in threads}
            threads = self._add_thread_names(threads, address, number) if threads else []
            listed = by_address[address].threads if address in by_address else ()
            if threads or address in by_address:
                by_address[address] = InterpreterState(address, number, (*listed, *threads))
        return list(by_address.values())

    def _recover_thread(self, tstate: int, number: int, *, holds_gil: bool) -> ThreadState:
        thread = self._decode_thread(tstate, number, holds_gil)
        message = (
            f"its state in CPython was found by a search of memory, as no list "
            f"leads to it ({self._damage[0]})"
        )
        error = SoftError("frames", f"thread {thread.tid}", message)
        return thread._replace(soft_errors=(error, *thread.soft_errors))

    def _add_thread_names(
        self, threads: list[ThreadState], interpreter: int, number: int
    ) -> list[ThreadState]:
        names = read_thread_names(self.reader, self.objects, interpreter)
        if isinstance(names, Absent):
            self._note_problem("thread names", f"interpreter {number}", names.detail)
            return threads
        self._named_idents.update(names)
        self._names[interpreter] = names
        return [thread._replace(name=names.get(thread.ident)) for thread in threads]

    def _rename_threads_by_ident(self, interpreter: InterpreterState) -> InterpreterState:
        """Name the threads again, now that lwp_matching.py has corrected their idents."""
        names = self._names.get(interpreter.address, {})
        alive = {thread.ident for thread in interpreter.threads if thread.alive}
        threads = [
            t._replace(name=names.get(t.ident) if t.alive or t.ident not in alive else None)
            for t in interpreter.threads
        ]
        return interpreter._replace(threads=tuple(threads))

    def _note_damage(self, subject: str, why: str) -> None:
        """Note that a list is damaged: its remaining members have to be found by a search."""
        self._damage.append(why)
        self._note_problem("python", subject, why)

    def _note_problem(self, stage: str, subject: str, message: str) -> None:
        self.errors.append(SoftError(stage, subject, message))

    def _linked_list(self, head: int, next_at: int, cap: int, what: str) -> Iterator[int]:
        """Yield the nodes of a linked list; a cycle, damage or the cap ends it with a SoftError."""
        seen: set[int] = set()
        address = head
        while address:
            if address in seen or len(seen) >= cap:
                why = "comes twice" if address in seen else f"is beyond the cap of {cap}"
                self._note_damage(what, f"{address:#x} {why}; the list ends here")
                return
            seen.add(address)
            try:
                following = self.reader.u64(address + next_at)
            except UnreadableMemory as error:
                self._note_damage(what, f"{error}; the list ends here")
                return
            yield address
            address = following

    def _interpreter_addresses(self) -> Iterator[int]:
        head_at = self.layout.require("_PyRuntimeState", "interpreters.head")
        try:
            head = self.reader.u64(self.runtime.address + head_at)
        except UnreadableMemory as error:
            if self.runtime.address:  # else the runtime is lost, which is reported already
                self._note_damage("interpreters", str(error))
            return iter(())
        next_at = self.layout.require("PyInterpreterState", "next")
        return self._linked_list(head, next_at, MAX_INTERPRETERS, "interpreters")

    def _interpreter_id(self, address: int) -> int:
        try:
            return self.reader.signed_field(address, "PyInterpreterState", "id")
        except UnreadableMemory:
            return -1

    def _thread_states(self, interpreter: int) -> Iterator[int]:
        # 3.11 (bpo-46008) moved tstate_head into a struct `threads`.
        head_at = self.layout.require("PyInterpreterState", "threads.head", "tstate_head")
        try:
            head = self.reader.u64(interpreter + head_at)
        except UnreadableMemory as error:
            self._note_damage(f"interpreter {interpreter:#x}", str(error))
            return iter(())
        next_at = self.layout.require("PyThreadState", "next")
        listed = self._linked_list(head, next_at, MAX_THREAD_STATES, "thread states")
        return self._thread_states_with_sound_links(listed, interpreter)

    def _thread_states_with_sound_links(
        self, listed: Iterator[int], interpreter: int
    ) -> Iterator[int]:
        """Yield thread states as long as they name their interpreter, or an LWP as their thread."""
        back_at = self.layout.require("PyThreadState", "interp")
        for tstate in listed:
            try:
                back = self.reader.u64(tstate + back_at)
                ident = self.reader.u64(tstate + self._ident_at)
            except UnreadableMemory as error:
                self._note_damage("thread states", f"{error}; the list ends here")
                return
            if back != interpreter and ident not in self.lwps.by_ident:
                why = f"{tstate:#x} in the list is no thread state of its interpreter"
                self._note_damage("thread states", f"{why}; the list ends here")
                return
            yield tstate

    def _gil_holder(self, interpreter: int) -> int | None:
        """Return the PyThreadState that holds this interpreter's GIL.

        Absent (None) when it is free, and in free-threaded builds.
        """
        try:
            gil = gil_address(self.reader, self.runtime.address, interpreter)
            return gil_holder(self.reader, gil) or None
        except (UnreadableMemory, LayoutError) as error:
            lost = "who holds it is not known: CPython's own record of that is lost"
            self._note_problem("python", "GIL", str(error) if self.runtime.address else lost)
            return None

    def _is_finalizing(self) -> bool:
        # 3.9 (bpo-36854) renamed `finalizing` to `_is_finalizing`.
        at = self.layout.require("_PyRuntimeState", "_finalizing", "finalizing")
        return bool(self.reader.word(self.runtime.address + at))

    def _decode_thread(self, tstate: int, interpreter: int, holds_gil: bool) -> ThreadState:
        problems: list[str] = []
        try:
            ident = self.reader.u64(tstate + self._ident_at)
        except UnreadableMemory as error:
            ident = 0
            problems.append(str(error))
        # By the pthread_t of glibc, which is right in every pid namespace and before 3.11;
        # a thread that is not in the core keeps the number it had.
        tid = self.lwps.by_ident.get(ident)
        if tid is None:
            tid = self._native_id(tstate)
        try:
            walk = self.walker.walk(tstate)
        except (UnreadableMemory, LayoutError) as error:
            walk = WalkedStack((), (str(error),))
        problems += walk.problems
        subject = f"thread {tid}" if tid is not None else f"tstate {tstate:#x}"
        cut = len(problems) - MAX_PROBLEMS_PER_THREAD
        if cut > 0:
            problems[MAX_PROBLEMS_PER_THREAD:] = [f"and {cut} more"]
        return ThreadState(
            address=tstate,
            interpreter=interpreter,
            ident=ident,
            tid=tid,
            name=None,
            holds_gil=holds_gil,
            crashed=tid is not None and tid == self.lwps.crashed,
            alive=ident in self.lwps.by_ident or tid in self.lwps.tids,
            frames=walk.frames,
            soft_errors=tuple(SoftError("frames", subject, text) for text in problems),
        )

    def _native_id(self, tstate: int) -> int | None:
        if self._tid_at is None:
            return None
        try:
            return self.reader.u64(tstate + self._tid_at) or None
        except UnreadableMemory:
            return None


def _needs_lwp_matching(interpreters: list[InterpreterState]) -> bool:
    """Tell whether thread states share an ident, or one of a sub-interpreter has no LWP."""
    seen: set[int] = set()
    for interpreter in interpreters:
        for thread in interpreter.threads:
            if thread.ident in seen or (interpreter.id and not thread.alive):
                return True
            seen.add(thread.ident)
    return False


class StaticTypeNames:
    """The types that the dicts of one process's modules name; read when first asked."""

    def __init__(self, reader: MemoryReader, interpreters: tuple[int, ...]) -> None:
        self._reader = reader
        self._objects = NamespaceReader(reader)
        self._interpreters = interpreters  # PyInterpreterState *

    def name(self, type_address: int) -> str | None:
        """Return what tp_name of a PyTypeObject says; None where no dict names the type."""
        # Also asked about words that are not types: in most processes the dicts need not be read.
        return self._names.get(type_address) if self._is_type(type_address) else None

    @cached_property
    def _names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for interpreter in self._interpreters:
            for module in _NAMING_MODULES:
                contents = self._objects.module_dict(interpreter, module)
                if not isinstance(contents, Absent):
                    self._note_types_of_module(module, contents, names)
            with suppress(UnreadableMemory, LayoutError):
                self._read_c_modules(interpreter, names)
        return names

    def _read_c_modules(self, interpreter: int, names: dict[int, str]) -> None:
        """Read the modules that no Python source made: built-in ones and extensions."""
        modules = self._objects.sys_modules(interpreter)
        if isinstance(modules, Absent) or not modules:
            return
        dict_at = self._reader.layout.require("PyModuleObject", "md_dict")
        for key, module in islice(self._objects.dict_items(modules), MAX_MODULES):
            name = self._reader.string(key, MAX_NAME)
            if isinstance(name, Absent) or name in _NAMING_MODULES:
                continue
            with suppress(UnreadableMemory, LayoutError):
                contents = self._reader.u64(module + dict_at)
                file = self._objects.dict_get(contents, "__file__")
                path = None if isinstance(file, Absent) else self._reader.string(file, MAX_PATH)
                if path is None or (not isinstance(path, Absent) and ".so" in path):
                    self._note_types_of_module(name, contents, names)

    def _note_types_of_module(self, module: str, contents: int, names: dict[int, str]) -> None:
        """Note the types in a module's dict (PyObject *)."""
        prefix = _PREFIXES.get(f"{module}.", f"{module}.")
        with suppress(UnreadableMemory, LayoutError):
            for key, value in islice(self._objects.dict_items(contents), MAX_MODULE_ENTRIES):
                name = self._reader.string(key, MAX_NAME)
                if isinstance(name, Absent):
                    continue
                if not prefix and name in _INSTANCES:
                    names.setdefault(self._reader.type_of(value), _INSTANCES[name])
                elif self._is_type(value):
                    full_name = f"{module}.{name}" if prefix else name
                    names.setdefault(value, _ALIASES.get(full_name, prefix + name))

    def _is_type(self, address: int) -> bool:
        """Tell whether an object's type is a type of types, by Py_TPFLAGS_TYPE_SUBCLASS."""
        try:
            flags = self._reader.field(self._reader.type_of(address), "PyTypeObject", "tp_flags")
        except UnreadableMemory:
            return False
        return bool(flags & (self._reader.layout.constant("Py_TPFLAGS_TYPE_SUBCLASS") or 0))
