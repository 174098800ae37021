# SPDX-License-Identifier: Apache-2.0
"""Arguments and locals of one frame: names out of the code object, slots out of the frame.

Up to 3.10 a frame holds locals, then cells, then free variables, named by three tuples. Since 3.11
(bpo-43693) one tuple names all slots and one byte each says what kind it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import ProcessValues
from gdb_epi.cpython.values.repr_decoder import MAX_WHY, append_attributes
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import signed_word
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_VARIABLES = 100_000
MAX_NAME = 1 << 16

# Kinds of variables; the first five are inspect.Parameter's.
POSITIONAL_ONLY = "positional-only"
POSITIONAL = "positional-or-keyword"
VAR_POSITIONAL = "var-positional"
KEYWORD_ONLY = "keyword-only"
VAR_KEYWORD = "var-keyword"
LOCAL, CELL, FREE = "local", "cell", "free"
COMPREHENSION = "comprehension"  # of an inlined comprehension, 3.12+ (PEP 709); f_locals hides it
NAMESPACE = "namespace"  # of a class body or exec(), which keep their names in a dict
GLOBAL = "global"
ARGUMENTS = (POSITIONAL_ONLY, POSITIONAL, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD)

# Include/cpython/code.h and Include/internal/pycore_code.h; the same wherever they exist.
_OPTIMIZED, _VARARGS, _VARKEYWORDS = 1, 4, 8
_HIDDEN, _CELL, _FREE = 0x10, 0x40, 0x80
MAX_FRAMES_FOR_SECRETS = 20_000
_TAGGED_INT = 3  # Py_INT_TAG of _PyStackRef


class Variable(NamedTuple):
    """One bound variable; `exact` and `attributes` as in Value."""

    name: str
    kind: str
    text: str
    cut: bool
    type: str = ""
    exact: bool = False
    attributes: tuple[tuple[str, str], ...] = ()

    def text_with_attributes(self) -> str:
        """Return the text, with the attributes after it."""
        return append_attributes(self.text, self.attributes)


class FrameSlotDescription(NamedTuple):
    """One slot of a frame: what its code object says about it."""

    number: int
    name: str
    kind: str
    boxed: bool  # its value is in a cell


class CodeVariableNames(NamedTuple):
    """The variables of a code object; `optimized` is false for modules and class bodies."""

    slots: tuple[FrameSlotDescription, ...]
    size: int  # slots in a frame
    optimized: bool


class FrameVariables:
    """Arguments and locals of the frames of one process."""

    def __init__(self, values: ProcessValues) -> None:
        self.values = values
        self._reader = values.context.reader
        self._layout = values.context.reader.layout
        self._objects = values.context.objects
        # 3.14 (gh-117139): slots are _PyStackRef, whose two lowest bits are a tag.
        self._tagged = self._layout.offset("_PyInterpreterFrame", "f_executable.bits") is not None
        self._struct = "PyFrameObject"
        if self._layout.offset("_PyInterpreterFrame", "previous") is not None:
            self._struct = "_PyInterpreterFrame"
        self._slots_at = self._layout.require(self._struct, "localsplus", "f_localsplus")

    def variables_of_frame(self, frame: PyFrame) -> list[Variable] | Absent:
        """Return the bound variables of a frame, arguments first.

        Absent when the frame is a hole or its code object cannot be read.
        """
        if frame.hole is not None:
            return Absent("unparsable", frame.hole)
        names = self.variable_names_of_code(frame.code)
        if isinstance(names, Absent):
            return names
        self.note_secrets()
        self.values.decode_as_thread_of_frame(frame.address)
        try:
            variables = [
                self._variable(s, word) for s, word in self._bound_words(frame.address, names)
            ]
            if not names.optimized:
                variables += self._class_body_variables(frame.address)
        except UnreadableMemory as error:
            return Absent("unreadable", str(error))
        finally:
            self.values.decode_as_thread_of_frame(0)
        return variables

    def note_secrets(self) -> None:
        """Learn from the names of all variables which values are secrets, under any name."""
        masked = self.values.context.masked
        if self.values.limits.secrets or masked.asked_frames:
            return
        masked.asked_frames = True
        frames = [frame for thread in self.values.threads for frame in thread.frames]
        for frame in frames[:MAX_FRAMES_FOR_SECRETS]:
            with suppress(UnreadableMemory, LayoutError):
                masked.note_secret_variables(self._reader, self.variable_addresses(frame))

    def variable_addresses(self, frame: PyFrame) -> Iterator[tuple[str, int]]:
        """Yield (name, PyObject *) of the bound variables of a frame; raises UnreadableMemory."""
        for slot, word in self.bound_slots(frame):
            yield slot.name, word
        if frame.hole is None and (of_names := self.globals_and_names(frame)[1]):
            yield from self._dict_items(of_names)

    def bound_slots(self, frame: PyFrame) -> Iterator[tuple[FrameSlotDescription, int]]:
        """Yield (slot, PyObject *) of the bound variables of a frame; raises UnreadableMemory."""
        names = self.variable_names_of_code(frame.code)
        if frame.hole is None and not isinstance(names, Absent):
            yield from (
                (slot, w) for slot, w in self._bound_words(frame.address, names) if not w & 1
            )

    def globals_and_names(self, frame: PyFrame) -> tuple[int, int]:
        """Return the dicts of a frame's globals, and of its names (0: it has slots)."""
        names = self.variable_names_of_code(frame.code)
        has_slots = isinstance(names, Absent) or names.optimized
        of_names = 0 if has_slots else self._pointer_member_of_frame(frame.address, "f_locals")
        return self._pointer_member_of_frame(frame.address, "f_globals"), of_names

    def visible_globals(self, frame: PyFrame) -> list[Variable] | Absent:
        """Return the globals that a frame sees."""
        try:
            contents = self._pointer_member_of_frame(frame.address, "f_globals")
            return [
                self._variable_of_object(n, GLOBAL, value)
                for n, value in self._dict_items(contents)
            ]
        except UnreadableMemory as error:
            return Absent("unreadable", str(error))

    def global_addresses(self, frame: PyFrame) -> Iterator[tuple[str, int]]:
        """Yield (name, PyObject *) of the globals that a frame sees; raises UnreadableMemory."""
        yield from self._dict_items(self._pointer_member_of_frame(frame.address, "f_globals"))

    def global_or_builtin(self, frame: PyFrame, name: str) -> int | None:
        """Return a global or built-in (PyObject *) by name; raises UnreadableMemory."""
        for member in ("f_globals", "f_builtins"):
            value = self._objects.dict_get(
                self._pointer_member_of_frame(frame.address, member), name
            )
            if not isinstance(value, Absent):
                return value
        return None

    def _pointer_member_of_frame(self, frame: int, member: str) -> int:
        return self._reader.u64(frame + self.values.context.offset(self._struct, member))

    # -- values -------------------------------------------------------------------------------

    def _bound_words(
        self, frame: int, names: CodeVariableNames
    ) -> Iterator[tuple[FrameSlotDescription, int]]:
        """Yield the slots that hold a value, with the PyObject *, or a tagged int."""
        start = frame + self._slots_at
        addresses = self._reader.read(start, 8 * names.size)
        for slot in names.slots:
            word = int.from_bytes(addresses[8 * slot.number : 8 * slot.number + 8], "little")
            if self._tagged:
                word = word if word & 3 == _TAGGED_INT else word & ~3
            if word and slot.boxed and not word & 3:
                word = self._value_in_cell(word, slot)
            if word:
                yield slot, word

    def _value_in_cell(self, word: int, slot: FrameSlotDescription) -> int:
        """Return what a cell holds; a slot whose cell was not made yet holds the value itself."""
        try:
            kind = self.values.context.types.lineage(self._reader.type_of(word))
        except UnreadableMemory:
            return word
        if kind.ident == "cell" or (not kind.ident and slot.kind == FREE):
            return self._reader.u64(word + self.values.context.offset("PyCellObject", "ob_ref"))
        return word

    def _variable(self, slot: FrameSlotDescription, word: int) -> Variable:
        if word & 3 == _TAGGED_INT:
            number = signed_word(word) >> 2
            return Variable(slot.name, slot.kind, str(number), False, "int", True)
        return self._variable_of_object(slot.name, slot.kind, word)

    def _variable_of_object(self, name: str, kind: str, word: int) -> Variable:
        value = self.values.value_of_name(name, word)
        return Variable(
            name=name,
            kind=kind,
            text=value.text,
            cut=value.cut,
            type=value.type,
            exact=value.exact,
            attributes=value.attributes,
        )

    def _class_body_variables(self, frame: int) -> list[Variable]:
        """Return the names of a class body; those of a module are its globals, not its locals."""
        contents = self._pointer_member_of_frame(frame, "f_locals")
        if not contents or contents == self._pointer_member_of_frame(frame, "f_globals"):
            return []
        return [
            self._variable_of_object(name, NAMESPACE, value)
            for name, value in self._dict_items(contents)
        ]

    def _dict_items(self, contents: int) -> Iterator[tuple[str, int]]:
        if not contents:
            return
        for number, (key, value) in enumerate(self._objects.dict_items(contents)):
            if number >= MAX_VARIABLES:
                return
            name = self._reader.string(key, MAX_NAME)
            if not isinstance(name, Absent):
                yield name, value

    # -- names --------------------------------------------------------------------------------

    @memoized
    def variable_names_of_code(self, code: int) -> CodeVariableNames | Absent:
        """Return the variables of a code object. Absent when it cannot be read."""
        try:
            flags = self._number_member_of_code(code, "co_flags")
            optimized = bool(flags & _OPTIMIZED)
            names = self._names_in_code_tuple(code, "co_localsplusnames")
            if names is None:
                return self._names_before_311(code, flags, optimized=optimized)
            kinds_at = self._reader.field(code, "PyCodeObject", "co_localspluskinds")
            kinds = self._reader.bytes_object(kinds_at, MAX_VARIABLES)
            if isinstance(kinds, Absent) or len(kinds) != len(names):
                raise UnreadableMemory(
                    kinds_at, len(names), "co_localspluskinds does not fit the names"
                )
            roles = self._argument_kinds(code, flags)
            slots = []
            for index, (name, bits) in enumerate(zip(names, kinds, strict=True)):
                kind = roles.get(index) or _kind_of_slot(bits)
                slots.append(FrameSlotDescription(index, name, kind, bool(bits & (_CELL | _FREE))))
            return CodeVariableNames(tuple(_arguments_first(slots)), len(names), optimized)
        except UnreadableMemory as error:
            return Absent("unreadable", str(error)[:MAX_WHY])

    def _names_before_311(self, code: int, flags: int, *, optimized: bool) -> CodeVariableNames:
        local = self._names_in_code_tuple(code, "co_varnames") or []
        cells = self._names_in_code_tuple(code, "co_cellvars") or []
        free = self._names_in_code_tuple(code, "co_freevars") or []
        roles = self._argument_kinds(code, flags)
        slots = [
            FrameSlotDescription(i, name, roles.get(i) or LOCAL, False)
            for i, name in enumerate(local)
        ]
        by_name = {name: roles[i] for i, name in enumerate(local) if i in roles}
        # An argument that inner functions use lives in its cell; its own slot is then empty.
        for index, name in enumerate(cells, len(local)):
            slots.append(FrameSlotDescription(index, name, by_name.get(name) or CELL, True))
        for index, name in enumerate(free, len(local) + len(cells)):
            slots.append(FrameSlotDescription(index, name, FREE, True))
        return CodeVariableNames(tuple(_arguments_first(slots)), len(slots), optimized)

    def _argument_kinds(self, code: int, flags: int) -> dict[int, str]:
        """Return what kind of argument the first slots are."""
        positional_only = self._number_member_of_code(code, "co_posonlyargcount")
        positional = self._number_member_of_code(code, "co_argcount")
        keyword_only = self._number_member_of_code(code, "co_kwonlyargcount")
        if max(positional, keyword_only) > MAX_VARIABLES:
            raise UnreadableMemory(code, 8, f"{positional} and {keyword_only} arguments")
        order = [POSITIONAL_ONLY if i < positional_only else POSITIONAL for i in range(positional)]
        order += [KEYWORD_ONLY] * keyword_only
        order += [VAR_POSITIONAL] * bool(flags & _VARARGS)
        order += [VAR_KEYWORD] * bool(flags & _VARKEYWORDS)
        return dict(enumerate(order))

    def _number_member_of_code(self, code: int, member: str) -> int:
        return self._reader.field32(code, "PyCodeObject", member)

    def _names_in_code_tuple(self, code: int, member: str) -> list[str] | None:
        """Return a tuple of names; None when this version has no such member."""
        at = self._layout.offset("PyCodeObject", member)
        if at is None:
            return None
        address = self._reader.u64(code + at)
        items = ContainerReader(self._reader).tuple_items(address)
        if len(items) > MAX_VARIABLES:
            raise UnreadableMemory(address, 8, f"{len(items)} names")
        names = []
        for number, item in enumerate(items):
            name = self._reader.string(item, MAX_NAME)
            names.append(f"<unreadable name {number}>" if isinstance(name, Absent) else name)
        return names


def _kind_of_slot(bits: int) -> str:
    if bits & _HIDDEN:
        return COMPREHENSION
    return FREE if bits & _FREE else CELL if bits & _CELL else LOCAL


def _arguments_first(slots: list[FrameSlotDescription]) -> list[FrameSlotDescription]:
    return sorted(slots, key=lambda slot: slot.kind not in ARGUMENTS)
