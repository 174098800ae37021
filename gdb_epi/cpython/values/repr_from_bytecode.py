# SPDX-License-Identifier: Apache-2.0
"""What a `__repr__` of the program's own returns, where its bytecode leaves no doubt.

Most of them return a constant or fill attributes into a text. Such code is followed, one
instruction after the other: conditions on plain values, None and containers; properties and
methods that are such code themselves, `super().__repr__()`; repr(), str() and len() of values that
are decoded themselves, format(), str.format() and `%` of plain ones, `type(self)`; slices and items
of texts, lists and tuples; getattr() and hasattr(), and handlers of an attribute or item that is
certainly missing. Whatever else the code does (a loop, another call), its text is refused, and the
object is shown by its name. Nothing of the program runs.

Here is what instructions do with such values; how they move them is told by `frames/stack_steps`.
`value_stack` says which instruction stands where, what may lie on the stack, and what can be said
about it, and `formatting` does format(), `%` and str.format().
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from gdb_epi.cpython.frames.code_objects import locate_bytecode
from gdb_epi.cpython.frames.frame_slots import MAX_TABLE, parse_exception_table
from gdb_epi.cpython.frames.stack_steps import StackSteps
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import DECODERS, Obj, ReprDecoder, Undecodable
from gdb_epi.cpython.values.value_stack import (
    DATA,
    REPR,
    STR,
    BuiltStr,
    BuiltTuple,
    CertainException,
    ClassOfObject,
    ComputedNumber,
    ExceptionInFlight,
    FunctionInInstance,
    GlobalName,
    Item,
    Method,
    NoneResult,
    ProcessObject,
    Slice,
    StrFormatMethod,
    SuperCall,
    SuperRepr,
    ValueStackOperations,
    opcodes_of_process,
    read_instruction,
    special_method,
)
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.typing_lite import NoReturn

MAX_BYTES = 800  # of one function's instructions
MAX_STEPS = 400  # of one `__repr__`, with all that it calls
MAX_CALLS = 6  # in one another

_COMMON: dict[str, Item] = {
    "None": NoneResult(),
    "''": BuiltStr(""),
    "True": ComputedNumber(True),
    "False": ComputedNumber(False),
    "-1": ComputedNumber(-1),
}
_CONVERSIONS, _HAS_SPEC = 3, 4  # the parts of FORMAT_VALUE's argument (FVC_MASK, FVS_HAVE_SPEC)
# In the order of Py_LT ... Py_GE.
COMPARISONS = (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)
_IN_HANDLER = -1
_REFUSED = ("CO_VARARGS", "CO_VARKEYWORDS", "CO_GENERATOR", "CO_COROUTINE", "CO_ASYNC_GENERATOR")
# What a handler may name; each is a built-in that is the same class in every version.
_EXCEPTIONS: tuple[type[BaseException], ...] = (BaseException, Exception, AttributeError)
_EXCEPTIONS += (LookupError, IndexError, KeyError, TypeError, ValueError, RuntimeError, OSError)
_EXCEPTIONS += (StopIteration, ArithmeticError, ZeroDivisionError, OverflowError, AssertionError)
_EXCEPTIONS += (NotImplementedError, RecursionError, NameError, EOFError, ConnectionError)
_EXCEPTIONS += (FileNotFoundError, FileExistsError, PermissionError, TimeoutError, UnicodeError)
EXCEPTIONS = {kind.__name__: kind for kind in _EXCEPTIONS}


def repr_by_programs_own_method(decoder: ReprDecoder, obj: Obj) -> str | None:
    """Return what the `__repr__` in the object's class returns; None when that is unknown."""
    refused = decoder.context.refused_reprs
    if obj.type.address in refused or not decoder.enter_container(obj.address):
        return None
    before = decoder.exact, decoder.cut
    budget = [MAX_STEPS]
    try:
        method = special_method(decoder, obj.type, "__repr__")
        if method is None:
            raise Undecodable("its __repr__ is no function")
        call = FunctionEvaluation(decoder, budget)
        call.begin_call(method[1], method[0], [ProcessObject(obj.address)])
        return call.text_of(call.run())
    except (Undecodable, UnreadableMemory, LayoutError, CertainException):
        decoder.exact, decoder.cut = before
        if budget[0] == MAX_STEPS:  # nothing was followed, and that depends on the class alone
            refused.add(obj.type.address)
        return None
    finally:
        decoder.leave_container(obj.address)


