# SPDX-License-Identifier: Apache-2.0
"""Where values go in one code object: a run of its instructions with what they may work on.

Variables are looked at as a whole: what any instruction stores in one may be there at every other.
Of a frame only what has yet to run counts; what it has left on its value stack is what lies there.
Source: Python/ceval.c, Python/bytecodes.c, 3.9 to 3.14. An instruction that is not known here, or
a stack of two depths, raises CodeCannotBeFollowed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.cpython.frames.stack_steps import StackSteps
from gdb_epi.hangs.live.calls_by_values import ValueCalls
from gdb_epi.hangs.live.effects import is_byte_in_ranges
from gdb_epi.hangs.live.library_effects import MANAGERS
from gdb_epi.hangs.live.value_reads import ValueReads
from gdb_epi.hangs.live.value_store import CallContext, CodeWalk
from gdb_epi.hangs.live.values import (
    DATA,
    NOTHING,
    NULL,
    UNKNOWN,
    Arguments,
    MadeAtPlace,
    Value,
    union_of_all_values,
    union_of_values,
)
from gdb_epi.locks.python.call_sites import Instruction
from gdb_epi.typing_lite import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from gdb_epi.cpython.frames.frame_slots import ExceptionTableEntry

MAX_STEPS = 20_000  # of one run
_OLD_HANDLER = 6  # words that an exception pushes up to 3.10
# Instructions that push nothing but data.
_DATA = frozenset((
    "a comparison", "a handler",
    "LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT", "LOAD_SMALL_INT", "LOAD_CLOSURE", "GET_LEN",
    "MATCH_MAPPING", "MATCH_SEQUENCE", "IS_OP", "UNARY_NOT", "TO_BOOL", "FORMAT_SIMPLE",
    "FORMAT_VALUE", "FORMAT_WITH_SPEC", "CONVERT_VALUE", "BUILD_STRING", "BUILD_SLICE",
))  # fmt: skip
_CONDITIONS = ("POP_JUMP_", "JUMP_IF_NOT_EXC_MATCH")


class CodeCannotBeFollowed(Exception):
    """Code that cannot be followed by its values."""


class ValueFlow(StackSteps[Value]):
    """One pass over the instructions of a context."""

    null = NULL

    def __init__(
        self, walk: CodeWalk, reads: ValueReads, calls: ValueCalls, context: CallContext,
        handlers: Sequence[ExceptionTableEntry],
    ) -> None:  # fmt: skip
        self._walk, self._reads, self._calls = walk, reads, calls
        self._context, self._handlers = context, handlers
        self._sites = walk.code.calls.sites
        self._tables = self._sites.name_tables(context.code)
        self.opcodes, self.stack = self._sites.opcodes, []
        self._at = 0  # the byte of the instruction
        self._quiet, self._past = False, UNKNOWN

    def run(self) -> None:
        """Follow all of it. Raises CodeCannotBeFollowed and what reading may."""
        code = list(self._sites.instructions(self._context.code))
        steps = {each.at: each for each in code}
        before: dict[int, list[Value]] = {code[0].at: []} if code else {}
        todo = [code[0].at] if code else []
        left = MAX_STEPS
        while todo:
            at = todo.pop()
            left -= 1
            if at not in steps or not left:
                raise CodeCannotBeFollowed("a jump into nothing, or too many steps")
            each, self.stack, self._at = steps[at], list(before[at]), at
            self._note_whether_effects_count(at)
            leads = [*self._handlers_with_stacks(each), *self._follow_instruction(each)]
            for to, words in leads:
                old = before.get(to)
                if old is None:
                    before[to] = list(words)
                elif len(old) != len(words):
                    raise CodeCannotBeFollowed("a stack of two depths")
                else:
                    joined = [
                        union_of_values(first, second)
                        for first, second in zip(old, words, strict=True)
                    ]
                    if joined == old:
                        continue
                    before[to] = joined
                todo.append(to)

    def _note_whether_effects_count(self, at: int) -> None:
        """Set whether an instruction's effects count, and what those have pushed that do not."""
        frame = self._context.frame
        self._quiet, self._past = False, UNKNOWN
        if frame is not None:
            is_running = at == frame.at and not frame.again
            self._quiet = is_running or not is_byte_in_ranges(self._context.live, at)
            self._past = UNKNOWN if is_running else frame.stack

    def _handlers_with_stacks(self, each: Instruction) -> list[tuple[int, list[Value]]]:
        stack = self.stack
        if each.name.startswith("SETUP_") and each.name != "SETUP_ANNOTATIONS":  # up to 3.10
            if "BEGIN_FINALLY" in self.opcodes.instructions:
                raise CodeCannotBeFollowed("blocks of 3.8")
            to = self.opcodes.jump_target(each.name, each.argument, each.end)
            kept = [*stack[:-1], UNKNOWN] if each.name != "SETUP_FINALLY" else stack
            return [(to, kept + [UNKNOWN] * _OLD_HANDLER)]
        for entry in self._handlers:
            if entry.start <= each.at < entry.end:
                if entry.depth > len(stack):
                    raise CodeCannotBeFollowed("a handler of a deeper stack")
                kept = stack[: entry.depth] + ([DATA] if entry.pushes_byte else [])
                return [(entry.target, [*kept, UNKNOWN])]
        return []

    def _follow_instruction(self, each: Instruction) -> list[tuple[int, list[Value]]]:
        """Do an instruction; return where it leads, each with its stack."""
        name, argument, stack = each.name, each.argument, self.stack
        to = None
        if each.operation in ("test", "jump", "back", "cold", "next") or name in (
            "SEND", "JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP", "JUMP_IF_NOT_EXC_MATCH"
        ):  # fmt: skip
            to = self.opcodes.jump_target(name, argument, each.end)
        on = [(each.end, stack)] if each.goes_on else []
        if name in ("RETURN_VALUE", "RETURN_CONST"):
            value = (
                self.pop_words(1)[0] if name == "RETURN_VALUE" else self.constant_at_index(argument)
            )
            if not self._quiet:
                self._calls.record_returned(self._context, value, yields=False)
            return []
        if name in ("RAISE_VARARGS", "RERAISE"):
            for word in stack[-argument:] if argument and name != "RERAISE" else ():
                if not self._quiet and word is not None:  # a class is instantiated
                    self._calls.call_classes(self._context, word)
            return []
        if name == "FOR_ITER":
            over = stack[-1] if stack else UNKNOWN
            stack.append(
                self._past if self._quiet else self._reads.iterated_values(self._context, over)
            )
            end_for = self.opcodes.end_for
            return [*on, (to or 0, [*stack[:-1], DATA] if end_for else stack[:-2])]
        if name == "SEND":
            self.pop_words(1)
            ended = stack if "END_SEND" in self.opcodes.instructions else stack[:-1]
            stack.append(UNKNOWN)
            return [*on, (to or 0, [*ended[: len(stack) - 1], UNKNOWN])]
        if name.startswith("JUMP_IF_") and name.endswith("OR_POP"):
            return [(to or 0, list(stack)), (each.end, stack[:-1])]
        if name.startswith(_CONDITIONS):
            self.pop_words(2 if name == "JUMP_IF_NOT_EXC_MATCH" else 1)
            return [*on, (to or 0, list(stack))]
        if to is not None:
            return [*on, (to, stack)]
        self.execute_instruction(name, argument)
        return on

    def refuse(self, why: str) -> NoReturn:
        """Raise CodeCannotBeFollowed."""
        raise CodeCannotBeFollowed(why)

    def unknown_word(self, what: str) -> Value:
        """Return what an instruction pushes that is data, or not known."""
        return DATA if what in _DATA else UNKNOWN

    def _value_if_effects_count(self, value: Callable[[], Value]) -> Value:
        return self._past if self._quiet else value()

    # -- variables and names --------------------------------------------------------------------

    def _read_variable(self, name: str) -> Value:
        return self._past if self._quiet else self._reads.variable(self._context, name)

    def variable_at_index(self, number: int) -> Value:
        """Return what a variable may be."""
        return self._read_variable(self._tables.variables[number])

    _do_load_fast_and_clear = variable_at_index

    def store_variable_at_index(self, number: int, value: Value) -> None:
        """Store a variable."""
        if not self._quiet:
            name = self._tables.variables[number]
            self._reads.store_variable(self._context, name, value, shared=False)

    def _do_load_deref(self, argument: int, *_scope: Value) -> Value:
        return self._read_variable(self._tables.cells[argument])

    _do_load_classderef = _do_load_from_dict_or_deref = _do_load_deref

    def _do_store_deref(self, argument: int, value: Value) -> None:
        if not self._quiet:
            cell = self._tables.cells[argument]
            self._reads.store_variable(self._context, cell, value, shared=True)

    def constant_at_index(self, number: int) -> Value:
        """Return a constant."""
        return self._reads.constant(self._context, number)

    def global_value(self, number: int) -> Value:
        """Return what a global may be."""
        name = self._tables.names[number]
        return self._value_if_effects_count(lambda: self._reads.global_value(self._context, name))

    _do_load_name = global_value

    def attribute(self, of: Value, number: int) -> Value:
        """Return what an attribute may be."""
        name = self._tables.names[number]
        return self._value_if_effects_count(lambda: self._reads.attribute(self._context, of, name))

    def _do_load_super_attr(
        self, argument: int, _called: Value, kind: Value, of: Value
    ) -> list[Value]:
        reads, name = self._reads, self._tables.names[argument >> 2]
        value = self._value_if_effects_count(
            lambda: reads.super_attribute(self._context, kind, of, name)
        )
        return self.word_and_null(value, argument & 1)

    def _do_load_special(self, argument: int, of: Value) -> list[Value]:
        name = MANAGERS[argument]
        value = self._value_if_effects_count(lambda: self._reads.attribute(self._context, of, name))
        if not self._quiet and name.endswith("enter__"):
            self._walk.enter_with_block(self._context, of, later=name.startswith("__a"))
        return [value, NULL]

    def _store_attribute(self, argument: int, value: Value, of: Value = NOTHING) -> None:
        if not self._quiet:
            name = self._tables.names[argument]
            self._reads.store_attribute(self._context, of, name, value)

    _do_store_attr = _do_store_name = _do_store_global = _store_attribute

    def _do_store_subscr(self, _argument: int, value: Value, of: Value, _index: Value) -> None:
        if not self._quiet:
            self._reads.store_item(self._context, of, value)

    def _do_store_slice(self, _argument: int, value: Value, of: Value, *_bounds: Value) -> None:
        if not self._quiet:
            items = self._reads.iterated_values(self._context, value)
            self._reads.store_item(self._context, of, items)

    def _do_import_name(self, argument: int, _level: Value, whole: Value) -> Value:
        name = self._tables.names[argument]
        return self._value_if_effects_count(
            lambda: self._reads.imported_module(self._context, name, whole)
        )

    def _do_import_from(self, argument: int) -> Value:
        return self.attribute(self.peek(1), argument)

    # -- calls ----------------------------------------------------------------------------------

    def names_of_arguments(self, names: Value) -> Sequence[str] | None:
        """Return the names of arguments; None where they are not known."""
        return self._reads.constant_texts(names)

    def call_value(self, called: Value, arguments: list[Value]) -> Value:
        """Return what a call may give."""
        keywords, self.keywords = self.keywords, ()
        if keywords is None:  # which ones are by name is not known
            return self._call_with_unknown_arguments(called, arguments)
        split = len(arguments) - len(keywords)
        by_name = dict(zip(keywords, arguments[split:], strict=False))
        return self._call(called, Arguments(arguments[:split], by_name))

    def _do_call(self, _argument: int, first: Value, second: Value, *arguments: Value) -> Value:
        frame = self._context.frame
        if NULL not in (first, second) and frame is not None and first == frame.stack:
            # Which of the words of its stack is called is not known.
            self.keywords = ()
            return self._call_with_unknown_arguments(first, arguments)
        return super()._do_call(_argument, first, second, *arguments)

    _do_call_method = _do_call

    def call_with_unpacked_arguments(self, called: Value, arguments: list[Value]) -> Value:
        """Return what a call may give; a mapping of the program's has methods of its own."""
        for word in () if self._quiet else arguments:
            self._walk.hand_to_unseen_code(word)
            self._walk.hand_to_unseen_code(self._reads.iterated_values(self._context, word))
        return self._call(called, Arguments(None))

    def _call_with_unknown_arguments(self, called: Value, arguments: Sequence[Value]) -> Value:
        for word in () if self._quiet else arguments:
            self._walk.hand_to_unseen_code(word)
        return self._call(called, Arguments(None))

    def _call(self, called: Value, given: Arguments) -> Value:
        target = UNKNOWN if called == NULL else called
        return self._value_if_effects_count(lambda: self._calls.call(self._context, target, given))

    def new_function(self, code: Value, attributes: dict[int, Value]) -> Value:
        """Return a function."""
        for word in () if self._quiet else attributes.values():
            self._walk.hand_to_unseen_code(word)
        return self._value_if_effects_count(lambda: self._calls.make_function(self._context, code))

    def _do_set_function_attribute(
        self, _argument: int, _attribute: Value, function: Value
    ) -> Value:
        return function

    # -- containers -----------------------------------------------------------------------------

    def _make_container(self, kind: str, items: Sequence[Value]) -> Value:
        made: Value = frozenset((MadeAtPlace(self._context.number, self._at, kind),))
        self._reads.add_to_new_container(made, union_of_all_values(items))
        return made

    def _do_build_tuple(self, _argument: int, *items: Value) -> Value:
        return self._make_container("tuple", items)

    def _do_build_list(self, _argument: int, *items: Value) -> Value:
        return self._make_container("list", items)

    def _do_build_set(self, _argument: int, *items: Value) -> Value:
        return self._make_container("set", items)

    def _do_build_map(self, _argument: int, *items: Value) -> Value:
        return self._make_container("dict", items)

    _do_build_const_key_map = _do_build_map

    def _do_list_append(self, argument: int, *items: Value) -> None:
        container = self.peek(argument)
        if not self._quiet:
            self._reads.add_to_new_container(container, union_of_all_values(items))

    _do_set_add = _do_map_add = _do_list_append

    def _do_list_extend(self, argument: int, items: Value) -> None:
        container = self.peek(argument)
        if not self._quiet:
            added = self._reads.iterated_values(self._context, items)
            self._reads.add_to_new_container(container, added)

    _do_set_update = _do_list_extend

    def _do_dict_update(self, argument: int, items: Value) -> None:
        if not self._quiet:
            self._walk.hand_to_unseen_code(items)
        self._do_list_extend(argument, items)

    _do_dict_merge = _do_dict_update

    def _do_list_to_tuple(self, _argument: int, items: Value) -> Value:
        return items

    _do_call_intrinsic_1 = _do_list_to_tuple

    def subscript(self, of: Value, index: Value) -> Value:
        """Return what `of[index]` may be."""
        return self._value_if_effects_count(
            lambda: self._reads.subscript_value(self._context, of, index)
        )

    def _do_get_iter(self, _argument: int, of: Value) -> Value:
        made: Value = frozenset((MadeAtPlace(self._context.number, self._at, "iterator"),))
        if self._quiet:
            return self._past
        if of is None or any(
            isinstance(each, MadeAtPlace) and each.kind == "generator" for each in of
        ):
            return of
        self._reads.add_to_new_container(made, self._reads.iterated_values(self._context, of))
        return made

    def _run_iterator(self, over: Value) -> None:
        """Let a generator, coroutine or `__iter__` run."""
        if not self._quiet:
            self._reads.iterated_values(self._context, over)

    def _do_get_awaitable(self, _argument: int, over: Value) -> Value:
        self._run_iterator(over)
        return UNKNOWN

    _do_get_aiter = _do_get_awaitable

    def _do_get_yield_from_iter(self, _argument: int, over: Value) -> Value:
        self._run_iterator(over)
        return over

    def _do_contains_op(self, _argument: int, _sought: Value, over: Value) -> Value:
        self._run_iterator(over)
        return DATA

    def _values_of_unpacking(self, of: Value, count: int) -> list[Value]:
        return [
            self._value_if_effects_count(lambda: self._reads.iterated_values(self._context, of))
        ] * count

    def _do_unpack_sequence(self, argument: int, of: Value) -> list[Value]:
        unpacked, exact = (
            self._values_of_unpacking(of, argument),
            self._reads.unpacked_items(of, argument),
        )
        return unpacked if exact is None or self._quiet else exact[::-1]

    def _do_unpack_ex(self, argument: int, of: Value) -> list[Value]:
        return self._values_of_unpacking(of, 1 + (argument & 0xFF) + (argument >> 8))

    # -- operators ------------------------------------------------------------------------------

    def operator_value(self, sign: str, left: Value, right: Value) -> Value:
        """Return what an operator may give."""
        # A sum with a number or text is one itself.
        if sign.endswith("=") and not self._quiet and (left is not None or right != DATA):
            self._reads.note_possible_change(left)
        return self._reads.operator_value(left, right)

    def _do_binary_matrix_multiply(self, _argument: int, left: Value, right: Value) -> Value:
        return self.operator_value("@", left, right)

    def _do_inplace_matrix_multiply(self, _argument: int, left: Value, right: Value) -> Value:
        return self.operator_value("@=", left, right)

    def _do_unary_negative(self, _argument: int, of: Value, *_bounds: Value) -> Value:
        return self._reads.operator_value(of)

    _do_unary_positive = _do_unary_invert = _do_binary_slice = _do_unary_negative

    def _do_delete_attr(self, _argument: int, of: Value, *_index: Value) -> None:
        if not self._quiet:
            self._reads.note_possible_change(of)

    _do_delete_subscr = _do_delete_attr

    # -- blocks and generators ------------------------------------------------------------------

    def _enter_with_block(self, manager: Value, *, later: bool) -> list[Value]:
        enter = self._walk.enter_with_block
        entered = self._value_if_effects_count(lambda: enter(self._context, manager, later=later))
        return [DATA, entered]

    def _do_before_with(self, _argument: int, manager: Value) -> list[Value]:
        return self._enter_with_block(manager, later=False)

    _do_setup_with = _do_before_with

    def _do_before_async_with(self, _argument: int, manager: Value) -> list[Value]:
        return self._enter_with_block(manager, later=True)

    def _do_yield_value(self, _argument: int, value: Value) -> Value:
        if not self._quiet:
            self._calls.record_returned(self._context, value, yields=True)
        return UNKNOWN

    def _do_yield_from(self, argument: int, _sent: Value) -> None:
        (receiver,) = self.pop_words(1)
        each = self._value_if_effects_count(
            lambda: self._reads.iterated_values(self._context, receiver)
        )
        self.stack.append(self._do_yield_value(argument, each))
