# SPDX-License-Identifier: Apache-2.0
"""What a `__repr__` of the program's own returns, where its bytecode leaves no doubt.

Most of them return a constant or fill attributes into an f-string. Such code is followed, one
instruction after the other; nothing is called but what is known: repr() and str() of values that
are decoded themselves, format() and `%` of plain ones, `type(self)`. Whatever else the code does
(a branch, another call, a property, a `__getattr__`), its text is refused, and the object is shown
by its name.

The numbers of opcodes and of their inline caches come from the layout; an instruction that the
eval loop has specialised (3.11, PEP 659) stands for the one it came from. Those that a tracer or a
profiler has replaced are refused. Source: Python/bytecodes.c, Python/ceval.c of each version.

Values of the very types int, bool, float and str are formatted by this Python: that is C code and
the same in 3.8 to 3.15. What changed in between is refused: a 0 before the width of a str (3.10,
bpo-27772), `z` (3.11), and what depends on the locale (`n`).
"""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.cpython.frames.code import CODE_UNIT, bytecode_of
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.decoders.builtin_scalars import float_value, int_value
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable
from gdb_epi.cpython.values.secrets import is_secret_name
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple

MAX_UNITS = 400  # of two bytes each
MAX_STEPS = 200

# What an instruction does, by the opcodes that do it, with those that the eval loop specialises.
# The second half of LOAD_CONST__LOAD_FAST keeps an opcode of its own (3.11, 3.12).
_RESUMES = frozenset(("RESUME", "RESUME_QUICK", "RESUME_CHECK", "RESUME_CHECK_JIT"))
_PRECALLS = frozenset(("PRECALL", "PRECALL_ADAPTIVE", "PRECALL_NO_KW_TYPE_1"))
_ATTRIBUTES = (
    "LOAD_ATTR LOAD_ATTR_ADAPTIVE LOAD_ATTR_INSTANCE_VALUE LOAD_ATTR_SLOT LOAD_ATTR_WITH_HINT "
    "LOAD_ATTR_CLASS LOAD_ATTR_NONDESCRIPTOR_NO_DICT LOAD_ATTR_NONDESCRIPTOR_WITH_VALUES"
)
_DOES = {
    "skip": ("NOP", *_RESUMES, *_PRECALLS),
    "null": ("PUSH_NULL",),
    "const": ("LOAD_CONST", "LOAD_CONST_IMMORTAL", "LOAD_CONST_MORTAL", "LOAD_CONST__LOAD_FAST"),
    "fast": ("LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST__LOAD_CONST"),
    "attr": tuple(_ATTRIBUTES.split()),
    "global": ("LOAD_GLOBAL", "LOAD_GLOBAL_ADAPTIVE", "LOAD_GLOBAL_BUILTIN"),
    "call": ("CALL", "CALL_ADAPTIVE", "CALL_NO_KW_TYPE_1", "CALL_TYPE_1", "CALL_FUNCTION"),
    "format": ("FORMAT_VALUE",),
    "simple": ("FORMAT_SIMPLE",),
    "spec": ("FORMAT_WITH_SPEC",),
    "convert": ("CONVERT_VALUE",),
    "build": ("BUILD_STRING",),
    "tuple": ("BUILD_TUPLE",),
    "modulo": ("BINARY_MODULO",),
    "binary": ("BINARY_OP", "BINARY_OP_ADAPTIVE"),
    "return": ("RETURN_VALUE",),
    "return_const": ("RETURN_CONST",),
}
_CACHED = {"attr": "LOAD_ATTR", "global": "LOAD_GLOBAL", "call": "CALL", "binary": "BINARY_OP"}

Step = tuple[str, int]  # what to do, its argument


def steps_of(decoder: ReprDecoder, info: TypeInfo) -> list[Step] | None:
    """Return the instructions of a class's `__repr__`; None when they cannot all be followed."""
    steps = decoder.context.repr_steps
    if info.address not in steps:
        try:
            steps[info.address] = _read_steps(decoder, info)
        except (Undecodable, UnreadableMemory, LayoutError):
            steps[info.address] = None
    return steps[info.address]


