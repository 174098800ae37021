# SPDX-License-Identifier: Apache-2.0
"""Exceptions of threads: in flight, reported or being handled, where from, and what they say.

An exception leads to others (cause, context, members of a group) in any shape, cycles included.
So each is decoded once, links are addresses, and callers that want the graph get a list.

Its message is what str() would have given. tp_str says which `__str__` would run; for
one in Python, or one not known here, the message is absent and the arguments are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import HEAPTYPE, Lineage, TypeInfo, TypeReader
from gdb_epi.cpython.running.reported_exceptions import ReportedExceptions
from gdb_epi.cpython.running.tracebacks import Traceback, Tracebacks
from gdb_epi.cpython.types import PythonState, ThreadState
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.repr_decoder import ReprDecoder, ReprLimits, Undecodable
from gdb_epi.cpython.values.secrets import mask_passwords
from gdb_epi.errors import (
    NOT_APPLICABLE,
    NOT_AVAILABLE,
    UNPARSABLE,
    UNREADABLE,
    Absent,
    LayoutError,
    SoftError,
    UnreadableMemory,
)
from gdb_epi.sizes import split_into_words
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

MAX_CHAIN = 100  # exceptions that one leads to, itself included
MAX_MEMBERS = 64  # shown of one group
MAX_HANDLED = 1000  # entries of one exc_info stack
MAX_EXCEPTIONS = 20_000  # of one process
MAX_ROOM = 400_000  # exceptions and traceback lines in all lists together; they may be shared
MAX_PROBLEMS = 20  # of one thread

IN_FLIGHT = "in flight"  # raised, and no handler found yet
HANDLED = "handled"  # an except or finally block runs because of it
REPORTED = "reported"  # nobody caught it: it is being printed, or a hook of sys has it

# Include/object.h, public ABI (3.8 to 3.15).
_BASE_EXCEPTION = 1 << 30
_TYPE = 1 << 31

NOT_ASKED = Absent(NOT_APPLICABLE, "not asked for")
_FULL = Absent(UNPARSABLE, f"more than {MAX_ROOM} exceptions and traceback lines in all")
_NO_TRACEBACK = Absent(NOT_AVAILABLE, "it has no traceback")
MAX_MESSAGE = 1 << 16  # characters
MAX_NOTES = 100
MAX_TEXT = 16 << 20  # characters of all texts of one process
_LIMITS = ReprLimits(depth=12)  # groups within groups count double
_EXCEPTION = "PyBaseExceptionObject"
_CODEC_FAILS = {  # what the message calls the objects that could not be converted
    "UnicodeEncodeError": ("'{0}' codec can't encode", "character"),
    "UnicodeDecodeError": ("'{0}' codec can't decode", "byte"),
    "UnicodeTranslateError": ("can't translate", "character"),
}
_PROBLEMS = (UnreadableMemory, LayoutError, Undecodable)


class ExceptionInfo(NamedTuple):
    """One exception object. Links are addresses of others; 0 is none.

    `address` is 0 when no instance was made yet (up to 3.11 the C error indicator may hold a type
    and a value that become one later).
    """

    address: int
    type: str | Absent  # module.qualname; built-in ones without the module, "?." when unknown
    traceback: Traceback | Absent
    cause: int = 0
    context: int = 0
    suppress_context: bool = False
    members: tuple[int, ...] = ()  # of an exception group
    member_count: int = 0
    message: str | Absent = NOT_ASKED  # str() of it
    args: str | Absent = NOT_ASKED  # repr() of its args
    notes: tuple[str, ...] | Absent = NOT_ASKED
    args_exact: bool = True  # False: args hold a value that is cut or not sure
    memory_error: bool = False  # a MemoryError, or of a class made from it
    errno: int | None = None  # of an OSError, or of a class made from it

    def linked_addresses(self) -> tuple[int, ...]:
        """Return the exceptions that this one leads to."""
        return tuple(link for link in (self.cause, self.context, *self.members) if link)


class RaisedException(NamedTuple):
    """An exception and all others that it leads to; the first of `exceptions` is itself."""

    state: str  # IN_FLIGHT, REPORTED or HANDLED
    exceptions: tuple[ExceptionInfo, ...]

    @property
    def root_exception(self) -> ExceptionInfo:
        """Return the exception that the others belong to."""
        return self.exceptions[0]


class ThreadExceptions(NamedTuple):
    """The exceptions of one PyThreadState. `handled` begins with the innermost."""

    thread: ThreadState
    in_flight: RaisedException | None
    handled: tuple[RaisedException, ...]
    soft_errors: tuple[SoftError, ...] = ()
    reported: RaisedException | None = None

    def all_raised(self) -> tuple[RaisedException, ...]:
        """Return the one in flight, the one that is being reported, then those being handled."""
        return (*filter(None, (self.in_flight, self.reported)), *self.handled)


def read_thread_exceptions(
    target: Target, python: PythonState, *, messages: bool = False
) -> list[ThreadExceptions]:
    """Return the exceptions of every thread state, in the order of `python.threads()`.

    `messages` adds message, args and notes, which may hold any value of the process.
    """
    decoder = ExceptionDecoder(target, python, messages=messages)
    return [decoder.exceptions_of_thread(thread) for thread in python.threads()]


class ExceptionDecoder:
    """The exceptions of one process; each object is decoded once."""

    def __init__(self, target: Target, python: PythonState, *, messages: bool = False) -> None:
        self._reader = MemoryReader(target, python.layout)
        self._layout = python.layout
        self._objects = NamespaceReader(self._reader)
        self._types = TypeReader(self._reader, self._objects, python.interpreter_addresses())
        self._tracebacks = Tracebacks(self._reader)
        self._known: dict[int, ExceptionInfo] = {}
        self._room = MAX_ROOM
        self._reports = ReportedExceptions(target, python)
        self._texts = ExceptionTextReader(target, python) if messages else None

    # -- one thread ---------------------------------------------------------------------------

    def exceptions_of_thread(self, thread: ThreadState) -> ThreadExceptions:
        """Return the exceptions of a thread state. Never raises; soft errors say what is gone."""
        problems: list[str] = []
        in_flight = None
        handled: list[RaisedException] = []
        try:
            in_flight = self._exception_in_flight(thread.address, problems)
        except (UnreadableMemory, LayoutError) as error:
            problems.append(f"the exception in flight: {error}")
        try:
            handled += self._handled_exceptions(thread.address, problems)
        except (UnreadableMemory, LayoutError) as error:
            problems.append(f"the exceptions being handled: {error}")
        reported = self._exception_being_reported(thread, problems)
        who = f"thread {thread.tid}" if thread.tid is not None else f"tstate {thread.address:#x}"
        kept = dict.fromkeys(problems[:MAX_PROBLEMS])
        errors = tuple(SoftError("exceptions", who, text) for text in kept)
        return ThreadExceptions(thread, in_flight, tuple(handled), errors, reported)

    def _exception_being_reported(
        self, thread: ThreadState, problems: list[str]
    ) -> RaisedException | None:
        """Decode the exception that is being printed, or that a hook of sys was given."""
        reported = (
            address
            for address in self._reports.possible_exceptions(thread)
            if self._is_exception(address)
        )
        first = next(reported, None)
        if first is None:
            return None
        return RaisedException(
            REPORTED, tuple(self._exceptions_led_to(self.exception(first), problems))
        )

    def _exception_in_flight(self, tstate: int, problems: list[str]) -> RaisedException | None:
        """Decode the C error indicator.

        3.12 (gh-101578) made one object of it: before, it was a type, a value that need not be an
        instance yet, and a traceback.
        """
        read, layout = self._reader.u64, self._layout
        at = layout.offset("PyThreadState", "current_exception")
        if at is not None:
            return self._exception_of_slots(IN_FLIGHT, 0, read(tstate + at), 0, problems)
        kind = self._reader.field(tstate, "PyThreadState", "curexc_type")
        value = self._reader.field(tstate, "PyThreadState", "curexc_value")
        lines = self._reader.field(tstate, "PyThreadState", "curexc_traceback")
        return self._exception_of_slots(IN_FLIGHT, kind, value, lines, problems) if kind else None

    def _handled_exceptions(self, tstate: int, problems: list[str]) -> Iterator[RaisedException]:
        """Yield what the exc_info stack holds: one entry per thread, generator and coroutine.

        3.11 (bpo-45711) left only the value of type, value and traceback.
        """
        read, layout = self._reader.u64, self._layout
        entry = self._reader.field(tstate, "PyThreadState", "exc_info")
        value_at = layout.require("_PyErr_StackItem", "exc_value")
        next_at = layout.require("_PyErr_StackItem", "previous_item")
        kind_at = layout.offset("_PyErr_StackItem", "exc_type")
        lines_at = layout.offset("_PyErr_StackItem", "exc_traceback")
        seen: set[int] = set()
        while entry:
            if entry in seen or len(seen) >= MAX_HANDLED or entry & 7:
                problems.append(f"the exc_info stack ends at {entry:#x}: damaged or too long")
                return
            seen.add(entry)
            kind = read(entry + kind_at) if kind_at is not None else 0
            lines = read(entry + lines_at) if lines_at is not None else 0
            raised = self._exception_of_slots(
                HANDLED, kind, read(entry + value_at), lines, problems
            )
            if raised is not None:
                yield raised
            if not self._room:
                return
            entry = read(entry + next_at)

    def _exception_of_slots(
        self, state: str, kind: int, value: int, lines: int, problems: list[str]
    ) -> RaisedException | None:
        """Return an exception out of its slots; None without one, also where None is stored."""
        if self._is_none(value) and (not kind or self._is_none(kind)):
            return None
        first = self.exception(value) if self._is_exception(value) else None
        if first is None and kind:
            first = self._exception_of_class(kind, value, problems)
        if first is None:
            first = self.exception(value)
        if lines and not self._is_none(lines):
            # Up to 3.11 the traceback joins its exception only when it is caught.
            first = first._replace(traceback=self._tracebacks.traceback_at(lines))
        if isinstance(first.type, Absent):
            problems.append(f"the type of an exception {state}: {first.type.detail}")
        return RaisedException(state, tuple(self._exceptions_led_to(first, problems)))

    def _exception_of_class(self, kind: int, value: int, problems: list[str]) -> ExceptionInfo:
        """Return an exception known by its class: not made yet, or its object is lost."""
        try:
            if value:
                self._types.type_of_object(value)
        except UnreadableMemory as error:
            problems.append(f"an exception: {error}")
            lost = Absent(UNREADABLE, str(error))
            exception = ExceptionInfo(value, self._name_of_class(kind), lost)
            if self._texts is None:
                return exception
            return exception._replace(message=lost, args=lost, notes=lost)
        exception = ExceptionInfo(0, self._name_of_class(kind), _NO_TRACEBACK)
        if self._texts is not None and not isinstance(exception.type, Absent):
            exception = exception._replace(**self._texts.texts_of_uninstantiated(value)._asdict())
        return exception

    def _exceptions_led_to(self, first: ExceptionInfo, problems: list[str]) -> list[ExceptionInfo]:
        if not self._take_from_budget(first):
            problems.append(_FULL.detail)
            return [first._replace(traceback=_FULL)]
        graph, seen = [first], {first.address}
        for exception in graph:  # grows while it is walked
            for link in exception.linked_addresses():
                if link in seen:
                    continue
                if len(graph) >= MAX_CHAIN:
                    problems.append(f"more than {MAX_CHAIN} exceptions in one chain")
                    return graph
                seen.add(link)
                other = self.exception(link)
                if not self._take_from_budget(other):
                    problems.append(_FULL.detail)
                    return graph
                graph.append(other)
        return graph

    def _take_from_budget(self, exception: ExceptionInfo) -> bool:
        """Pay for an exception in a list; False when there is no room left."""
        lines = 0 if isinstance(exception.traceback, Absent) else len(exception.traceback.lines)
        if self._room <= lines:
            self._room = 0
            return False
        self._room -= 1 + lines
        return True

    # -- one exception ------------------------------------------------------------------------

    def exception(self, address: int) -> ExceptionInfo:
        """Return an exception object. Never raises; its type is Absent when it is no exception."""
        info = self._known.get(address)
        if info is None:
            if len(self._known) >= MAX_EXCEPTIONS:
                why = Absent(UNPARSABLE, f"more than {MAX_EXCEPTIONS} exceptions")
                return ExceptionInfo(address, why, why)
            info = self._known[address] = self._exception_uncached(address)
        return info

    def _exception_uncached(self, address: int) -> ExceptionInfo:
        try:
            info = self._types.type_of_object(address)
            if not info.flags & _BASE_EXCEPTION:
                raise UnreadableMemory(address, 8, f"no exception but {info.qualified_name}")
            return self._decode_exception_object(address, info)
        except UnreadableMemory as error:
            why = Absent(UNREADABLE, str(error))
        except LayoutError as error:
            why = Absent(NOT_AVAILABLE, str(error))
        return ExceptionInfo(address, why, why)

    def _decode_exception_object(self, address: int, info: TypeInfo) -> ExceptionInfo:
        struct = "PyBaseExceptionObject"
        size = self._layout.size(struct) or 0
        head = self._reader.read(address, size)

        def read_member(member: str, width: int = 8) -> int:
            at = self._layout.require(struct, member)
            return int.from_bytes(head[at : at + width], "little")

        members, count = self._group_members(address, info)
        bases = self._built_in_bases(info)
        lines = read_member("traceback")
        has_lines = lines and not self._is_none(lines)
        exception = ExceptionInfo(
            address=address,
            type=_shown_class_name(info),
            traceback=self._tracebacks.traceback_at(lines) if has_lines else _NO_TRACEBACK,
            cause=read_member("cause"),
            context=read_member("context"),
            suppress_context=bool(read_member("suppress_context", 1)),
            members=members,
            member_count=count,
            memory_error="MemoryError" in bases,
            errno=self._errno(address) if "OSError" in bases else None,
        )
        if self._texts is None:
            return exception
        return exception._replace(**self._texts.texts_of(address)._asdict())

    def _built_in_bases(self, info: TypeInfo) -> set[str]:
        bases = self._types.lineage(info.address).types
        return {base.full_name for base in bases if not base.is_python_class}

    def _errno(self, address: int) -> int | None:
        """Return the number that the system gave; None where it was given none.

        Reference: Include/cpython/pyerrors.h, PyOSErrorObject.myerrno.
        """
        try:
            number = self._reader.field(address, "PyOSErrorObject", "myerrno")
            if not number or self._types.root_builtin_type_name(number) != "int":
                return None
            errno = self._objects.integer(number)
        except (UnreadableMemory, LayoutError):
            return None
        return None if isinstance(errno, Absent) else errno

    def _group_members(self, address: int, info: TypeInfo) -> tuple[tuple[int, ...], int]:
        """Return the first members of an exception group (3.11, PEP 654) and their number."""
        at = self._layout.offset("PyBaseExceptionGroupObject", "excs")
        if at is None or "BaseExceptionGroup" not in self._built_in_bases(info):
            return (), 0
        held = self._reader.u64(address + at)
        count = self._reader.signed_field(held, "PyTupleObject", "ob_size")
        if not 0 < count < 1 << 40:
            raise UnreadableMemory(held, 8, f"a group of {count} exceptions")
        start = held + self._layout.require("PyTupleObject", "ob_item")
        return tuple(split_into_words(self._reader.read(start, 8 * min(count, MAX_MEMBERS)))), count

    # -- types --------------------------------------------------------------------------------

    def _is_exception(self, address: int) -> bool:
        try:
            return bool(self._types.type_of_object(address).flags & _BASE_EXCEPTION)
        except UnreadableMemory:
            return False

    def _is_none(self, address: int) -> bool:
        """Return whether a slot holds nothing: NULL or the object None."""
        return not address or self._types.root_builtin_type_name(address) == "NoneType"

    def _name_of_class(self, kind: int) -> str | Absent:
        """Return the name of an exception class."""
        try:
            if not self._types.type_of_object(kind).flags & _TYPE:
                raise UnreadableMemory(kind, 8, "no class")
            return _shown_class_name(self._types.type_at(kind))
        except UnreadableMemory as error:
            return Absent(UNREADABLE, str(error))


def _shown_class_name(info: TypeInfo) -> str | Absent:
    if not info.qualname:
        return Absent(NOT_AVAILABLE, "its name lies in memory that nobody has")
    if info.flags & HEAPTYPE and not info.module:
        return f"?.{info.qualname}"  # without its module it would look like a built-in one
    return info.qualified_name


class ExceptionTexts(NamedTuple):
    """The texts of one exception; the fields are those of ExceptionInfo."""

    message: str | Absent
    args: str | Absent
    notes: tuple[str, ...] | Absent
    args_exact: bool = True


class ExceptionTextReader:
    """The texts of a process's exceptions."""

    def __init__(self, target: Target, python: PythonState) -> None:
        self._values = get_process_values(target, python, _LIMITS)
        self._layout = python.layout
        self._room = MAX_TEXT

    def texts_of(self, address: int) -> ExceptionTexts:
        """Return the texts of an exception object. Never raises."""
        if self._room <= 0:
            full = Absent(UNPARSABLE, f"more than {MAX_TEXT} characters of texts")
            return ExceptionTexts(full, full, full)
        decoder = self._values.decoder()
        args: str | Absent
        message: str | Absent
        notes: tuple[str, ...] | Absent
        try:
            args = decoder.repr_of(decoder.field(address, _EXCEPTION, "args"))
        except _PROBLEMS as error:
            args = Absent(UNREADABLE, str(error))
        try:
            message = self._message_of_exception(self._values.decoder(), address)
        except _PROBLEMS as error:
            message = Absent(UNPARSABLE, str(error))
        try:
            notes = self._exception_notes(address)
        except _PROBLEMS as error:
            notes = Absent(UNREADABLE, str(error))
        texts = ExceptionTexts(message, args, notes, decoder.exact and not decoder.cut)
        self._room -= sum(len(text) for text in texts[:2] if isinstance(text, str))
        self._room -= sum(map(len, () if isinstance(texts.notes, Absent) else texts.notes))
        if not isinstance(texts.message, Absent):
            texts = texts._replace(message=mask_passwords(texts.message))
        if not isinstance(texts.notes, Absent):
            texts = texts._replace(notes=tuple(map(mask_passwords, texts.notes)))
        return texts

    def texts_of_uninstantiated(self, value: int) -> ExceptionTexts:
        """Return the texts of an error indicator whose value is no instance yet.

        It holds what the instance would be made of: nothing, one argument, or a tuple of them.
        """
        decoder = self._values.decoder()
        ident = decoder.types.root_builtin_type_name(value)
        if not value or ident == "NoneType":
            return ExceptionTexts("", "()", ())
        shown = decoder.repr_of(value)
        if ident == "tuple":
            why = Absent(NOT_AVAILABLE, "the exception was not made yet")
            return ExceptionTexts(why, shown, (), decoder.exact)
        try:
            message: str | Absent = mask_passwords(self._str_of_object(decoder, value))
        except _PROBLEMS as error:
            message = Absent(UNPARSABLE, str(error))
        return ExceptionTexts(message, f"({shown},)", (), decoder.exact)

    def _exception_notes(self, address: int) -> tuple[str, ...]:
        """Return the strings of `__notes__` (PEP 678), which lie in the instance's dict."""
        decoder = self._values.decoder()
        contents = decoder.field(address, _EXCEPTION, "dict")
        if not contents:
            return ()
        held = decoder.context.objects.dict_get(contents, "__notes__")
        if isinstance(held, Absent):
            if held.reason == NOT_AVAILABLE:
                return ()
            raise Undecodable(held.detail)
        if decoder.ident(held) != "list":
            raise Undecodable("__notes__ is no list")
        notes = decoder.read_object_pointers(*decoder.array_range(held, "list"), "notes")[
            :MAX_NOTES
        ]
        return tuple(self._str_of_object(decoder, note) for note in notes)

    # -- str() --------------------------------------------------------------------------------

    def _tp_str(self, kind: int) -> int:
        return self._values.context.reader.field(kind, "PyTypeObject", "tp_str")

    def _str_of_object(self, decoder: ReprDecoder, address: int) -> str:
        """Return str() of an object. Raises Undecodable when a `__str__` of its own would run."""
        lineage = decoder.obj(address).lineage
        if lineage.ident == "str" and self._has_str_of_builtin(lineage):
            return decoder.string(address, MAX_MESSAGE)
        if lineage.ident in ("bytes", "bytearray") and self._has_str_of_builtin(lineage):
            return self._exact_repr(decoder, address)  # a __str__ of their own, for python -b alone
        if self._tp_str(lineage.types[0].address) != self._tp_str(lineage.types[-1].address):
            raise Undecodable(_why_no_str(decoder, lineage.types[0]))
        return self._exact_repr(decoder, address)

    def _exact_repr(self, decoder: ReprDecoder, address: int) -> str:
        """Return repr() of an object. Raises Undecodable when it is not exact."""
        text = decoder.repr_of(address)
        if not decoder.exact or decoder.cut:
            raise Undecodable("a value that is too long, or not sure")
        return text

    def _has_str_of_builtin(self, lineage: Lineage) -> bool:
        return self._tp_str(lineage.types[0].address) == self._tp_str(lineage.root.address)

    def _message_of_exception(self, decoder: ReprDecoder, address: int) -> str | Absent:
        """Return str() of an exception. Reference: Objects/exceptions.c, 3.8 to 3.15."""
        types = decoder.obj(address).lineage.types
        slot = self._tp_str(types[0].address)
        owner = [base for base in types if self._tp_str(base.address) == slot][-1]
        if owner.is_python_class:
            return Absent(NOT_AVAILABLE, _why_no_str(decoder, owner))
        name = owner.full_name
        if name == "KeyError" and len(args := self._arguments_of_exception(decoder, address)) == 1:
            return self._exact_repr(decoder, args[0])
        if name == "ImportError":
            message = decoder.field(address, "PyImportErrorObject", "msg")
            if message and decoder.obj(message).type.full_name == "str":
                return self._str_of_object(decoder, message)
        if name in ("BaseException", "KeyError", "ImportError"):
            return self._base_exception_str(decoder, address)
        if name == "OSError":
            return self._os_error_str(decoder, address)
        if name == "BaseExceptionGroup":
            return self._group_str(decoder, address)
        if name == "SyntaxError":
            return self._syntax_error_str(decoder, address)
        if name in _CODEC_FAILS:
            return self._unicode_error_str(decoder, address, name)
        return Absent(NOT_AVAILABLE, f"the __str__ of {owner.qualified_name} is not known here")

    def _arguments_of_exception(self, decoder: ReprDecoder, address: int) -> list[int]:
        held = decoder.field(address, _EXCEPTION, "args")
        if decoder.ident(held) != "tuple":
            raise Undecodable("its arguments are no tuple")
        return decoder.read_object_pointers(*decoder.array_range(held, "tuple"), "arguments")

    def _base_exception_str(self, decoder: ReprDecoder, address: int) -> str:
        """Return what BaseException_str gives: nothing, the argument, or the tuple of them."""
        args = self._arguments_of_exception(decoder, address)
        if len(args) == 1:
            return self._str_of_object(decoder, args[0])
        held = decoder.field(address, _EXCEPTION, "args")
        return self._exact_repr(decoder, held) if args else ""

    def _os_error_str(self, decoder: ReprDecoder, address: int) -> str:
        struct = "PyOSErrorObject"
        names = ("myerrno", "strerror", "filename", "filename2")
        number, text, file, second = (decoder.field(address, struct, name) for name in names)
        if not file and not (number and text):
            return self._base_exception_str(decoder, address)
        parts = [self._str_of_object(decoder, part) if part else "None" for part in (number, text)]
        message = f"[Errno {parts[0]}] {parts[1]}"
        if file:
            message += f": {self._exact_repr(decoder, file)}"
            message += f" -> {self._exact_repr(decoder, second)}" if second else ""
        return message

    def _group_str(self, decoder: ReprDecoder, address: int) -> str:
        struct = "PyBaseExceptionGroupObject"
        message = self._str_of_object(decoder, decoder.field(address, struct, "msg"))
        held = decoder.field(address, struct, "excs")
        count = decoder.signed_field(held, "PyTupleObject", "ob_size")
        return f"{message} ({count} sub-exception{'s' if count != 1 else ''})"

    def _syntax_error_str(self, decoder: ReprDecoder, address: int) -> str:
        struct = "PySyntaxErrorObject"
        message, file, number = (
            decoder.field(address, struct, n) for n in ("msg", "filename", "lineno")
        )
        text = self._str_of_object(decoder, message) if message else "None"
        places = []
        if file and decoder.ident(file) == "str":
            places.append(decoder.string(file, MAX_MESSAGE).rpartition("/")[2])
        if number and decoder.obj(number).type.full_name == "int":
            places.append(f"line {self._exact_repr(decoder, number)}")
        return f"{text} ({', '.join(places)})" if places else text

    def _unicode_error_str(self, decoder: ReprDecoder, address: int, name: str) -> str:
        struct = "PyUnicodeErrorObject"
        held = decoder.field(address, struct, "object")
        start, end = (decoder.signed_field(address, struct, member) for member in ("start", "end"))
        fails, unit = _CODEC_FAILS[name]
        if "{0}" in fails:
            fails = fails.format(
                self._str_of_object(decoder, decoder.field(address, struct, "encoding"))
            )
        reason = self._str_of_object(decoder, decoder.field(address, struct, "reason"))
        units = self._bytes_or_code_points(decoder, held, unit)
        if not 0 <= start < end <= len(units):
            raise Undecodable("its positions lie outside of its object")  # 3.14 clips them
        if end - start > 1:
            return f"{fails} {unit}s in position {start}-{end - 1}: {reason}"
        code = units[start]
        if unit == "byte":
            return f"{fails} byte 0x{code:02x} in position {start}: {reason}"
        letter, digits = ("x", 2) if code <= 0xFF else ("u", 4) if code <= 0xFFFF else ("U", 8)
        return f"{fails} character '\\{letter}{code:0{digits}x}' in position {start}: {reason}"

    def _bytes_or_code_points(self, decoder: ReprDecoder, held: int, unit: str) -> Sequence[int]:
        """Return the bytes, or the code points, of what could not be converted."""
        if unit == "character":
            return [ord(character) for character in decoder.string(held, MAX_MESSAGE)]
        content = decoder.reader.bytes_object(held, MAX_MESSAGE)
        if isinstance(content, Absent) or decoder.ident(held) != "bytes":
            raise Undecodable("its object is no bytes, or too many")
        return content


def _why_no_str(decoder: ReprDecoder, kind: TypeInfo) -> str:
    """Return why str() of an instance is not given: whose `__str__` it would run.

    The slot of a Python class searches for the name when the class, or a base, defines it; and
    when there are several built-in bases, which may have different ones.
    """
    if not kind.is_python_class:
        return f"{kind.qualified_name} has a __str__ of its own"
    held = decoder.context.types.lookup(kind, "__str__")
    if held is not None and held[0].is_python_class:
        return f"{held[0].qualified_name} has a __str__ of its own"
    unclear = "none was found in its Python classes, and those of its built-in bases may differ"
    return f"cannot tell whose __str__ {kind.qualified_name} runs: {unclear}"
