# SPDX-License-Identifier: Apache-2.0
"""Where values go in one code object: a run of its instructions with what they may work on.

Variables are looked at as a whole: what any instruction stores in one may be there at every other.
Of a frame only what has yet to run counts; what it has left on its value stack is what lies there.
Source: Python/ceval.c, Python/bytecodes.c, 3.9 to 3.14. An instruction that is not known here, or
a stack of two depths, raises UnknownFlow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gdb_epi.hangs.live.calls_by_values import ValueCalls
from gdb_epi.hangs.live.effects import is_byte_covered
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
    join_all_values,
    join_values,
)
from gdb_epi.locks.python.call_sites import Instruction
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cpython.frames.frame_slots import ExceptionTableEntry

MAX_STEPS = 20_000  # of one run
_OLD_HANDLER = 6  # words that an exception pushes up to 3.10
_DATA, _ANY = DATA, UNKNOWN
# Instructions that take so many words and push these, and do nothing else.
_PLAIN: Mapping[str, tuple[int, tuple[Value, ...]]] = {
    **dict.fromkeys(
        "NOP CACHE EXTENDED_ARG RESUME PRECALL COPY_FREE_VARS MAKE_CELL NOT_TAKEN POP_BLOCK "
        "SETUP_ANNOTATIONS JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_ABSOLUTE "
        "DELETE_FAST DELETE_DEREF DELETE_GLOBAL DELETE_NAME".split(), (0, ())
    ),
    **dict.fromkeys("POP_TOP POP_ITER GEN_START PRINT_EXPR".split(), (1, ())),
    **dict.fromkeys("COMPARE_OP IS_OP".split(), (2, (_DATA,))),
    **dict.fromkeys("UNARY_NOT TO_BOOL FORMAT_SIMPLE CONVERT_VALUE".split(), (1, (_DATA,))),
    **dict.fromkeys("LOAD_ASSERTION_ERROR LOAD_COMMON_CONSTANT LOAD_SMALL_INT GET_LEN "
                    "MATCH_MAPPING MATCH_SEQUENCE LOAD_CLOSURE".split(), (0, (_DATA,))),
    **dict.fromkeys("LOAD_LOCALS LOAD_BUILD_CLASS WITH_EXCEPT_START GET_ANEXT RETURN_GENERATOR "
                    "MATCH_KEYS".split(), (0, (_ANY,))),
    **dict.fromkeys("ASYNC_GEN_WRAP CHECK_EXC_MATCH".split(), (1, (_ANY,))),
    "FORMAT_WITH_SPEC": (2, (_DATA,)), "PUSH_EXC_INFO": (1, (_ANY, _ANY)),
    "CHECK_EG_MATCH": (2, (_ANY, _ANY)), "CALL_INTRINSIC_2": (2, (_ANY,)),
    "MATCH_CLASS": (3, (_ANY,)), "CLEANUP_THROW": (3, (_ANY, _ANY)),
    "LOAD_FROM_DICT_OR_GLOBALS": (1, (_ANY,)),
}  # fmt: skip
_SAME = frozenset(("LIST_TO_TUPLE", "CALL_INTRINSIC_1"))
# Instructions that let a generator or coroutine go on: what they take, and what they push.
_RUNS: Mapping[str, tuple[int, Value]] = {
    "GET_AITER": (1, _ANY), "GET_AWAITABLE": (1, _ANY), "GET_YIELD_FROM_ITER": (1, _ANY),
    "CONTAINS_OP": (2, _DATA),
}  # fmt: skip
_OLD_CONTAINS = (6, 7)  # arguments of COMPARE_OP for `in` and `not in` in 3.8
_CONDITIONS = ("POP_JUMP_", "JUMP_IF_NOT_EXC_MATCH")


class UnknownFlow(Exception):
    """Code that cannot be followed by its values."""


class ValueFlow:
    """One pass over the instructions of a context."""

    def __init__(
        self, walk: CodeWalk, reads: ValueReads, calls: ValueCalls, context: CallContext,
        handlers: Sequence[ExceptionTableEntry],
    ) -> None:  # fmt: skip
        self._walk, self._reads, self._calls = walk, reads, calls
        self._context, self._handlers = context, handlers
        self._sites = walk.code.calls.sites
        self._tables = self._sites.name_tables(context.code)
        self._there_are = self._sites.opcodes.instructions
        self._null_first = "CALL_KW" not in self._there_are
        self._keywords: Sequence[str] | None = ()
        self._quiet, self._past = False, UNKNOWN

    def run(self) -> None:
        """Follow all of it. Raises UnknownFlow, UnreadableMemory, LayoutError, IndexError."""
        code = list(self._sites.instructions(self._context.code))
        steps = {each.at: each for each in code}
        sent = [UNKNOWN] if code and code[0].name == "GEN_START" else []  # 3.10
        before: dict[int, list[Value]] = {code[0].at: sent} if code else {}
        todo = [code[0].at] if code else []
        left = MAX_STEPS
        while todo:
            at = todo.pop()
            left -= 1
            if at not in steps or not left:
                raise UnknownFlow("a jump into nothing, or too many steps")
            each, stack = steps[at], list(before[at])
            self._note_whether_effects_count(each.at)
            leads = list(self._handlers_with_stacks(each, stack))
            leads += self._follow_instruction(each, stack)
            for to, words in leads:
                old = before.get(to)
                if old is None:
                    before[to] = list(words)
                elif len(old) != len(words):
                    raise UnknownFlow("a stack of two depths")
                else:
                    joined = [
                        join_values(first, second) for first, second in zip(old, words, strict=True)
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
            self._quiet = is_running or not is_byte_covered(self._context.live, at)
            self._past = UNKNOWN if is_running else frame.stack

    def _handlers_with_stacks(
        self, each: Instruction, stack: list[Value]
    ) -> list[tuple[int, list[Value]]]:
        if each.name.startswith("SETUP_") and each.name != "SETUP_ANNOTATIONS":  # up to 3.10
            if "BEGIN_FINALLY" in self._there_are:
                raise UnknownFlow("blocks of 3.8")
            to = self._sites.opcodes.target(each.name, each.argument, each.end)
            kept = [*stack[:-1], UNKNOWN] if each.name != "SETUP_FINALLY" else stack
            return [(to, kept + [UNKNOWN] * _OLD_HANDLER)]
        for entry in self._handlers:
            if entry.start <= each.at < entry.end:
                if entry.depth > len(stack):
                    raise UnknownFlow("a handler of a deeper stack")
                kept = stack[: entry.depth] + ([DATA] if entry.pushes_byte else [])
                return [(entry.target, [*kept, UNKNOWN])]
        return []

    def _follow_instruction(
        self, each: Instruction, stack: list[Value]
    ) -> list[tuple[int, list[Value]]]:
        """Do an instruction; return where it leads, each with its stack."""
        name, argument = each.name, each.argument
        to = None
        if each.operation in ("test", "jump", "back", "cold", "next") or name in (
            "SEND", "JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP", "JUMP_IF_NOT_EXC_MATCH"
        ):  # fmt: skip
            to = self._sites.opcodes.target(name, argument, each.end)
        on = [(each.end, stack)] if each.goes_on else []
        if name in ("RETURN_VALUE", "RETURN_CONST"):
            value = (
                self._pop_words(stack) if name == "RETURN_VALUE"
                else self._reads.constant(self._context, argument)
            )  # fmt: skip
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
            end_for = self._sites.opcodes.end_for
            return [*on, (to or 0, [*stack[:-1], DATA] if end_for else stack[:-2])]
        if name == "SEND":
            self._pop_words(stack)
            ended = stack if "END_SEND" in self._there_are else stack[:-1]
            stack.append(UNKNOWN)
            return [*on, (to or 0, [*ended[: len(stack) - 1], UNKNOWN])]
        if name.startswith("JUMP_IF_") and name.endswith("OR_POP"):
            return [(to or 0, list(stack)), (each.end, stack[:-1])]
        if name.startswith(_CONDITIONS):
            self._pop_words(stack, 2 if name == "JUMP_IF_NOT_EXC_MATCH" else 1)
            return [*on, (to or 0, list(stack))]
        if to is not None:
            return [*on, (to, stack)]
        self._do_instruction(each, name, argument, stack)
        return on

    @staticmethod
    def _pop_words(stack: list[Value], count: int = 1) -> Value:
        """Take words from the stack; return the last that was taken, the deepest."""
        if count > len(stack):
            raise UnknownFlow("an empty stack")
        value: Value = stack[-count] if count else NOTHING
        del stack[len(stack) - count :]
        return value

    def _do_instruction(
        self, each: Instruction, name: str, argument: int, stack: list[Value]
    ) -> None:
        """Do what an instruction does that leads to the next one only."""
        if name == "COMPARE_OP" and argument in _OLD_CONTAINS:
            name = "CONTAINS_OP" if "CONTAINS_OP" not in self._there_are else name
        if name in _PLAIN:
            count, pushed = _PLAIN[name]
            self._pop_words(stack, count)
            stack += pushed
        elif name in _SAME:
            pass
        elif name in ("COPY", "SWAP"):
            if not 0 < argument <= len(stack):
                raise UnknownFlow("an empty stack")
            if name == "COPY":
                stack.append(stack[-argument])
            else:
                stack[-1], stack[-argument] = stack[-argument], stack[-1]
        elif name.startswith(("DUP_", "ROT_")):
            turned = {"ROT_TWO": 2, "ROT_THREE": 3, "ROT_FOUR": 4, "ROT_N": argument}.get(name, 0)
            if max(turned, 2 if name == "DUP_TOP_TWO" else 1) > len(stack):
                raise UnknownFlow("an empty stack")
            if turned:
                stack.insert(len(stack) - turned, stack.pop())
            else:
                stack += stack[-2:] if name == "DUP_TOP_TWO" else stack[-1:]
        elif name.startswith(("LOAD_", "PUSH_NULL")):
            self._do_load(each, name, argument, stack)
        elif name.startswith("STORE_"):
            self._do_store(each, name, argument, stack)
        elif name.startswith(("CALL", "KW_NAMES")):
            self._do_call(name, argument, stack)
        elif name.startswith(("BUILD_", "LIST_", "SET_", "DICT_", "MAP_ADD")):
            self._do_build(each, name, argument, stack)
        else:
            self._do_other(each.at, name, argument, stack)

    def _push(self, stack: list[Value], value: Callable[[], Value]) -> None:
        stack.append(self._past if self._quiet else value())

    def _read_variable(self, name: str) -> Value:
        return self._past if self._quiet else self._reads.variable(self._context, name)

    def _do_load(self, each: Instruction, name: str, argument: int, stack: list[Value]) -> None:
        reads, context, tables = self._reads, self._context, self._tables
        if name.startswith(("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")):
            stack.append(self._read_variable(tables.variables[argument >> 4]))
            stack.append(self._read_variable(tables.variables[argument & 15]))
        elif name.startswith("LOAD_FAST"):
            stack.append(self._read_variable(tables.variables[argument]))
        elif name in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"):
            self._pop_words(stack, 1 if name == "LOAD_FROM_DICT_OR_DEREF" else 0)
            stack.append(self._read_variable(tables.cells[argument]))
        elif name in ("LOAD_GLOBAL", "LOAD_NAME"):
            loaded = tables.names[self._sites.loaded_variable_index(each)]
            self._push(stack, lambda: reads.global_value(context, loaded))
            if name == "LOAD_GLOBAL" and self._sites.opcodes.global_shift and argument & 1:
                self._push_null(stack)
        elif name.startswith("LOAD_CONST"):
            stack.append(reads.constant(context, argument))
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            of = self._pop_words(stack)
            loaded = tables.names[self._sites.loaded_name_index(each) or 0]
            self._push(stack, lambda: reads.attribute(context, of, loaded))
            if name == "LOAD_METHOD" or (self._sites.opcodes.attr_shift and argument & 1):
                self._push_null(stack)
        elif name == "LOAD_SUPER_ATTR":
            of, kind = stack[-1], stack[-2]
            self._pop_words(stack, 3)
            loaded = tables.names[argument >> 2]
            self._push(stack, lambda: reads.super_attribute(context, kind, of, loaded))
            if argument & 1:
                self._push_null(stack)
        elif name == "LOAD_SPECIAL":
            of, loaded = self._pop_words(stack), MANAGERS[argument]
            self._push(stack, lambda: reads.attribute(context, of, loaded))
            stack.append(NULL)
            if not self._quiet and loaded.endswith("enter__"):
                self._walk.enter_block(context, of, later=loaded.startswith("__a"))
        elif name == "PUSH_NULL":
            stack.append(NULL)
        else:
            raise UnknownFlow(name)

    def _push_null(self, stack: list[Value]) -> None:
        stack.insert(len(stack) - self._null_first, NULL)

    def _do_store(self, each: Instruction, name: str, argument: int, stack: list[Value]) -> None:
        reads, context, tables = self._reads, self._context, self._tables
        if name.startswith("STORE_FAST"):
            numbers = [argument]
            if name.count("FAST") > 1:
                numbers = [argument >> 4, argument & 15]
            self._store_variable(tables.variables[numbers[0]], self._pop_words(stack))
            if name == "STORE_FAST_STORE_FAST":
                self._store_variable(tables.variables[numbers[1]], self._pop_words(stack))
            elif name == "STORE_FAST_LOAD_FAST":
                stack.append(self._read_variable(tables.variables[numbers[1]]))
            return
        if name == "STORE_SLICE":
            of, value = stack[-3], self._pop_words(stack, 4)
        elif name == "STORE_SUBSCR":
            of, value = stack[-2], self._pop_words(stack, 3)
        elif name == "STORE_ATTR":
            of, value = stack[-1], self._pop_words(stack, 2)
        else:
            of, value = NOTHING, self._pop_words(stack)
        if self._quiet:
            return
        if name == "STORE_DEREF":
            reads.store_variable(context, tables.cells[argument], value, shared=True)
        elif name in ("STORE_SLICE", "STORE_SUBSCR"):
            reads.store_item(
                context,
                of,
                reads.iterated_values(context, value) if name == "STORE_SLICE" else value,
            )
        else:
            reads.store_attribute(context, of, tables.names[argument], value)

    def _store_variable(self, name: str, value: Value) -> None:
        if not self._quiet:
            self._reads.store_variable(self._context, name, value, shared=False)

    def _do_call(self, name: str, argument: int, stack: list[Value]) -> None:
        if name == "KW_NAMES":
            self._keywords = (
                self._reads.constant_texts(self._reads.constant(self._context, argument)) or ()
            )
            return
        if name.startswith("CALL_INTRINSIC"):
            raise UnknownFlow(name)
        keywords, self._keywords = self._keywords, ()
        modern = "PUSH_NULL" in self._there_are
        spread = name == "CALL_FUNCTION_EX"
        if spread:
            always = "LOAD_FAST_BORROW" in self._there_are  # 3.14: a NULL for no keywords
            count = 1 + (1 if always else argument & 1)
        else:
            count = argument
            if name in ("CALL_KW", "CALL_FUNCTION_KW"):
                keywords = self._reads.constant_texts(self._pop_words(stack))
        under = 2 if modern or name == "CALL_METHOD" else 1
        if count + under > len(stack):
            raise UnknownFlow("an empty stack")
        arguments = stack[len(stack) - count :]
        beside = stack[len(stack) - count - under : len(stack) - count]
        self._pop_words(stack, count + under)
        if self._quiet:
            stack.append(self._past)
            return
        called = [word for word in beside if word != NULL]
        given: list[Value] | None = list(arguments)
        frame = self._context.frame
        if len(called) > 1 and frame is not None and called[0] == frame.stack:
            called = [frame.stack]  # which of the words of its stack is called is not known
            for word in arguments:
                self._walk.hand_to_unseen_code(word)
            given = None
        elif len(called) > 1:  # a function, and its first argument: of a comprehension
            given, called = [called[1], *arguments], called[:1]
        by_name: dict[str, Value] = {}
        if spread:
            for word in arguments:  # a mapping of the program's has methods of its own
                self._walk.hand_to_unseen_code(word)
                self._walk.hand_to_unseen_code(self._reads.iterated_values(self._context, word))
            given = None
        elif keywords is None:  # which ones are by name is not known
            for word in arguments:
                self._walk.hand_to_unseen_code(word)
            given = None
        elif keywords and given is not None:
            split = len(arguments) - len(keywords)
            by_name = dict(zip(keywords, arguments[split:], strict=False))
            given = given[:split]
        target = called[0] if called else UNKNOWN
        stack.append(self._calls.call(self._context, target, Arguments(given, by_name)))

    def _do_build(self, each: Instruction, name: str, argument: int, stack: list[Value]) -> None:
        reads = self._reads
        if name in ("BUILD_STRING", "BUILD_SLICE", "BUILD_TEMPLATE", "BUILD_INTERPOLATION"):
            if name.startswith(("BUILD_T", "BUILD_I")):
                raise UnknownFlow(name)
            self._pop_words(stack, argument)
            stack.append(DATA)
        elif name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP"):
            count = argument * 2 if name == "BUILD_MAP" else argument
            count += name == "BUILD_CONST_KEY_MAP"
            if count > len(stack):
                raise UnknownFlow("an empty stack")
            words = stack[len(stack) - count :]
            self._pop_words(stack, count)
            kind = "dict" if "MAP" in name else name[6:].lower()
            made: Value = frozenset((MadeAtPlace(self._context.number, each.at, kind),))
            reads.add_to_new_container(made, join_all_values(words))
            stack.append(made)
        elif name in ("LIST_APPEND", "SET_ADD", "MAP_ADD", "LIST_EXTEND", "SET_UPDATE",
                      "DICT_UPDATE", "DICT_MERGE"):  # fmt: skip
            many = name in ("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE")
            value = stack[-1] if stack else UNKNOWN
            if many and not self._quiet:
                if name.startswith("DICT_"):
                    self._walk.hand_to_unseen_code(value)
                value = reads.iterated_values(self._context, value)
            deepest = self._pop_words(stack, 2 if name == "MAP_ADD" else 1)
            if argument > len(stack):
                raise UnknownFlow("an empty stack")
            if not self._quiet:
                reads.add_to_new_container(
                    stack[-argument], join_values(value, NOTHING if many else deepest)
                )
        elif name == "SET_FUNCTION_ATTRIBUTE":
            function = self._pop_words(stack)
            self._pop_words(stack)
            stack.append(function)
        else:
            raise UnknownFlow(name)

    def _do_other(self, at: int, name: str, argument: int, stack: list[Value]) -> None:
        reads, context = self._reads, self._context
        if name == "GET_ITER":
            of = self._pop_words(stack)
            made: Value = frozenset((MadeAtPlace(context.number, at, "iterator"),))
            if self._quiet:
                made = self._past
            elif of is None or any(
                isinstance(each, MadeAtPlace) and each.kind == "generator" for each in of
            ):
                made = of
            else:
                reads.add_to_new_container(made, reads.iterated_values(context, of))
            stack.append(made)
        elif name in ("BINARY_SUBSCR", "BINARY_SLICE") or (
            name == "BINARY_OP" and self._sites.opcodes.operator(argument) == "[]"
        ):  # fmt: skip
            key = stack[-1] if stack else UNKNOWN
            of = self._pop_words(stack, 3 if name == "BINARY_SLICE" else 2)
            if name == "BINARY_SLICE":
                stack.append(reads.operator_value(of))
            else:
                self._push(stack, lambda: reads.subscript_value(context, of, key))
        elif name.startswith(("BINARY_", "INPLACE_")):
            second = stack[-1] if stack else UNKNOWN
            first = self._pop_words(stack, 2)
            in_place = name.startswith("INPLACE_") or (
                name == "BINARY_OP" and (self._sites.opcodes.operator(argument) or "").endswith("=")
            )
            if in_place and not self._quiet and (first is not None or second != DATA):
                self._reads.note_possible_change(first)  # a sum with a number or text is one itself
            stack.append(reads.operator_value(first, second))
        elif name.startswith("UNARY_"):
            stack.append(reads.operator_value(self._pop_words(stack)))
        elif name in _RUNS:
            count, pushed = _RUNS[name]
            over = stack[-1] if stack else UNKNOWN
            self._pop_words(stack, count)
            if not self._quiet:
                reads.iterated_values(context, over)
            stack.append(over if name == "GET_YIELD_FROM_ITER" else pushed)
        elif name in ("DELETE_ATTR", "DELETE_SUBSCR"):
            of = self._pop_words(stack, 1 if name == "DELETE_ATTR" else 2)
            if not self._quiet:
                reads.note_possible_change(of)
        elif name == "FORMAT_VALUE":
            self._pop_words(stack, 2 if argument & 4 else 1)
            stack.append(DATA)
        elif name in ("BEFORE_WITH", "SETUP_WITH", "BEFORE_ASYNC_WITH"):
            manager = self._pop_words(stack)
            stack.append(DATA)
            later = name == "BEFORE_ASYNC_WITH"
            self._push(stack, lambda: self._walk.enter_block(context, manager, later=later))
        elif name == "SETUP_ASYNC_WITH" or name == "SETUP_FINALLY":
            pass
        elif name in ("UNPACK_SEQUENCE", "UNPACK_EX"):
            of = self._pop_words(stack)
            count = (
                argument if name == "UNPACK_SEQUENCE" else 1 + (argument & 255) + (argument >> 8)
            )
            exact = reads.unpacked_items(of, count) if name == "UNPACK_SEQUENCE" else None
            each = self._past if self._quiet else reads.iterated_values(context, of)
            stack += [each] * count if exact is None or self._quiet else exact[::-1]
        elif name == "MAKE_FUNCTION":
            modern = "PUSH_NULL" in self._there_are
            single = "SET_FUNCTION_ATTRIBUTE" in self._there_are
            extra = 0 if single else bin(argument & 15).count("1")
            place = 1 if modern else 2  # up to 3.10 the name lies above it
            code = stack[-place] if place <= len(stack) else UNKNOWN
            for word in stack[len(stack) - place - extra : len(stack) - place]:
                if not self._quiet:
                    self._walk.hand_to_unseen_code(word)
            self._pop_words(stack, place + extra)
            self._push(stack, lambda: self._calls.make_function(context, code))
        elif name == "IMPORT_NAME":
            whole = stack[-1] if stack else UNKNOWN
            self._pop_words(stack, 2)
            imported = self._tables.names[argument]
            self._push(stack, lambda: reads.imported_module(context, imported, whole))
        elif name == "IMPORT_FROM":
            of, wanted = stack[-1] if stack else UNKNOWN, self._tables.names[argument]
            self._push(stack, lambda: reads.attribute(context, of, wanted))
        elif name in ("YIELD_VALUE", "YIELD_FROM"):
            value = self._pop_words(stack, 2 if name == "YIELD_FROM" else 1)
            if not self._quiet:
                each = reads.iterated_values(context, value) if name == "YIELD_FROM" else value
                self._calls.record_returned(context, each, yields=True)
            stack.append(UNKNOWN)
        elif name == "END_FOR":
            self._pop_words(stack, self._sites.opcodes.end_for)
        elif name == "END_SEND":
            returned = stack[-1] if stack else UNKNOWN
            self._pop_words(stack, 2)
            stack.append(returned)
        elif name == "POP_EXCEPT":
            self._pop_words(stack, 1 if "PUSH_EXC_INFO" in self._there_are else 3)
        elif name == "END_ASYNC_FOR":
            self._pop_words(stack, 2 if "PUSH_EXC_INFO" in self._there_are else 7)
        else:
            raise UnknownFlow(name)
