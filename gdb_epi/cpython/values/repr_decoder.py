# SPDX-License-Identifier: Apache-2.0
"""How a value becomes the text that repr() would have given.

ReprDecoder finds the decoder of an object's type and keeps count of what the limits leave. The
decoders themselves are in `decoders/`; `@decodes` and `@decodes_repr` register them here. A decoder
returns what repr() would have returned. What it is not sure of it refuses by raising Undecodable,
or marks by `mark_inexact()`; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gdb_epi.cpython.objects.type_objects import STRUCT_SEQUENCE, Lineage, TypeInfo
from gdb_epi.cpython.values.context import CONTAINERS
from gdb_epi.cpython.values.context import Obj as Obj
from gdb_epi.cpython.values.context import Undecodable as Undecodable
from gdb_epi.cpython.values.context import ValueContext as ValueContext
from gdb_epi.cpython.values.secrets import (
    MASKED,
    is_secret_name,
    is_shown_despite_name,
    mask_passwords,
)
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.sizes import split_into_words
from gdb_epi.typing_lite import Any, NamedTuple

DEPTH, MAX_DEPTH = 6, 40  # containers in containers
WIDTH, MAX_WIDTH = 100, 1_000_000  # items of one container
LENGTH, MAX_LENGTH = 4096, 1 << 24  # characters of one str, bytes, or digits of an int
TOTAL = 64 << 10  # characters of one value, all in all
MAX_TOTAL = 1 << 26
MAX_ATTRIBUTES = 200
MAX_NESTING = 60  # objects in objects of any kind; damaged ones may hold themselves
MAX_WHY = 200
UNCHECKED_SIZE = 4096  # bytes: anything up to this size is simply read

CUT = "..."  # after what is shown: more items, more characters
# In the place of all that is inside: `[...]` is what repr() prints of a list in itself.
NOT_SHOWN = "<cut>"
MAX_PARTS = 20_000
MAX_BARE = 8  # objects inside a value whose attributes stand after it
DECODERS: dict[str, DecodeFunction] = {}  # by the name of a built-in type
PYTHON_REPRS: dict[tuple[str, str], DecodeFunction] = {}  # by module and qualname of a __repr__
# namedtuple() and dataclass() make a __repr__ for each class; those share one decoder each.
NAMEDTUPLE_REPR = ("collections", "namedtuple")
DATACLASS_REPR = ("dataclasses", "dataclass")
ATTRS_REPR = ("attr", "s")


class ReprLimits(NamedTuple):
    """How much of one value is shown; what is left out is marked by `...` and `Value.cut`.

    `<cut>` stands where no contents are shown, as below the deepest container.

    `secrets`: also what names and URLs say is secret (see `secrets`), which is masked otherwise.
    """

    depth: int = DEPTH
    width: int = WIDTH
    length: int = LENGTH
    total: int = TOTAL
    secrets: bool = False

    def bounded(self) -> ReprLimits:
        """Return these limits, none beyond what is safe."""
        return ReprLimits(
            max(1, min(self.depth, MAX_DEPTH)),
            max(0, min(self.width, MAX_WIDTH)),
            max(1, min(self.length, MAX_LENGTH)),
            max(1, min(self.total, MAX_TOTAL)),
            self.secrets,
        )

    def capped_by(self, caps: ReprLimits) -> ReprLimits:
        """Return these limits, none larger than those of `caps`; secrets stay masked."""
        return ReprLimits(
            depth=min(self.depth, caps.depth),
            width=min(self.width, caps.width),
            length=min(self.length, caps.length),
            total=min(self.total, caps.total),
            secrets=self.secrets,
        )


class DecodedValue(NamedTuple):
    """One object as text.

    `exact`: the text is what repr() would have given, but for what `cut` says. `attributes` are
    those of an instance whose text does not show them, each (name, text).
    """

    type: str
    text: str
    cut: bool
    exact: bool
    attributes: tuple[tuple[str, str], ...] = ()

    def text_with_attributes(self) -> str:
        """Return the text, with the attributes after it."""
        return append_attributes(self.text, self.attributes)


def append_attributes(text: str, attributes: tuple[tuple[str, str], ...]) -> str:
    """Return a value's text with the attributes that it does not show after it."""
    if not attributes:
        return text
    return f"{text} with " + ", ".join(f"{name}={shown}" for name, shown in attributes)


