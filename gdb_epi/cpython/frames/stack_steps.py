# SPDX-License-Identifier: Apache-2.0
"""What each instruction takes from the value stack and pushes there: for all who follow bytecode.

A follower says what its words are, in methods: of one instruction (`_do_load_special`), or of all
that load a variable, call something, and the like. A method gets the argument and the words that
are taken, the deepest first; it returns the word that is pushed, or a list of them. Without one the
words are `unknown`. Jumps, returns and errors are the follower's own.
Source: Python/ceval.c, Python/bytecodes.c, 3.8 to 3.15.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from gdb_epi.cpython.frames.opcodes import OPERATORS_BY_INSTRUCTION, OpcodesOfVersion
from gdb_epi.typing_lite import Generic, NoReturn, TypeVar

Word = TypeVar("Word")

# (words taken, words pushed) of instructions with which they depend on nothing.
_EFFECTS = {
    name: effect
    for effect, names in {
        (0, 0): "NOP CACHE EXTENDED_ARG RESUME PRECALL COPY_FREE_VARS MAKE_CELL NOT_TAKEN "
                "POP_BLOCK SETUP_ANNOTATIONS SETUP_FINALLY SETUP_ASYNC_WITH GEN_START KW_NAMES "
                "DELETE_FAST DELETE_DEREF DELETE_GLOBAL DELETE_NAME RERAISE "
                "SWAP ROT_TWO ROT_THREE ROT_FOUR ROT_N",
        (1, 0): "POP_TOP POP_ITER PRINT_EXPR STORE_FAST STORE_DEREF STORE_GLOBAL STORE_NAME "
                "DELETE_ATTR LIST_APPEND SET_ADD LIST_EXTEND SET_UPDATE DICT_UPDATE DICT_MERGE "
                "YIELD_FROM",
        (2, 0): "STORE_ATTR STORE_FAST_STORE_FAST DELETE_SUBSCR MAP_ADD",
        (3, 0): "STORE_SUBSCR",
        (4, 0): "STORE_SLICE",
        (0, 1): "PUSH_NULL COPY DUP_TOP LOAD_CONST LOAD_COMMON_CONSTANT LOAD_SMALL_INT LOAD_FAST "
                "LOAD_FAST_CHECK LOAD_FAST_BORROW LOAD_FAST_AND_CLEAR LOAD_CLOSURE LOAD_DEREF "
                "LOAD_CLASSDEREF LOAD_NAME LOAD_LOCALS LOAD_BUILD_CLASS LOAD_ASSERTION_ERROR "
                "GET_LEN GET_ANEXT MATCH_MAPPING MATCH_SEQUENCE IMPORT_FROM FOR_ITER "
                "WITH_EXCEPT_START RETURN_GENERATOR",
        (1, 1): "STORE_FAST_LOAD_FAST LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS "
                "UNARY_NOT UNARY_NEGATIVE UNARY_POSITIVE UNARY_INVERT TO_BOOL CHECK_EXC_MATCH "
                "FORMAT_SIMPLE CONVERT_VALUE GET_ITER GET_AITER GET_AWAITABLE GET_YIELD_FROM_ITER "
                "SEND YIELD_VALUE ASYNC_GEN_WRAP LIST_TO_TUPLE CALL_INTRINSIC_1",
        (2, 1): "COMPARE_OP IS_OP CONTAINS_OP BINARY_OP BINARY_SUBSCR BINARY_MATRIX_MULTIPLY "
                "INPLACE_MATRIX_MULTIPLY FORMAT_WITH_SPEC END_SEND SET_FUNCTION_ATTRIBUTE "
                "IMPORT_NAME CALL_INTRINSIC_2 " + " ".join(OPERATORS_BY_INSTRUCTION),
        (3, 1): "BINARY_SLICE",
        (0, 2): "LOAD_FAST_LOAD_FAST LOAD_FAST_BORROW_LOAD_FAST_BORROW DUP_TOP_TWO",
        (1, 2): "LOAD_METHOD LOAD_SPECIAL PUSH_EXC_INFO BEFORE_WITH BEFORE_ASYNC_WITH SETUP_WITH",
        (2, 2): "CHECK_EG_MATCH",
        (3, 2): "CLEANUP_THROW",
    }.items()
    for name in names.split()
}  # fmt: skip


def stack_effect(opcodes: OpcodesOfVersion, name: str, argument: int) -> tuple[int, int] | None:
    """Return how many words an instruction takes and pushes when the next one follows it.

    What stays on the stack and is only looked at counts as neither. None for one that is not known
    here.
    """
    if name in _EFFECTS:
        return _EFFECTS[name]
    has_null = "PUSH_NULL" in opcodes.instructions  # 3.11: a callable has a NULL or `self` beside
    if name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_STRING", "BUILD_SLICE"):
        return argument, 1
    if name in ("BUILD_MAP", "BUILD_CONST_KEY_MAP"):
        return 2 * argument if name == "BUILD_MAP" else argument + 1, 1
    if name in ("CALL", "CALL_METHOD", "CALL_KW"):
        return argument + 2 + (name == "CALL_KW"), 1
    if name in ("CALL_FUNCTION", "CALL_FUNCTION_KW"):
        return argument + 1 + (name == "CALL_FUNCTION_KW"), 1
    if name == "CALL_FUNCTION_EX":
        return 2 + has_null + _has_unpacked_keyword_arguments(opcodes, argument), 1
    if name == "RAISE_VARARGS":
        return argument, 0
    if name == "LOAD_GLOBAL":
        return 0, 1 + (argument & opcodes.global_shift)
    if name == "LOAD_ATTR":
        return 1, 1 + (argument & opcodes.attr_shift)
    if name == "LOAD_SUPER_ATTR":
        return 3, 1 + (argument & 1)
    if name == "UNPACK_SEQUENCE":
        return 1, argument
    if name == "UNPACK_EX":
        return 1, 1 + (argument & 0xFF) + (argument >> 8)
    if name == "FORMAT_VALUE":
        return 2 if argument & 4 else 1, 1
    if name == "MAKE_FUNCTION":
        attributes = 0 if "SET_FUNCTION_ATTRIBUTE" in opcodes.instructions else argument & 15
        return attributes.bit_count() + (1 if has_null else 2), 1  # up to 3.10 with its name
    if name == "MATCH_KEYS":
        return 0, 1 if has_null else 2
    if name == "MATCH_CLASS":
        return 3, 1 if has_null else 2
    if name == "END_FOR":
        return opcodes.end_for, 0
    if name == "POP_EXCEPT":
        return 1 if has_null else 3, 0
    if name == "END_ASYNC_FOR":
        return 2 if has_null else 7, 0
    return None


def _has_unpacked_keyword_arguments(opcodes: OpcodesOfVersion, argument: int) -> bool:
    """Tell whether CALL_FUNCTION_EX has a word of named arguments: in 3.14 always, or a NULL."""
    return bool(argument & 1) or "LOAD_FAST_BORROW" in opcodes.instructions


@cache
def _name_of_instruction_method(name: str) -> str:
    return f"_do_{name.lower()}"


class StackSteps(Generic[Word]):
    """One function that is followed: what lies on its value stack, and what changes that."""

    opcodes: OpcodesOfVersion
    stack: list[Word]
    null: Word  # what PUSH_NULL pushes
    base = 0  # so much of the stack is not to be taken from it
    keywords: Sequence[str] | None = ()  # names of the next call's last arguments; None: not known

    def execute_instruction(self, name: str, argument: int) -> None:
        """Do an instruction, as far as it changes the stack."""
        taken, pushed = self._effect(name, argument)
        words = self.words_pushed_by(name, argument, self.pop_words(taken) if taken else ())
        if pushed:
            if isinstance(words, list):
                self.stack += words
            else:
                self.stack.append(words)

    def _effect(self, name: str, argument: int) -> tuple[int, int]:
        effect = _EFFECTS.get(name) or stack_effect(self.opcodes, name, argument)
        if effect is None:
            self.refuse(name)
        return effect

    def words_pushed_by(self, name: str, argument: int, words: Sequence[Word]) -> Word | list[Word]:
        """Return what an instruction pushes, given what it has taken."""
        if name in OPERATORS_BY_INSTRUCTION:
            return self.operator_value(OPERATORS_BY_INSTRUCTION[name], *words)
        method = getattr(self, _name_of_instruction_method(name), None)
        if method is None:
            return [self.unknown_word(name)] * self._effect(name, argument)[1]
        pushed: Word | list[Word] = method(argument, *words)
        return pushed

    def pop_words(self, count: int) -> list[Word]:
        """Take words from the stack, and return them, the deepest first."""
        place = len(self.stack) - count
        if place < self.base:
            self.refuse("an empty stack")
        words = self.stack[place:]
        del self.stack[place:]
        return words

    def peek(self, depth: int) -> Word:
        """Return the word that is so deep, 1 for the one on top."""
        if not 0 < depth <= len(self.stack):
            self.refuse("an empty stack")
        return self.stack[-depth]

    def word_and_null(self, word: Word, wanted: int = 1) -> list[Word]:
        """Return a word, with the NULL of a callable that has no `self` where one is wanted."""
        if not wanted:
            return [word]
        return [word, self.null] if "CALL_KW" in self.opcodes.instructions else [self.null, word]

    # -- what followers know --------------------------------------------------------------------

    def refuse(self, why: str) -> NoReturn:
        """Raise the error of an instruction that cannot be followed."""
        raise NotImplementedError(why)

    def unknown_word(self, what: str) -> Word:
        """Return a word that is not known, such as one that an instruction pushes."""
        self.refuse(what)

    def variable_at_index(self, number: int) -> Word:
        """Return a variable."""
        return self.unknown_word("a variable")

    def store_variable_at_index(self, number: int, value: Word) -> None:
        """Store a variable."""
        self.unknown_word("a variable")

    def constant_at_index(self, number: int) -> Word:
        """Return a constant."""
        return self.unknown_word("a constant")

    def global_value(self, number: int) -> Word:
        """Return what a global name is, by its place in co_names."""
        return self.unknown_word("a global")

    def attribute(self, of: Word, number: int) -> Word:
        """Return an attribute, by its place in co_names."""
        return self.unknown_word("an attribute")

    def method(self, of: Word, number: int) -> list[Word]:
        """Return what is pushed of an attribute that is called at once."""
        return self.word_and_null(self.attribute(of, number))

    def operator_value(self, sign: str, left: Word, right: Word) -> Word:
        """Return what an operator gives: "+", or "+=" where it may change the left side."""
        return self.unknown_word("an operator")

    def subscript(self, of: Word, index: Word) -> Word:
        """Return `of[index]`."""
        return self.unknown_word("an item")

    def comparison(self, how: int, left: Word, right: Word) -> Word:
        """Return what a comparison gives, in the order of Py_LT ... Py_GE."""
        return self.unknown_word("a comparison")

    def exception_match(self, caught: Word, named: Word) -> Word:
        """Return whether an exception is of the class, or one of them, that a handler names."""
        return self.unknown_word("a handler")

    def names_of_arguments(self, names: Word) -> Sequence[str] | None:
        """Return the names of arguments, out of a tuple; None where they are not known."""
        self.unknown_word("names of arguments")
        return None

    def call_value(self, called: Word, arguments: list[Word]) -> Word:
        """Return what a call gives; `keywords` names the last ones."""
        return self.unknown_word("a call")

    def call_with_unpacked_arguments(self, called: Word, arguments: list[Word]) -> Word:
        """Return what a call gives, of an iterable of arguments and mostly one of named ones."""
        return self.unknown_word("a call")

    def new_function(self, code: Word, attributes: dict[int, Word]) -> Word:
        """Return a function: 1 are its defaults, 2 the named ones, 4 annotations, 8 cells."""
        return self.unknown_word("a function")

    # -- instructions that are the same for all -------------------------------------------------

    def _do_nop(self, _argument: int) -> None:
        """Do nothing."""

    _do_resume = _do_precall = _do_not_taken = _do_copy_free_vars = _do_nop

    def _do_pop_top(self, _argument: int, _word: Word) -> None:
        """Do nothing else."""

    def _do_push_null(self, _argument: int) -> Word:
        return self.null

    def _do_copy(self, argument: int) -> Word:
        return self.peek(argument)

    def _do_dup_top(self, _argument: int) -> Word:
        return self.peek(1)

    def _do_dup_top_two(self, _argument: int) -> list[Word]:
        return [self.peek(2), self.peek(1)]

    def _do_swap(self, argument: int) -> None:
        self.stack[-1], self.stack[-argument] = self.peek(argument), self.peek(1)

    def _do_rot_two(self, _argument: int) -> None:
        self._do_rot_n(2)

    def _do_rot_three(self, _argument: int) -> None:
        self._do_rot_n(3)

    def _do_rot_four(self, _argument: int) -> None:
        self._do_rot_n(4)

    def _do_rot_n(self, argument: int) -> None:
        self.peek(argument)
        self.stack.insert(len(self.stack) - argument, self.stack.pop())

    def _do_load_const(self, argument: int) -> Word:
        return self.constant_at_index(argument)

    def _do_load_fast(self, argument: int) -> Word:
        return self.variable_at_index(argument)

    _do_load_fast_check = _do_load_fast_borrow = _do_load_fast

    def _do_load_fast_load_fast(self, argument: int) -> list[Word]:
        return [self.variable_at_index(argument >> 4), self.variable_at_index(argument & 15)]

    _do_load_fast_borrow_load_fast_borrow = _do_load_fast_load_fast

    def _do_store_fast(self, argument: int, value: Word) -> None:
        self.store_variable_at_index(argument, value)

    def _do_store_fast_store_fast(self, argument: int, second: Word, first: Word) -> None:
        self.store_variable_at_index(argument >> 4, first)
        self.store_variable_at_index(argument & 15, second)

    def _do_store_fast_load_fast(self, argument: int, value: Word) -> Word:
        self.store_variable_at_index(argument >> 4, value)
        return self.variable_at_index(argument & 15)

    def _do_load_global(self, argument: int) -> list[Word]:
        shift = self.opcodes.global_shift
        return self.word_and_null(self.global_value(argument >> shift), argument & shift)

    def _do_load_attr(self, argument: int, of: Word) -> Word | list[Word]:
        shift = self.opcodes.attr_shift
        number = argument >> shift
        return self.method(of, number) if argument & shift else self.attribute(of, number)

    def _do_load_method(self, argument: int, of: Word) -> list[Word]:
        return self.method(of, argument)

    def _do_binary_op(self, argument: int, left: Word, right: Word) -> Word:
        sign = self.opcodes.operator_sign(argument)  # 3.11 (bpo-45256)
        if sign is None:
            self.refuse("an operator")
        if sign == "[]":  # 3.14 (gh-100239)
            return self.subscript(left, right)
        return self.operator_value(sign, left, right)

    def _do_binary_subscr(self, _argument: int, of: Word, index: Word) -> Word:
        return self.subscript(of, index)

    def _do_compare_op(self, argument: int, left: Word, right: Word) -> Word | list[Word]:
        how = argument >> self.opcodes.compare_shift
        if how < 6:
            return self.comparison(how, left, right)
        if how == 10:  # up to 3.8 it does these too
            return self.exception_match(left, right)
        if how > 10:
            self.refuse("a comparison")
        name, first = ("CONTAINS_OP", 6) if how < 8 else ("IS_OP", 8)
        return self.words_pushed_by(name, how - first, (left, right))

    def _do_check_exc_match(self, _argument: int, named: Word) -> Word:
        return self.exception_match(self.peek(1), named)

    def _do_end_send(self, _argument: int, _receiver: Word, value: Word) -> Word:
        return value

    def _do_end_for(self, _argument: int, *_words: Word) -> None:
        """Do nothing else."""

    # -- calls ----------------------------------------------------------------------------------

    def _do_kw_names(self, argument: int) -> None:
        """Keep the names of the arguments of the call that follows (3.11 and 3.12)."""
        self.keywords = self.names_of_arguments(self.constant_at_index(argument))

    def _do_call_function(self, _argument: int, called: Word, *arguments: Word) -> Word:
        """Call what lies below its arguments (up to 3.10)."""
        return self.call_value(called, [*arguments])

    def _do_call_function_kw(self, _argument: int, called: Word, *arguments: Word) -> Word:
        """Call with the names of the last arguments on top (up to 3.10)."""
        self.keywords = self.names_of_arguments(arguments[-1])
        return self.call_value(called, [*arguments[:-1]])

    def _do_call(self, _argument: int, first: Word, second: Word, *arguments: Word) -> Word:
        """Call one of the two words below the arguments; the other is NULL, or its `self`."""
        if first == self.null:
            return self.call_value(second, [*arguments])
        return self.call_value(first, [*(() if second == self.null else (second,)), *arguments])

    _do_call_method = _do_call

    def _do_call_kw(self, argument: int, first: Word, second: Word, *arguments: Word) -> Word:
        """Call with the names of the last arguments on top (3.13)."""
        self.keywords = self.names_of_arguments(arguments[-1])
        return self._do_call(argument, first, second, *arguments[:-1])

    def _do_call_function_ex(self, argument: int, *words: Word) -> Word:
        count = 1 + _has_unpacked_keyword_arguments(self.opcodes, argument)
        called = [word for word in words[:-count] if word != self.null]
        arguments = [word for word in words[-count:] if word != self.null]
        return self.call_with_unpacked_arguments(called[0] if called else self.null, arguments)

    def _do_make_function(self, argument: int, *words: Word) -> Word:
        lies = 1 if "PUSH_NULL" in self.opcodes.instructions else 2  # up to 3.10 below its name
        bits = [bit for bit in (1, 2, 4, 8) if argument & bit]
        return self.new_function(words[-lies], dict(zip(bits, words[:-lies], strict=False)))