def function_of(decoder: ReprDecoder, info: TypeInfo) -> int:
    """Return the `__repr__` (PyFunctionObject *) of a class. Raises Undecodable."""
    inherited = decoder.types.lookup(info, "__repr__")
    if inherited is None or decoder.ident(inherited[1]) != "function":
        raise Undecodable("its __repr__ is no function")
    return inherited[1]


def _read_steps(decoder: ReprDecoder, info: TypeInfo) -> list[Step]:
    reader, layout = decoder.reader, decoder.layout
    code = decoder.field(function_of(decoder, info), "PyFunctionObject", "func_code")
    names = ("CO_VARARGS", "CO_VARKEYWORDS", "CO_GENERATOR", "CO_COROUTINE", "CO_ASYNC_GENERATOR")
    refused = sum(layout.constant(name) or 0 for name in names)
    flags = reader.u32(code + decoder.offset("PyCodeObject", "co_flags"))
    count = reader.u32(code + decoder.offset("PyCodeObject", "co_argcount"))
    if count != 1 or flags & refused:
        raise Undecodable("a __repr__ that takes more than self")
    start, size = bytecode_of(reader, code)
    if not 0 < size <= CODE_UNIT * MAX_UNITS:
        raise Undecodable(f"a __repr__ of {size} bytes of instructions")
    return _followed(layout, reader.read(start, size))


def _followed(layout: Layout, units: bytes) -> list[Step]:
    """Return the instructions up to the first return. Raises Undecodable at an unknown one."""
    does = {layout.constant(op): what for what, ops in _DOES.items() for op in ops}
    caches = {what: layout.constant(f"INLINE_CACHE_ENTRIES_{op}") for what, op in _CACHED.items()}
    resumes = {layout.constant(op) for op in _RESUMES}
    precalls = {layout.constant(op) for op in _PRECALLS}
    steps: list[Step] = []
    at = 0
    while at + 1 < len(units) and len(steps) < MAX_STEPS:
        opcode, argument = units[at], units[at + 1]
        what = does.get(opcode)
        if what is None:
            raise Undecodable(f"opcode {opcode}")
        skipped = caches.get(what) or 0
        if opcode in resumes:
            skipped = layout.constant("INLINE_CACHE_ENTRIES_RESUME") or 0  # 3.15
        elif opcode in precalls:
            skipped = layout.constant("INLINE_CACHE_ENTRIES_PRECALL") or 0  # 3.11
        if what != "skip":
            steps.append((what, argument))
        if what.startswith("return"):
            return steps
        at += 2 + 2 * skipped
    raise Undecodable("no return")


_NUMBER = r"(?:.?[<>^=])?[-+ ]?#?0?\d{0,4}[,_]?(?:\.\d{1,3})?[bcdeEfFgGoxX%]?"
_TEXT = r"(?:.?[<>^])?(?:[1-9]\d{0,3})?(?:\.\d{1,3})?s?"
_PERCENT = r"%(?:%|([-#0 +]*\d{0,4}(?:\.\d{1,3})?)([srdixXofFeEgG]))"
Plain = int | float | str


def plain_value(decoder: ReprDecoder, address: int) -> Plain:
    """Return an int, bool, float or str of that very type. Raises Undecodable for all others."""
    obj = decoder.obj(address)
    ident = obj.lineage.ident
    if not obj.is_exact:
        raise Undecodable("formatting by a class of the program's own")
    if ident == "str":
        return decoder.string(address, decoder.limits.length)
    if ident in ("int", "bool"):
        number = int_value(decoder, address)
        return number if ident == "int" else bool(number)
    if ident == "float":
        return float_value(decoder, address)
    raise Undecodable(f"formatting of {ident or 'an object'}")


def formatted(value: Plain, spec: str) -> str:
    """Return format(value, spec). Raises Undecodable for what releases do in different ways."""
    import re

    if re.fullmatch(_TEXT if isinstance(value, str) else _NUMBER, spec, re.S) is None:
        raise Undecodable(f"the format {spec!r}")
    try:
        return format(value, spec)
    except (ValueError, OverflowError, TypeError) as error:
        raise Undecodable(str(error)) from None