class ThreadCallingRepr(NamedTuple):
    """The Python thread that repr() would run in: its threading.get_ident() and name."""

    ident: int
    name: str


DecodeFunction = Callable[["ReprDecoder", Obj], str]


def decodes(*names: str, in_itself: str = "") -> Callable[[DecodeFunction], DecodeFunction]:
    """Register the decoder of built-in types, named as by tp_name.

    `in_itself` is what repr() gives of a container inside itself.
    """
    return _make_registering_decorator(DECODERS, names, in_itself)


def decodes_repr(
    *names: tuple[str, str], in_itself: str = ""
) -> Callable[[DecodeFunction], DecodeFunction]:
    """Register a decoder that does what a `__repr__` written in Python does.

    It is named by module and qualname of that function, never by the class that has it.
    """
    return _make_registering_decorator(PYTHON_REPRS, names, in_itself)


def _make_registering_decorator(
    decoders: dict[Any, DecodeFunction], names: Iterable[object], in_itself: str
) -> Callable[[DecodeFunction], DecodeFunction]:
    def register(decode: DecodeFunction) -> DecodeFunction:
        def decode_once(decoder: ReprDecoder, obj: Obj) -> str:
            with decoder.entering_container(obj.address) as is_first:
                return decode(decoder, obj) if is_first else in_itself

        registered = decode_once if in_itself else decode
        decoders.update(dict.fromkeys(names, registered))
        return registered

    return register


def ignore_python_repr(decoder: ReprDecoder, obj: Obj) -> str | None:
    """Follow no `__repr__` of the program's own: every such object is shown by its name."""
    return None


