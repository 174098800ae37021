# SPDX-License-Identifier: Apache-2.0
"""What a `__repr__` of the program's own returns, where its bytecode leaves no doubt.

Most of them return a constant or fill attributes into an f-string. Such code is followed, one
instruction after the other; nothing is called but what is known: repr() and str() of values that
are decoded themselves, format() and `%` of plain ones, `type(self)`. Whatever else the code does
(a branch, another call, a property, a `__getattr__`), its text is refused, and the object is shown
by its name.
Source: Python/bytecodes.c, Python/ceval.c of each version.
"""

from __future__ import annotations

from gdb_epi.cpython.values_attributes import attribute
from gdb_epi.cpython.values_code_steps import Step, function_of, steps_of
from gdb_epi.cpython.values_core import Obj, Painter, Undecodable
from gdb_epi.cpython.values_formatting import formatted, percent, plain_value
from gdb_epi.cpython.values_types import TypeInfo
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.lean import NamedTuple

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


class _Class(NamedTuple):
    info: TypeInfo


class _Named(NamedTuple):
    name: str  # a global name


class _Tuple(NamedTuple):
    items: tuple[_Text | _Value, ...]


Item = _Text | _Value | _Class | _Named | _Tuple | None


def own_repr(painter: Painter, found: Obj) -> str | None:
    """Return what the `__repr__` in the object's class returns; None when that cannot be told."""
    steps = steps_of(painter, found.type)
    if steps is None or not painter.enter(found.address):
        return None
    before = painter.exact, painter.cut
    try:
        return _Run(painter, found).run(steps)
    except (Undecodable, UnreadableMemory, LayoutError):
        painter.exact, painter.cut = before
        return None
    finally:
        painter.leave(found.address)