def percent(
    template: str, count: int, text: Callable[[int, bool], str], value: Callable[[int], Plain]
) -> str:
    """Return `template % items`; `text` gives str() or repr() (True) of an item, `value` a number.

    Raises Undecodable.
    """
    import re

    parts: list[str] = []
    end = taken = 0
    for match in re.finditer(_PERCENT, template):
        parts.append(template[end : match.start()])
        end = match.end()
        flags, kind = match[1], match[2]
        if kind is None:
            parts.append("%")
            continue
        if taken >= count:
            raise Undecodable("too few values for a format")
        item = text(taken, kind == "r") if kind in "sr" else value(taken)
        taken += 1
        try:
            parts.append(f"%{flags}{'s' if kind == 'r' else kind}" % item)
        except (ValueError, OverflowError, TypeError) as error:
            raise Undecodable(str(error)) from None
    parts.append(template[end:])
    if taken != count or any("%" in part for part in parts[::2]):
        raise Undecodable("a format that is not known")
    return "".join(parts)


MAX_TEXT = 1 << 16

# Types whose str() is their repr(), when they are of the very type.
_STR_IS_REPR = frozenset(
    "int bool float complex NoneType ellipsis list tuple dict set frozenset".split()
)
_STR, _REPR = 1, 2  # conversions of FORMAT_VALUE (FVC_*) and of CONVERT_VALUE
_CONVERSIONS, _HAS_SPEC = 3, 4  # the parts of FORMAT_VALUE's argument (FVC_MASK, FVS_HAVE_SPEC)
# No descriptors: found in a class, they are the value.
_PLAIN_DATA = _STR_IS_REPR | {"str", "bytes"}


class _Text(NamedTuple):
    text: str


class _Value(NamedTuple):
    address: int  # PyObject *
    name: str = ""  # of the attribute that it is


class _Class(NamedTuple):
    info: TypeInfo


class _Global(NamedTuple):
    name: str  # a global name


class _Tuple(NamedTuple):
    items: tuple[_Text | _Value, ...]


Item = _Text | _Value | _Class | _Global | _Tuple | None


def own_repr(decoder: ReprDecoder, obj: Obj) -> str | None:
    """Return what the `__repr__` in the object's class returns; None when that cannot be told."""
    steps = steps_of(decoder, obj.type)
    if steps is None or not decoder.enter(obj.address):
        return None
    before = decoder.exact, decoder.cut
    try:
        return _ReprCall(decoder, obj).run(steps)
    except (Undecodable, UnreadableMemory, LayoutError):
        decoder.exact, decoder.cut = before
        return None
    finally:
        decoder.leave(obj.address)