class ReprDecoder:
    """The text of one value, and of what it holds; keeps count of what is left of the limits.

    `own_repr(decoder, obj)` tells what a `__repr__` of the program's own returns, or None.
    `asked_by` is the thread in whose frame the value stands; few texts depend on it.
    """

    def __init__(
        self,
        context: ValueContext,
        limits: ReprLimits,
        own_repr: Callable[[ReprDecoder, Obj], str | None] = ignore_python_repr,
        asked_by: ThreadCallingRepr | None = None,
    ) -> None:
        self.context = context
        self.target = context.target
        self.reader = context.reader
        self.objects = context.objects
        self.types = context.types
        self.layout = context.reader.layout
        self.limits = limits
        self.cut = False
        self.exact = True
        self.opaque = False  # the text of the outermost object shows nothing of what it holds
        self.bare: list[int] = []  # objects inside it whose text shows nothing of what they hold
        self.notes: list[tuple[str, str]] = []  # what the outermost object's text does not tell
        self.depends_on_asker = False
        self._own_repr, self._asked_by = own_repr, asked_by
        self._room = limits.total
        self._depth = 0
        self.nesting = 0
        self._parts = 0
        self._active: set[int] = set()

    def with_fresh_limits(self) -> ReprDecoder:
        """Return a decoder with the same limits, none of which is used up."""
        return ReprDecoder(self.context, self.limits, self._own_repr)

    def thread_calling_repr(self) -> ThreadCallingRepr | None:
        """Return the thread that asks for the text, which then holds for this thread alone."""
        self.depends_on_asker = True
        return self._asked_by

    # -- one object ---------------------------------------------------------------------------

    def obj(self, address: int) -> Obj:
        """Return an object with its type. Raises UnreadableMemory when it has none."""
        return self.context.obj(address)

    def repr_of(self, address: int) -> str:
        """Return the text of an object; what cannot be decoded is marked. Never raises."""
        if self._room <= 0 or self.nesting >= MAX_NESTING:
            self.cut = True
            return NOT_SHOWN
        self.nesting += 1
        name, room_before = "an object", self._room
        try:
            obj = self.obj(address)
            name = obj.type.qualified_name
            text = self._mask_of_secret_object(obj) or self._decode_object(obj)
            if self._is_freed(address):
                self.exact = False
                text = f"<freed (reference count 0): {text}>"
        except (UnreadableMemory, LayoutError, Undecodable) as error:
            self.exact = False
            text = f"<cannot decode {name} at {address:#x}: {str(error)[:MAX_WHY]}>"
        self.nesting -= 1
        if not self.nesting and not self.limits.secrets:
            text = self.mask_passwords(text)
        self._room = min(self._room, room_before - len(text))  # what is inside paid already
        return text

    def repr_of_named(self, name: str, address: int) -> str:
        """Return the text of an object under a name; masked when the name is that of a secret."""
        if self.limits.secrets or not is_secret_name(name):
            return self.repr_of(address)
        before, bare = (self.exact, self.cut, self.opaque, self._room), list(self.bare)
        text = self.repr_of(address)
        try:
            obj = self.obj(address)
        except (UnreadableMemory, LayoutError, Undecodable):
            return text  # why it cannot be read
        if is_shown_despite_name(name, obj.lineage.ident, text):
            return text
        self.exact, self.cut, self.opaque, self._room = before
        self.exact, self.bare = False, bare
        if obj.lineage.ident in CONTAINERS or obj.is_exact:
            self.context.masked.note_secret(self.context.reader, address, obj.lineage.ident)
        return f"{MASKED}{obj.type.name}>"

    def _mask_of_secret_object(self, obj: Obj) -> str:
        """Return what stands for an object that is masked elsewhere, under its name; "" for none.

        Its name there said that it is a secret.
        """
        if self.limits.secrets or obj.address not in self.context.masked.objects:
            return ""
        self.exact = False
        return f"{MASKED}{obj.type.name}>"

    def refuse_secret_names(self, *names: str) -> None:
        """Raise Undecodable for the name of a secret: where what it names is no object to mask."""
        if not self.limits.secrets and any(is_secret_name(name.strip()) for name in names):
            raise Undecodable("a name that may be that of a secret")

    def mask_passwords(self, text: str) -> str:
        """Return a text with `***` for passwords in it, unless secrets were asked for."""
        if self.limits.secrets:
            return text
        masked = self.context.masked.mask_secrets_in(mask_passwords(text))
        if masked != text:
            self.exact = False
        return masked

    def note_left_out(self, name: str, text: str) -> None:
        """Note what the text of the outermost object leaves out, such as a generator's line."""
        if self.nesting == 1:
            self.notes.append((name, text))

    def count_nested_value(self) -> None:
        """Count a part of a value that holds parts itself. Raises Undecodable after very many.

        For what does not go through repr_of(): fields of records, columns, items of lists of lists.
        """
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise Undecodable(f"more than {MAX_PARTS} parts")

    def mark_inexact(self) -> None:
        """Note that the text is not what repr() would have returned."""
        self.exact = False

    def object_repr(self, obj: Obj) -> str:
        """Return what object.__repr__ gives."""
        if not obj.type.qualname:
            self.exact = False
        self._note_hidden_contents(obj)
        return f"<{obj.type.qualified_name} object at {obj.address:#x}>"

    def _note_hidden_contents(self, obj: Obj) -> None:
        """Note that the text of an object shows nothing of what the object holds."""
        if not self._depth:
            self.opaque = True
        elif obj.address not in self.bare and len(self.bare) < MAX_BARE:
            self.bare.append(obj.address)

    def _decode_object(self, obj: Obj) -> str:
        lineage = obj.lineage
        if not lineage.ident or not lineage.has_repr_of_root:
            return self._decode_instance(obj)
        if lineage.has_repr_of_object:  # e.g. classmethod, which got a repr with 3.10
            return self.object_repr(obj)
        decode = DECODERS.get(lineage.ident) or _decoder_of_base(lineage)
        return decode(self, obj) if decode is not None else self._decode_instance(obj)

    def _decode_instance(self, obj: Obj) -> str:
        """Decode what has no decoder by its built-in type: by its Python __repr__, or by name."""
        if obj.lineage.has_repr_of_object:
            return self.object_repr(obj)
        decode = self._decoder_of_python_repr(obj.type)
        if decode is not None:
            return decode(self, obj)
        text = self._own_repr(self, obj)
        if text is not None:
            self._note_hidden_contents(obj)  # it may
            return text
        self.exact = False
        payload = DECODERS.get(obj.lineage.ident)
        if payload is None or obj.lineage.has_repr_of_root:
            return self.object_repr(obj)
        return f"{self.object_repr(obj)[:-1]}: {payload(self, obj)}>"

    def _decoder_of_python_repr(self, info: TypeInfo) -> DecodeFunction | None:
        by_type = self.context.python_reprs
        if info.address not in by_type:
            inherited = self.types.lookup(info, "__repr__")
            identity = self._repr_identity(*inherited) if inherited is not None else None
            by_type[info.address] = PYTHON_REPRS.get(identity) if identity is not None else None
        return by_type[info.address]

    def _repr_identity(self, owner: TypeInfo, address: int) -> tuple[str, str] | None:
        """Return (module, qualname) of a `__repr__` found in a class; None for no function."""
        try:
            if self.obj(address).type.name == "cython_function_or_method":
                return self.types.lineage(owner.address).ident, f"{owner.qualname}.__repr__"
            if self.ident(address) != "function":
                return None
            module = self.objects.module_name(
                self.field(address, "PyFunctionObject", "func_globals")
            )
            qualname = self.string(self.field(address, "PyFunctionObject", "func_qualname"))
            code = self.field(address, "PyFunctionObject", "func_code")
            name = self.string(self.field(code, "PyCodeObject", "co_name"))
        except (UnreadableMemory, Undecodable):
            return None
        if isinstance(module, Absent):
            return None
        if name == "__repr__" and self._is_made_by_attrs(owner, code):
            return ATTRS_REPR
        if module == "collections" and name == "__repr__":
            fields = self.objects.dict_get(owner.dict, "_fields")
            if not isinstance(fields, Absent):
                return NAMEDTUPLE_REPR
        # The generated function is wrapped against recursion (3.14 took reprlib's wrapper for it).
        if module in ("dataclasses", "reprlib") and name == "wrapper":
            fields = self.objects.dict_get(owner.dict, "__dataclass_fields__")
            return (owner.module, qualname) if isinstance(fields, Absent) else DATACLASS_REPR
        return module, qualname

    def _is_made_by_attrs(self, owner: TypeInfo, code: int) -> bool:
        """Tell whether attrs made a `__repr__`: its code then names no file of the program's."""
        if isinstance(self.objects.dict_get(owner.dict, "__attrs_attrs__"), Absent):
            return False
        file = self.string(self.field(code, "PyCodeObject", "co_filename"))
        return file.startswith("<attrs generated") or file.endswith("/attr/_make.py")

    def _is_freed(self, address: int) -> bool:
        """Tell whether an object's reference count is 0, as freeing leaves it.

        Free-threaded builds count in two fields, which are not covered here.
        """
        at = self.layout.offset("PyObject", "ob_refcnt")
        member = self.layout.find_field("PyObject", "ob_refcnt")
        if at is None or member is None or self.layout.free_threaded:
            return False
        return not any(self.reader.read(address + at, member.size))

    # -- containers ---------------------------------------------------------------------------

    def entering_container(self, address: int) -> EnteredContainer:
        """Return a context manager around the contents of a container.

        It yields False, and does nothing, when the container is inside itself.
        """
        return EnteredContainer(self, address)

    def enter_container(self, address: int) -> bool:
        """Begin a container; False when it is inside itself (then do not leave_container())."""
        if address in self._active:
            return False
        self._active.add(address)
        self._depth += 1
        return True

    def leave_container(self, address: int) -> None:
        """End a container."""
        self._active.discard(address)
        self._depth -= 1

    @property
    def is_too_deep(self) -> bool:
        """Whether the contents of one more container are to be left out."""
        return self._depth > self.limits.depth

    def join_item_texts(self, addresses: Iterable[int], count: int) -> str:
        """Return the items of a container with commas, `...` for those left out."""
        return self.join_text((self.repr_of(address) for address in addresses), count)

    def join_text(self, texts: Iterable[str], count: int) -> str:
        """Return texts with commas, at most as many as the width allows; `count` are expected."""
        parts: list[str] = []
        if count and self.is_too_deep:
            self.cut = True
            return NOT_SHOWN
        if count:
            for text in texts:
                if len(parts) >= self.limits.width or self._room <= 0:
                    break
                parts.append(text)
                self._room -= 2
        if len(parts) < count:
            self.cut = True
            parts.append(CUT if parts else NOT_SHOWN)
        return ", ".join(parts)

    def read_object_pointers(self, address: int, count: int, what: str) -> list[int]:
        """Read an array of PyObject *, as far as the width allows."""
        if not count:
            return []
        self.require_range(address, 8 * count, what)
        number = min(count, self.limits.width)
        return split_into_words(self.reader.read(address, 8 * number))

    def array_range(self, address: int, kind: str) -> tuple[int, int]:
        """Return where the items of a tuple or "list" begin, and how many there are."""
        if kind == "list":
            start = self.field(address, "PyListObject", "ob_item")
            return start, self.signed_field(address, "PyListObject", "ob_size")
        start = address + self.offset("PyTupleObject", "ob_item")
        return start, self.signed_field(address, "PyTupleObject", "ob_size")

    def tuple_items(self, address: int) -> list[int]:
        """Return the items of a tuple, as far as the width allows. Raises Undecodable."""
        if self.ident(address) not in ("tuple", STRUCT_SEQUENCE):
            raise Undecodable("not a tuple")
        return self.read_object_pointers(*self.array_range(address, "tuple"), "tuple items")

    def list_items(self, address: int) -> list[int]:
        """Return the items of a list, as far as the width allows. Raises Undecodable."""
        if self.ident(address) != "list":
            raise Undecodable("not a list")
        return self.read_object_pointers(*self.array_range(address, "list"), "list items")

    def keyword_texts(self, keywords: int) -> Iterator[str]:
        """Yield `name=value` of a dict whose keys are str."""
        for key, value in self.objects.dict_items(keywords):
            name = self.string(key)
            yield f"{name}={self.repr_of_named(name, value)}"

    # -- types and attributes -----------------------------------------------------------------

    def ident(self, address: int) -> str:
        """Return the built-in type that an object goes back to, "" when there is none."""
        return self.obj(address).lineage.ident

    def is_none(self, address: int) -> bool:
        """Tell whether an object is None."""
        return self.ident(address) == "NoneType"

    def type_name(self, obj: Obj) -> str:
        """Return tp_name. Raises Undecodable when nobody has it."""
        if not obj.type.full_name:
            raise Undecodable("its type has no name")
        return obj.type.full_name

    def class_name(self, obj: Obj) -> str:
        """Return `__name__` of the type. Raises Undecodable when nobody has it."""
        self.type_name(obj)
        return obj.type.name

    def attribute(self, address: int, name: str) -> int:
        """Return one attribute (PyObject *) of an instance. Raises Undecodable when it has none."""
        return self.context.attribute(address, name)

    def attribute_text(self, address: int, name: str) -> str:
        """Return repr() of an attribute. Raises Undecodable when there is none."""
        return self.repr_of_named(name, self.context.attribute(address, name))

    def is_attribute_true(self, address: int, name: str) -> bool:
        """Tell whether an attribute is True. Raises Undecodable when there is none."""
        return self.attribute_text(address, name) == "True"

    def module_global(self, module: str, name: str) -> int:
        """Return a global (PyObject *) of an imported module. Raises Undecodable."""
        contents = self.types.module_dict(module)
        value = self.objects.dict_get(contents, name) if contents else 0
        if not value or isinstance(value, Absent):
            raise Undecodable(f"{module}.{name} is not to be found")
        return value

    # -- memory -------------------------------------------------------------------------------

    def offset(self, struct: str, *members: str) -> int:
        """Return the offset of the first of these members that the struct has."""
        return self.context.offset(struct, *members)

    def field(self, address: int, struct: str, *members: str) -> int:
        """Return a 64-bit member of a struct at an address."""
        return self.reader.u64(address + self.context.offset(struct, *members))

    def signed_field(self, address: int, struct: str, *members: str) -> int:
        """Return a Py_ssize_t member of a struct at an address."""
        return self.reader.i64(address + self.context.offset(struct, *members))

    def bit_field(self, address: int, struct: str, name: str) -> int:
        """Return a member of a few bits, or a whole one. Raises Undecodable for an unknown one."""
        member = self.layout.find_field(struct, name)
        if member is None:
            raise Undecodable(f"the layout has no {struct}.{name}")
        raw = self.reader.read(address + member.offset, member.size)
        return member._replace(offset=0).value_in(raw)

    def address_behind_header(self, obj: Obj) -> int:
        """Return the address after an object's PyObject header."""
        return obj.address + (self.layout.size("PyObject") or 0)

    def word(self, obj: Obj, index: int) -> int:
        """Return a 64-bit word of an object's struct, counted from after its header."""
        return self.reader.u64(self.address_behind_header(obj) + 8 * index)

    def signed_word_of_object(self, obj: Obj, index: int) -> int:
        """Return a Py_ssize_t of an object's struct, counted as by word()."""
        return self.reader.i64(self.address_behind_header(obj) + 8 * index)

    def member_address(self, obj: Obj, name: str) -> int:
        """Return the address of a member that a C type declares. Raises Undecodable."""
        for info in obj.lineage.types:
            place = self.context.members(info).get(name)
            if place is not None and 0 < place[0] < info.basicsize:
                return obj.address + place[0]
        raise Undecodable(f"its type declares no member {name}")

    def string(self, address: int, cap: int = 4096) -> str:
        """Return a short str object's contents. Raises Undecodable."""
        text = self.reader.string(address, cap)
        if isinstance(text, Absent):
            raise Undecodable(text.detail)
        return text

    def require_range(self, address: int, size: int, what: str) -> None:
        """Raise Undecodable unless a range of this size can be there at all."""
        if size < 0:
            raise Undecodable(f"{what}: a negative size")
        if size <= UNCHECKED_SIZE:
            return
        region = self.target.region_at(address)
        if region is not None and address + size <= region.end:
            return
        end = self.target.region_at(address + size - 1)
        if region is None or end is None or size >> 40:
            raise Undecodable(f"{what} of {size} bytes do not fit the mapping")


class EnteredContainer:
    """The `with` block of ReprDecoder.entering_container()."""

    __slots__ = ("_address", "_decoder", "_is_first")

    def __init__(self, decoder: ReprDecoder, address: int) -> None:
        self._decoder, self._address = decoder, address

    def __enter__(self) -> bool:
        self._is_first = self._decoder.enter_container(self._address)
        return self._is_first

    def __exit__(self, *_error: object) -> None:
        if self._is_first:
            self._decoder.leave_container(self._address)


def _decoder_of_base(lineage: Lineage) -> DecodeFunction | None:
    """Return the decoder of a C base that gave a C type its repr, as numpy.dtype does."""
    for info in lineage.types[1:]:
        same = info.repr == lineage.types[0].repr and not info.is_python_class
        if same and info.full_name in DECODERS:
            return DECODERS[info.full_name]
    return None