class _Run:
    """One call of a `__repr__`: what lies on its value stack."""

    def __init__(self, painter: Painter, found: Obj) -> None:
        self.painter, self.found = painter, found
        function = function_of(painter, found.type)
        self.globals = painter.field(function, "PyFunctionObject", "func_globals")
        self.code = painter.field(function, "PyFunctionObject", "func_code")
        # 3.11: LOAD_GLOBAL's lowest bit asks for a NULL beside it, 3.12: LOAD_ATTR's for a method.
        self.global_shift = 1 if painter.layout.offset("PyCodeObject", "co_qualname") else 0
        new_attr = painter.layout.constant("RETURN_CONST") or painter.layout.constant(
            "FORMAT_SIMPLE"
        )
        self.attr_shift = 1 if new_attr else 0
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
            return self.painter.string(item.address, self.painter.limits.length)
        if not isinstance(item, _Text) or len(item.text) > MAX_TEXT:
            raise Undecodable("no text")
        return item.text

    def _is_str(self, address: int) -> bool:
        one = self.painter.obj(address)
        return one.lineage.ident == "str" and one.type.address == one.lineage.root.address

    def _tuple_item(self, member: str, number: int) -> int:
        """Return co_names[number] or co_consts[number]."""
        items = self.painter.field(self.code, "PyCodeObject", member)
        if self.painter.ident(items) != "tuple":
            raise Undecodable(f"{member} is no tuple")
        if not 0 <= number < self.painter.signed(items, "PyTupleObject", "ob_size"):
            raise Undecodable(f"no {member}[{number}]")
        start = items + self.painter.world.offset("PyTupleObject", "ob_item")
        return self.painter.reader.u64(start + 8 * number)

    def _do_null(self, _argument: int) -> None:
        self.stack.append(None)

    def _do_const(self, argument: int) -> None:
        self.stack.append(_Value(self._tuple_item("co_consts", argument)))

    def _do_fast(self, argument: int) -> None:
        if argument:
            raise Undecodable("a local variable")
        self.stack.append(_Value(self.found.address))

    def _do_global(self, argument: int) -> None:
        name = self.painter.string(self._tuple_item("co_names", argument >> self.global_shift))
        if self.global_shift and argument & 1:
            self.stack.append(None)
        self.stack.append(_Named(name))

    def _do_call(self, argument: int) -> None:
        # The NULL lies below the callable (3.11, 3.12) or above it (3.13).
        given = self._pop()
        called = self._pop()
        if self.global_shift:
            called = called or self._pop()
            if self.stack and self.stack[-1] is None:
                self.stack.pop()
        mine = isinstance(given, _Value) and given.address == self.found.address
        if argument != 1 or not mine or called != _Named("type") or not self._builtin("type"):
            raise Undecodable("a call")
        self.stack.append(_Class(self.found.type))

    def _builtin(self, name: str) -> bool:
        world = self.painter.world
        mine = world.objects.dict_get(self.globals, name)
        builtins = world.types.module_dict("builtins")
        if not isinstance(mine, Absent) or not builtins:
            return False
        value = world.objects.dict_get(builtins, name)
        return not isinstance(value, Absent) and world.types.at(value).full_name == name

    def _do_attr(self, argument: int) -> None:
        if self.attr_shift and argument & 1:
            raise Undecodable("a method")
        name = self.painter.string(self._tuple_item("co_names", argument >> self.attr_shift))
        of = self._pop()
        if isinstance(of, _Class):
            self.stack.append(_Text(self._of_class(of.info, name)))
        elif isinstance(of, _Value) and name == "__class__":
            self._require_default(self.painter.obj(of.address), name)
            self.stack.append(_Class(self.painter.obj(of.address).type))
        elif isinstance(of, _Value):
            self.stack.append(_Value(self._of_instance(of.address, name)))
        else:
            raise Undecodable("an attribute")

    def _of_class(self, info: TypeInfo, name: str) -> str:
        meta = self.painter.obj(info.address)
        if meta.type.address != meta.lineage.root.address or not info.python_class:
            raise Undecodable("a class whose attributes another class decides on")
        if name not in ("__name__", "__qualname__"):
            raise Undecodable("an attribute of a class")
        return info.name if name == "__name__" else info.qualname

    def _require_default(self, one: Obj, name: str) -> tuple[TypeInfo, int] | None:
        """Return what the class has of a name. Raises Undecodable unless `object` finds it."""
        painter, base = self.painter, one.lineage.types[-1]
        mine, default = (
            painter.field(info.address, "PyTypeObject", "tp_getattro") for info in (one.type, base)
        )
        # The dicts of static types are not seen (3.12), so what they have is not known.
        unseen = any(i.base and not i.dict for i in painter.world.types.mro(one.type))
        found = painter.world.types.lookup(one.type, name)
        computed = name == "__class__" and found is not None and found[0].python_class
        if base.base or mine != default or unseen or computed:
            raise Undecodable("a class that finds its attributes in a way of its own")
        return found

    def _of_instance(self, address: int, name: str) -> int:
        in_class = self._require_default(self.painter.obj(address), name)
        kind = self.painter.obj(in_class[1]) if in_class else None
        if kind is not None and kind.lineage.ident != "member_descriptor":
            own = kind.type.address == kind.lineage.root.address
            if kind.lineage.ident not in _PLAIN_DATA or not own:
                raise Undecodable("an attribute that a class computes")
        try:
            return attribute(self.painter, address, name)
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
        if isinstance(item, _Text) and not self.painter.cut:
            return item.text
        if not isinstance(item, _Value):
            raise Undecodable("a value that is formatted")
        return plain_value(self.painter, item.address)

    def _do_tuple(self, argument: int) -> None:
        items = [self._pop() for _ in range(argument)][::-1]
        known = tuple(item for item in items if isinstance(item, (_Text, _Value)))
        if len(known) != argument:
            raise Undecodable("a tuple")
        self.stack.append(_Tuple(known))

    def _do_binary(self, argument: int) -> None:
        if argument != self.painter.layout.constant("NB_REMAINDER"):  # 3.11 (bpo-45256)
            raise Undecodable("an operator")
        self._do_modulo(argument)

    def _do_modulo(self, _argument: int) -> None:
        """`%`; from 3.11 on the compiler makes f-strings of the simple ones."""
        given, template = self._pop(), self._text()
        items = given.items if isinstance(given, _Tuple) else (given,)
        if isinstance(given, _Value) and self.painter.ident(given.address) == "tuple":
            raise Undecodable("a tuple")

        def text(number: int, wants_repr: bool) -> str:
            self.stack.append(items[number])
            self._convert(_REPR if wants_repr else _STR)
            return self._text()

        value = percent(template, len(items), text, lambda number: self._plain(items[number]))
        if self.painter.cut:
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
            self.stack.append(_Text(self._shown(item.address, how)))
        else:
            raise Undecodable("a conversion")

    def _shown(self, address: int, how: int) -> str:
        if address == self.found.address:
            raise Undecodable("itself")
        if how == _STR and self._is_str(address):
            return self.painter.string(address, self.painter.limits.length)
        one = self.painter.obj(address)
        own = one.type.address == one.lineage.root.address
        if how == _STR and not (own and one.lineage.ident in _STR_IS_REPR):
            raise Undecodable("a str() of a type that may have its own")
        return self.painter.show(address)

    def _do_build(self, argument: int) -> None:
        parts = [self._text() for _ in range(argument)]
        self.stack.append(_Text("".join(reversed(parts))))