class _ReprCall:
    """One call of a `__repr__`: what lies on its value stack."""

    def __init__(self, decoder: ReprDecoder, obj: Obj) -> None:
        self.decoder, self.obj = decoder, obj
        function = function_of(decoder, obj.type)
        self.globals = decoder.field(function, "PyFunctionObject", "func_globals")
        self.code = decoder.field(function, "PyFunctionObject", "func_code")
        # 3.11: LOAD_GLOBAL's lowest bit asks for a NULL beside it, 3.12: LOAD_ATTR's for a method.
        self.global_shift = 1 if decoder.layout.offset("PyCodeObject", "co_qualname") else 0
        constant = decoder.layout.constant
        self.attr_shift = 1 if constant("RETURN_CONST") or constant("FORMAT_SIMPLE") else 0
        self.stack: list[Item] = []

    def run(self, steps: list[Step]) -> str:
        """Return the text. Raises Undecodable where a step is not what is known of it."""
        for what, argument in steps:
            if what.startswith("return"):
                if what == "return_const":
                    self._do_const(argument)
                return self._text()
            getattr(self, f"_do_{what}")(argument)
        raise Undecodable("no return")

    def _pop(self) -> Item:
        if not self.stack:
            raise Undecodable("an empty stack")
        return self.stack.pop()

    def _text(self) -> str:
        item = self._pop()
        if isinstance(item, _Value) and self._is_str(item.address):
            return self.decoder.string(item.address, self.decoder.limits.length)
        if not isinstance(item, _Text) or len(item.text) > MAX_TEXT:
            raise Undecodable("no text")
        return item.text

    def _is_str(self, address: int) -> bool:
        obj = self.decoder.obj(address)
        return obj.lineage.ident == "str" and obj.is_exact

    def _tuple_item(self, member: str, number: int) -> int:
        """Return co_names[number] or co_consts[number]."""
        items = self.decoder.field(self.code, "PyCodeObject", member)
        if self.decoder.ident(items) != "tuple":
            raise Undecodable(f"{member} is no tuple")
        if not 0 <= number < self.decoder.signed(items, "PyTupleObject", "ob_size"):
            raise Undecodable(f"no {member}[{number}]")
        start = items + self.decoder.offset("PyTupleObject", "ob_item")
        return self.decoder.reader.u64(start + 8 * number)

    def _do_null(self, _argument: int) -> None:
        self.stack.append(None)

    def _do_const(self, argument: int) -> None:
        self.stack.append(_Value(self._tuple_item("co_consts", argument)))

    def _do_fast(self, argument: int) -> None:
        if argument:
            raise Undecodable("a local variable")
        self.stack.append(_Value(self.obj.address))

    def _do_global(self, argument: int) -> None:
        name = self.decoder.string(self._tuple_item("co_names", argument >> self.global_shift))
        if self.global_shift and argument & 1:
            self.stack.append(None)
        self.stack.append(_Global(name))

    def _do_call(self, argument: int) -> None:
        # The NULL lies below the callable (3.11, 3.12) or above it (3.13).
        given = self._pop()
        called = self._pop()
        if self.global_shift:
            called = called or self._pop()
            if self.stack and self.stack[-1] is None:
                self.stack.pop()
        mine = isinstance(given, _Value) and given.address == self.obj.address
        if argument != 1 or not mine or called != _Global("type") or not self._builtin("type"):
            raise Undecodable("a call")
        self.stack.append(_Class(self.obj.type))

    def _builtin(self, name: str) -> bool:
        context = self.decoder.context
        mine = context.objects.dict_get(self.globals, name)
        builtins = context.types.module_dict("builtins")
        if not isinstance(mine, Absent) or not builtins:
            return False
        value = context.objects.dict_get(builtins, name)
        return not isinstance(value, Absent) and context.types.at(value).full_name == name

    def _do_attr(self, argument: int) -> None:
        if self.attr_shift and argument & 1:
            raise Undecodable("a method")
        name = self.decoder.string(self._tuple_item("co_names", argument >> self.attr_shift))
        of = self._pop()
        if isinstance(of, _Class):
            self.stack.append(_Text(self._of_class(of.info, name)))
        elif isinstance(of, _Value) and name == "__class__":
            self._require_default(self.decoder.obj(of.address), name)
            self.stack.append(_Class(self.decoder.obj(of.address).type))
        elif isinstance(of, _Value):
            self.stack.append(_Value(self._of_instance(of.address, name), name))
        else:
            raise Undecodable("an attribute")

    def _of_class(self, info: TypeInfo, name: str) -> str:
        meta = self.decoder.obj(info.address)
        if meta.type.address != meta.lineage.root.address or not info.python_class:
            raise Undecodable("a class whose attributes another class decides on")
        if name not in ("__name__", "__qualname__"):
            raise Undecodable("an attribute of a class")
        return info.name if name == "__name__" else info.qualname

    def _require_default(self, obj: Obj, name: str) -> tuple[TypeInfo, int] | None:
        """Return what the class has of a name. Raises Undecodable unless `object` finds it."""
        decoder, base = self.decoder, obj.lineage.types[-1]
        mine, default = (
            decoder.field(info.address, "PyTypeObject", "tp_getattro") for info in (obj.type, base)
        )
        # The dicts of static types are not seen (3.12), so what they have is not known.
        unseen = any(i.base and not i.dict for i in decoder.types.mro(obj.type))
        in_class = decoder.types.lookup(obj.type, name)
        computed = name == "__class__" and in_class is not None and in_class[0].python_class
        if base.base or mine != default or unseen or computed:
            raise Undecodable("a class that finds its attributes in a way of its own")
        return in_class

    def _of_instance(self, address: int, name: str) -> int:
        in_class = self._require_default(self.decoder.obj(address), name)
        kind = self.decoder.obj(in_class[1]) if in_class else None
        if kind is not None and kind.lineage.ident != "member_descriptor":
            own = kind.type.address == kind.lineage.root.address
            if kind.lineage.ident not in _PLAIN_DATA or not own:
                raise Undecodable("an attribute that a class computes")
        try:
            return self.decoder.attribute(address, name)
        except Undecodable:
            if in_class is None or kind is None or kind.lineage.ident == "member_descriptor":
                raise
            return in_class[1]

    def _do_format(self, argument: int) -> None:
        how, has_spec = argument & _CONVERSIONS, argument & _HAS_SPEC
        if how > _REPR or argument > _HAS_SPEC + _REPR:
            raise Undecodable("a format")
        spec = self._text() if has_spec else ""
        if how or not spec:
            self._convert(how or _STR)
        if spec:
            self._format(spec)

    def _do_spec(self, _argument: int) -> None:
        spec = self._text()
        self._format(spec) if spec else self._convert(_STR)

    def _format(self, spec: str) -> None:
        """Put format(value, spec) in the place of the topmost value."""
        self.stack.append(_Text(formatted(self._plain(self._pop()), spec)))

    def _plain(self, item: Item) -> int | float | str:
        if isinstance(item, _Text) and not self.decoder.cut:
            return item.text
        if not isinstance(item, _Value) or (
            not self.decoder.limits.secrets and is_secret_name(item.name)
        ):
            raise Undecodable("a value that is formatted")
        return plain_value(self.decoder, item.address)

    def _do_tuple(self, argument: int) -> None:
        items = [self._pop() for _ in range(argument)][::-1]
        parts = tuple(item for item in items if isinstance(item, (_Text, _Value)))
        if len(parts) != argument:
            raise Undecodable("a tuple")
        self.stack.append(_Tuple(parts))

    def _do_binary(self, argument: int) -> None:
        if argument != self.decoder.layout.constant("NB_REMAINDER"):  # 3.11 (bpo-45256)
            raise Undecodable("an operator")
        self._do_modulo(argument)

    def _do_modulo(self, _argument: int) -> None:
        """`%`; from 3.11 on the compiler makes f-strings of the simple ones."""
        given, template = self._pop(), self._text()
        items = given.items if isinstance(given, _Tuple) else (given,)
        if isinstance(given, _Value) and self.decoder.ident(given.address) == "tuple":
            raise Undecodable("a tuple")

        def text(number: int, wants_repr: bool) -> str:
            self.stack.append(items[number])
            self._convert(_REPR if wants_repr else _STR)
            return self._text()

        value = percent(template, len(items), text, lambda number: self._plain(items[number]))
        if self.decoder.cut:
            raise Undecodable("a cut value that is formatted")
        self.stack.append(_Text(value))

    def _do_simple(self, _argument: int) -> None:
        self._convert(_STR)

    def _do_convert(self, argument: int) -> None:
        self._convert(argument)

    def _convert(self, how: int) -> None:
        item = self._pop()
        if isinstance(item, _Text) and how == _STR:
            self.stack.append(item)
        elif isinstance(item, _Text) and how == _REPR:
            self.stack.append(_Text(repr(item.text)))
        elif isinstance(item, _Value) and how in (_STR, _REPR):
            self.stack.append(_Text(self._shown(item, how)))
        else:
            raise Undecodable("a conversion")

    def _shown(self, item: _Value, how: int) -> str:
        address = item.address
        if address == self.obj.address:
            raise Undecodable("itself")
        if not self.decoder.limits.secrets and is_secret_name(item.name):
            return self.decoder.named(item.name, address)
        if how == _STR and self._is_str(address):
            return self.decoder.string(address, self.decoder.limits.length)
        obj = self.decoder.obj(address)
        own = obj.is_exact
        if how == _STR and not (own and obj.lineage.ident in _STR_IS_REPR):
            raise Undecodable("a str() of a type that may have its own")
        return self.decoder.repr_of(address)

    def _do_build(self, argument: int) -> None:
        parts = [self._text() for _ in range(argument)]
        self.stack.append(_Text("".join(reversed(parts))))