class FunctionEvaluation(ValueStackOperations, StackSteps[Item]):
    """One call of a function of the program: its variables, and what lies on its value stack."""

    null = None

    def __init__(self, decoder: ReprDecoder, budget: list[int], depth: int = 0) -> None:
        super().__init__(decoder)
        self.code = self.globals = self.function = 0  # PyCodeObject *, PyDictObject *, ...
        self.owner: TypeInfo | None = None  # the class that has the function
        self.opcodes = opcodes_of_process(decoder.layout)
        self.budget, self.depth = budget, depth
        self.stack: list[Item] = []
        self.blocks: list[tuple[int, int]] = []  # up to 3.10: handlers, and the depth of the stack
        self.following = 0  # the place after the instruction that is done

    @property
    def has_exception_table(self) -> bool:
        """Tell whether a table has the handlers (3.11, bpo-40222), or instructions push them."""
        return self.decoder.layout.offset("PyCodeObject", "co_exceptiontable") is not None

    def begin_call(self, function: int, owner: TypeInfo | None, arguments: Sequence[Item]) -> None:
        """Make this the call of a function, which is to run()."""
        self.function, self.owner = function, owner
        self.code = self.decoder.field(function, "PyFunctionObject", "func_code")
        self.globals = self.decoder.field(function, "PyFunctionObject", "func_globals")
        self.locals = dict(enumerate(arguments))

    def run(self) -> Item:
        """Return what the function returns. Raises Undecodable where a step cannot be followed."""
        refused = any(map(self.has_code_flag, _REFUSED)) or self.depth > MAX_CALLS
        if self.code_int_member("co_argcount") != len(self.locals) or refused:
            raise Undecodable("a function that takes other arguments")
        return self.run_from(0, MAX_BYTES)

    def run_from(self, at: int, most: int) -> Item:
        """Return what the function returns when it continues at a byte.

        Raises Undecodable, also for one with too many bytes of instructions.
        """
        start, size = locate_bytecode(self.decoder.reader, self.code)
        if not 0 < size <= most:
            raise Undecodable(f"a function of {size} bytes of instructions")
        units = self.decoder.reader.read(start, size)
        while self.budget[0] > 0:
            instruction = read_instruction(self.opcodes, units, at)
            name, argument = instruction.name, instruction.argument
            if name in ("RETURN_VALUE", "RETURN_CONST"):
                return (
                    self.pop_words(1)[0]
                    if name == "RETURN_VALUE"
                    else self.constant_at_index(argument)
                )
            self.budget[0] -= 1
            self.following = instruction.end
            try:
                if "JUMP" not in name:
                    self.execute_instruction(name, argument)
                elif self._does_conditional_jump_jump(name):
                    target = self.opcodes.jump_target(name, argument, self.following)
                    if target < self.following:
                        self.jump_back(target)
                    self.following = target
            except CertainException as raised:
                self.following = self._enter_handler(at, raised)
            at = self.following
        raise Undecodable("too many steps")

    def jump_back(self, target: int) -> None:
        """Begin another turn of a loop. Raises Undecodable where loops are not followed."""
        raise Undecodable("a loop")

    def _enter_handler(self, at: int, raised: CertainException) -> int:
        """Return where an exception of the instruction at a place is handled, the stack as there.

        Raises the exception again where the function handles none.
        """
        decoder = self.decoder
        if not self.has_exception_table:
            # Do the same before 3.11 (bpo-40222), where instructions push and pop handlers.
            if not self.blocks:
                raise raised
            target, depth = self.blocks.pop()
            if target < 0 or depth > len(self.stack):
                raise Undecodable("an exception in a handler")
            del self.stack[depth:]
            self.blocks.append((_IN_HANDLER, depth))
            # Three words of the exception that was handled before, and three of this one.
            self.stack += [None] * 3 + [ExceptionInFlight(raised.kind)] * 3
            return target
        table = decoder.field(self.code, "PyCodeObject", "co_exceptiontable")
        raw = decoder.reader.bytes_object(table, MAX_TABLE)
        if isinstance(raw, Absent):
            raise Undecodable("a damaged table of handlers")
        entry = next(
            (entry for entry in parse_exception_table(raw) if entry.start <= at < entry.end), None
        )
        if entry is None:
            raise raised
        if entry.depth > len(self.stack):
            raise Undecodable("a handler of another stack")
        del self.stack[entry.depth :]
        self.stack.append(ExceptionInFlight(raised.kind))
        return entry.target

    def call(self, function: int, owner: TypeInfo | None, arguments: Sequence[Item]) -> Item:
        """Return what another function returns. Raises Undecodable."""
        decoder, depth = self.decoder, self.depth + 1
        # A call takes as much of this Python's stack as an object in an object does.
        decoder.nesting += 1
        try:
            callee = FunctionEvaluation(decoder, self.budget, depth)
            callee.begin_call(function, owner, arguments)
            return callee.run()
        finally:
            decoder.nesting -= 1

    # -- the code object ------------------------------------------------------------------------

    def has_code_flag(self, name: str) -> bool:
        """Tell whether the code is of some sort ("CO_COROUTINE")."""
        return bool(self.code_int_member("co_flags") & (self.decoder.layout.constant(name) or 0))

    def code_int_member(self, member: str) -> int:
        """Return a 32-bit member of the code object."""
        at = self.code + self.decoder.offset("PyCodeObject", member)
        return self.decoder.reader.u32(at)

    def code_names(self, member: str) -> list[str]:
        """Return the names in a tuple of the code object."""
        table = self.decoder.field(self.code, "PyCodeObject", member)
        words = ContainerReader(self.decoder.reader).tuple_items(table)
        return [self.decoder.string(word) for word in words]

    def is_generator(self) -> bool:
        """Tell whether the code is that of a generator."""
        return self.has_code_flag("CO_GENERATOR")

    # -- the value stack ------------------------------------------------------------------------

    def refuse(self, why: str) -> NoReturn:
        """Raise the error of an instruction that cannot be followed."""
        raise Undecodable(why)

    def _code_tuple_item(self, member: str, number: int) -> int:
        """Return co_names[number] or co_consts[number]."""
        table = self.decoder.field(self.code, "PyCodeObject", member)
        if self.decoder.ident(table) != "tuple":
            raise Undecodable(f"{member} is no tuple")
        if not 0 <= number < self.decoder.signed_field(table, "PyTupleObject", "ob_size"):
            raise Undecodable(f"no {member}[{number}]")
        start = table + self.decoder.offset("PyTupleObject", "ob_item")
        return self.decoder.reader.u64(start + 8 * number)

    def _name_at_index(self, number: int) -> str:
        return self.decoder.string(self._code_tuple_item("co_names", number))

    def constant_at_index(self, number: int) -> Item:
        """Return a constant."""
        return ProcessObject(self._code_tuple_item("co_consts", number))

    # -- plain instructions ---------------------------------------------------------------------

    def _do_load_common_constant(self, argument: int) -> Item:
        """Load a constant that all code shares (3.14, gh-125837; those of plain values 3.15)."""
        constant = _COMMON.get(self.opcodes.common.get(argument, ""))
        if constant is None:
            raise Undecodable("a constant of another kind")
        return constant

    def _do_load_small_int(self, argument: int) -> Item:
        return ComputedNumber(argument)

    def variable_at_index(self, number: int) -> Item:
        """Return a variable."""
        if number not in self.locals:
            raise Undecodable("a local variable")
        return self.locals[number]

    def store_variable_at_index(self, number: int, value: Item) -> None:
        """Store a variable."""
        self.locals[number] = value

    def _do_load_deref(self, _argument: int) -> Item:
        # Where there is but one cell, and super() takes it, it is that of the class.
        return GlobalName("__class__")

    def global_value(self, number: int) -> Item:
        """Return what a global name is, by its place in co_names."""
        return GlobalName(self._name_at_index(number))

    def _do_build_tuple(self, argument: int, *items: Item) -> Item:
        parts = tuple(item for item in items if isinstance(item, DATA))
        if len(parts) != argument:
            raise Undecodable("a tuple")
        return BuiltTuple(parts)

    def _do_build_string(self, _argument: int, *parts: Item) -> Item:
        return BuiltStr("".join(map(self.text_of, parts)))

    # -- conditions -----------------------------------------------------------------------------

    def _does_conditional_jump_jump(self, name: str) -> bool:
        """Take what a jump looks at, and return whether it jumps."""
        if name.startswith(("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_ABSOLUTE")):
            return True
        (item,) = self.pop_words(1)
        if name.endswith("_OR_POP"):  # up to 3.11
            jumps = self.truth(item) == name.startswith("JUMP_IF_TRUE")
            self.stack += [item] if jumps else []
            return jumps
        if name == "JUMP_IF_NOT_EXC_MATCH":  # 3.9 and 3.10
            return not self._handler_matches(item, self.pop_words(1)[0])
        if name.endswith("NONE"):
            return self.is_none(item) != name.endswith("NOT_NONE")
        return self.truth(item) == name.endswith("TRUE")

    def _do_to_bool(self, _argument: int, item: Item) -> Item:
        return ComputedNumber(self.truth(item))

    def _do_unary_not(self, _argument: int, item: Item) -> Item:
        return ComputedNumber(not self.truth(item))

    def _do_is_op(self, argument: int, left: Item, right: Item) -> Item:
        if not (isinstance(right, (NoneResult, ProcessObject)) and self.is_none(right)):
            raise Undecodable("a comparison of objects")
        return ComputedNumber(self.is_none(left) != bool(argument))

    def comparison(self, how: int, left: Item, right: Item) -> Item:
        """Return what a comparison gives."""
        first, second = self.plain_value_of(left), self.plain_value_of(right)
        if isinstance(first, str) != isinstance(second, str):
            raise Undecodable("a comparison")
        return ComputedNumber(COMPARISONS[how](first, second))

    # -- exceptions -----------------------------------------------------------------------------

    def _do_setup_finally(self, argument: int) -> None:
        """Enter a guarded block (up to 3.10); the argument counts from the next instruction."""
        target = self.following + self.opcodes.jump_unit * argument
        self.blocks.append((target, len(self.stack)))

    def _do_pop_block(self, _argument: int) -> None:
        if not self.blocks:
            raise Undecodable("no block to end")
        self.blocks.pop()

    def _handler_matches(self, named: Item, caught: Item) -> bool:
        """Tell whether an exception is of the class that a handler names. Raises Undecodable."""
        if not (isinstance(named, GlobalName) and isinstance(caught, ExceptionInFlight)):
            raise Undecodable("a handler of other exceptions")
        kind = EXCEPTIONS.get(named.name)
        if kind is None or not self.is_builtin(named.name):
            raise Undecodable("a handler of other exceptions")
        return issubclass(caught.kind, kind)

    def exception_match(self, caught: Item, named: Item) -> Item:
        """Return whether an exception is of the class that a handler names."""
        return ComputedNumber(self._handler_matches(named, caught))

    def _do_push_exc_info(self, _argument: int, caught: Item) -> list[Item]:
        """Put the exception that was handled before below the new one; nobody looks at it."""
        return [None, caught]

    def _do_pop_except(self, _argument: int, *_words: Item) -> None:
        if self.blocks:
            self._do_pop_block(0)

    # -- items ----------------------------------------------------------------------------------

    def _do_build_slice(self, argument: int, *bounds: Item) -> Item:
        if argument not in (2, 3):
            raise Undecodable("a slice")
        start, stop, step = (*map(self.slice_bound, bounds), None)[:3]
        return Slice(start, stop, step)

    def _do_binary_slice(self, _argument: int, of: Item, start: Item, stop: Item) -> Item:
        """`[start:stop]` (3.12)."""
        return self.subscript(of, Slice(self.slice_bound(start), self.slice_bound(stop), None))

    # -- attributes -----------------------------------------------------------------------------

    def attribute(self, of: Item, number: int) -> Item:
        """Return an attribute, by its place in co_names."""
        return self.named_attribute(of, self._name_at_index(number))

    def named_attribute(self, of: Item, name: str) -> Item:
        """Return an attribute. Raises Undecodable, Raised."""
        if isinstance(of, ClassOfObject):
            return BuiltStr(self.class_name_attribute(of.info, name))
        if not isinstance(of, ProcessObject):
            raise Undecodable("an attribute")
        if name != "__class__":
            return self.instance_attribute(of, name)
        obj = self.decoder.obj(of.address)
        if self.find_in_class(obj, name) is not None and not self.has_default_lookup(obj):
            raise Undecodable("a class that computes __class__")
        return ClassOfObject(obj.type)

    def method(self, of: Item, number: int) -> list[Item]:
        """Return NULL and a method; the order matters to nobody here."""
        return [None, self.named_method(of, self._name_at_index(number))]

    def _do_load_super_attr(self, argument: int, called: Item, cell: Item, of: Item) -> list[Item]:
        """`super().name` (3.12)."""
        if (
            called != GlobalName("super")
            or cell != GlobalName("__class__")
            or of != self.locals.get(0)
        ):
            raise Undecodable("a super of another kind")
        if not argument & 1:
            raise Undecodable("an attribute of super()")
        return self.method(SuperCall(), argument >> 2)

    def named_method(self, of: Item, name: str) -> Item:
        """Return a method that is called at once. Raises Undecodable."""
        if isinstance(of, SuperCall) and name == "__repr__":
            return SuperRepr()
        if name == "format" and isinstance(of, (BuiltStr, ProcessObject)):
            return StrFormatMethod(self.text_of(of))
        if not isinstance(of, ProcessObject):
            raise Undecodable("a method")
        obj = self.decoder.obj(of.address)
        in_class = self.find_in_class(obj, name)
        if in_class is None or self.decoder.ident(in_class[1]) != "function":
            raise Undecodable("a method")
        if not self.has_default_lookup(obj):
            raise Undecodable("a class that finds its attributes in a way of its own")
        own = self.own_attribute(of, name)
        if own and not self._is_function_without_cells(own):
            raise Undecodable("a method that another one hides")
        return (
            FunctionInInstance(own, obj.type) if own else Method(in_class[1], in_class[0], of, name)
        )

    def _is_function_without_cells(self, address: int) -> bool:
        """Tell whether an object is a function without cells, whose `super` would be unknown."""
        if self.decoder.ident(address) != "function":
            return False
        return not self.decoder.field(address, "PyFunctionObject", "func_closure")

    # -- calls ----------------------------------------------------------------------------------

    def call_value(self, called: Item, arguments: list[Item]) -> Item:
        """Return what a call gives. Raises Undecodable."""
        if isinstance(called, Method):
            returned = self.call(called.function, called.owner, [called.self, *arguments])
            return self.mark_secret_if_from_secret(called.self, called.name, returned)
        if isinstance(called, FunctionInInstance):
            return self.call(called.function, called.owner, arguments)
        if isinstance(called, SuperRepr) and not arguments:
            return self._super_repr()
        if isinstance(called, StrFormatMethod):
            return self.format_with_braces(called.template, arguments)
        if isinstance(called, GlobalName) and self.is_builtin(called.name):
            return self.call_builtin(called.name, arguments)
        raise Undecodable("a call")

    def call_builtin(self, name: str, arguments: list[Item]) -> Item:
        """Return what a built-in function gives. Raises Undecodable."""
        if name == "super" and not arguments:
            return SuperCall()
        if name in ("getattr", "hasattr"):
            return self._call_getattr(name, arguments)
        if len(arguments) != 1:
            raise Undecodable("a call")
        if name == "id" and isinstance(arguments[0], ProcessObject):
            return ComputedNumber(arguments[0].address)
        if name == "hex" and isinstance(number := self.plain_value_of(arguments[0]), int):
            return BuiltStr(hex(number))
        if name == "type" and isinstance(arguments[0], ProcessObject):
            return ClassOfObject(self.decoder.obj(arguments[0].address).type)
        if name == "len":
            return ComputedNumber(self.length(arguments[0]))
        if name in ("repr", "str"):
            return BuiltStr(self.convert_item(arguments[0], REPR if name == "repr" else STR))
        raise Undecodable("a call")

    def _call_getattr(self, name: str, arguments: list[Item]) -> Item:
        """Do what getattr() of two or three arguments does, and hasattr()."""
        of, *others = arguments or [None]
        if not isinstance(of, ProcessObject) or not 1 <= len(others) <= (
            2 if name == "getattr" else 1
        ):
            raise Undecodable("a call")
        try:
            item = self.instance_attribute(of, self.text_of(others[0]))
        except CertainException as raised:
            if not issubclass(raised.kind, AttributeError):
                raise
            if name == "hasattr":
                return ComputedNumber(False)
            if len(others) == 1:
                raise
            return others[1]
        return item if name == "getattr" else ComputedNumber(True)

    def is_builtin(self, name: str) -> bool:
        """Tell whether a global name is that of the built-in."""
        context = self.decoder.context
        mine = context.objects.dict_get(self.globals, name)
        builtins = context.types.module_dict("builtins")
        if not isinstance(mine, Absent) or not builtins:
            return False
        value = context.objects.dict_get(builtins, name)
        if isinstance(value, Absent):
            return False
        if self.decoder.ident(value) == "type":
            return context.types.type_at(value).full_name == name
        return self.decoder.repr_of(value) == f"<built-in function {name}>"

    def _super_repr(self) -> BuiltStr:
        """Return what the `__repr__` after this function's class returns. Raises Undecodable."""
        decoder, of = self.decoder, self.locals.get(0)
        if not isinstance(of, ProcessObject) or self.owner is None:
            raise Undecodable("a super of another kind")
        # The class whose body has the function, and not another that took it over.
        qualname = decoder.string(decoder.field(self.function, "PyFunctionObject", "func_qualname"))
        obj = decoder.obj(of.address)
        mro = decoder.types.mro(obj.type)
        at = next((n for n, info in enumerate(mro) if info.address == self.owner.address), None)
        if at is None or not qualname.startswith(f"{self.owner.qualname}."):
            raise Undecodable("a super of another kind")
        for info in mro[at + 1 :]:
            if info.is_python_class:
                value = decoder.objects.dict_get(info.dict, "__repr__")
                if isinstance(value, Absent):
                    continue
                if decoder.ident(value) != "function":
                    break
                return BuiltStr(self.text_of(self.call(value, info, [of])))
            if not info.base:
                return BuiltStr(decoder.object_repr(obj))
            decode = DECODERS.get(obj.lineage.ident)
            if info.address != obj.lineage.root.address or decode is None:
                break
            # It has entered the object already, which is no container in itself here.
            decoder.leave_container(obj.address)
            try:
                return BuiltStr(decode(decoder, obj))
            finally:
                decoder.enter_container(obj.address)
        raise Undecodable("a __repr__ of another kind")

    # -- texts ----------------------------------------------------------------------------------

    def _do_format_value(self, argument: int, item: Item, *spec: Item) -> Item:
        how = argument & _CONVERSIONS
        if how > REPR or argument > _HAS_SPEC + REPR:
            raise Undecodable("a format")
        item = BuiltStr(self.convert_item(item, how)) if how else item
        return self._do_format_with_spec(0, item, *spec)

    def _do_format_with_spec(self, _argument: int, item: Item, *spec: Item) -> Item:
        return BuiltStr(self.format_item(item, self.text_of(spec[0]) if spec else ""))

    _do_format_simple = _do_format_with_spec

    def _do_convert_value(self, argument: int, item: Item) -> Item:
        return BuiltStr(self.convert_item(item, argument))

    def operator_value(self, sign: str, left: Item, right: Item) -> Item:
        """Return what an operator gives, of texts alone. Raises Undecodable."""
        if sign == "%":  # from 3.11 on the compiler makes f-strings of the simple ones
            return self.format_with_percent(left, right)
        if sign != "+":
            raise Undecodable("an operator")
        return BuiltStr(self.text_of(left) + self.text_of(right))
