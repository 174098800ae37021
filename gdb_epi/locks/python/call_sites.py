# SPDX-License-Identifier: Apache-2.0
"""Which methods code calls on what, in the order of its instructions; and which loops it is in.

Only what loads are needed for is followed: a name, attributes of it, a method.
Source: Python/ceval.c, Python/bytecodes.c, Lib/opcode.py of each version.

Loops are known by their jumps back. Since 3.12 the compiler puts handlers of exceptions after all
other code (gh-92228, see push_cold_blocks_to_end in Python/flowgraph.c), so their way out jumps
back too: the end of a `with` block looks like a loop around all that follows it. Such a jump
belongs to a loop only when the code that it leads to can raise into that handler again.

How a loop ends: after the last of a finite sequence, or when a comparison holds.

A loop that serves goes on until somebody stops it. One that goes over the members of a list, or
reads until a text or a number of bytes has come, wants something specific, after which the program
goes on. `while True:`, a flag, `if not block: break` and `==` are no such ends: services have them.
A loop whose test compares a clock ends when its time has come.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from gdb_epi.cpython.frames.code_objects import locate_bytecode
from gdb_epi.cpython.frames.frame_slots import ExceptionTableEntry, parse_exception_table
from gdb_epi.cpython.frames.opcodes import OpcodesOfVersion, opcodes_of_version
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_JUMPS = 4096  # of one code object that are examined
MAX_ENTRIES = 4096
MAX_VISITS = 1 << 16  # of instructions, to find the loops of one code object
MAX_CODE = 1 << 16  # bytes of one function's instructions
MAX_NAMES = 4096
MAX_TEXT = 256
# Lib/opcode.py, cmp_op of 3.8; later versions have instructions of their own for the last four.
_OPERATORS = ("<", "<=", "==", "!=", ">", ">=", "in", "not in", "is", "is not")
_BEHIND = {"contains": 6, "is": 8}
# What instructions do, by groups. Those by which a loop counts, tests, compares and stores are for
# hangs/loops/endless_walks.py, hangs/loops/futile_polls.py and what is below.
_OPERATIONS = {
    name: operation
    for operation, names in (
        ("fast", "LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_BORROW"),
        ("fast2", "LOAD_FAST_LOAD_FAST LOAD_FAST_BORROW_LOAD_FAST_BORROW"),
        ("store_load", "STORE_FAST_LOAD_FAST"),
        ("cell", "LOAD_DEREF LOAD_CLASSDEREF"),
        ("global", "LOAD_GLOBAL"),
        ("name", "LOAD_NAME"),
        ("attr", "LOAD_ATTR"),
        ("method", "LOAD_METHOD"),
        ("super", "LOAD_SUPER_ATTR"),
        ("extended", "EXTENDED_ARG"),
        ("nothing", "PUSH_NULL NOP CACHE COPY_FREE_VARS NOT_TAKEN PRECALL"),
        ("cold", "JUMP_BACKWARD_NO_INTERRUPT"),
        ("back", "JUMP_BACKWARD POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_BACKWARD_IF_FALSE "
                 "POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE"),
        # A jump where the place that it leads to is counted from the beginning (up to 3.10).
        ("test", "JUMP_ABSOLUTE JUMP_FORWARD POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE "
                 "POP_JUMP_IF_NOT_NONE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_FALSE "
                 "POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE"),
        ("store", "STORE_FAST"),
        ("const", "LOAD_CONST LOAD_CONST_IMMORTAL"),
        ("number", "LOAD_SMALL_INT"),
        ("is", "IS_OP"),
        ("truth", "TO_BOOL"),
        ("sum", "BINARY_OP BINARY_ADD INPLACE_ADD BINARY_SUBTRACT INPLACE_SUBTRACT"),
        ("call", "CALL CALL_FUNCTION CALL_METHOD"),
        ("await", "GET_AWAITABLE SEND YIELD_VALUE YIELD_FROM END_SEND RESUME CLEANUP_THROW"),
        ("pop", "POP_TOP"),
        ("compare", "COMPARE_OP"),
        ("contains", "CONTAINS_OP"),
        ("next", "FOR_ITER"),
        ("reraise", "RERAISE"),
    )
    for name in names.split()
}  # fmt: skip
_LEAVES = frozenset((  # after these the next one does not run
    "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_ABSOLUTE",
    "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT",
))  # fmt: skip
_NO_OPCODES = OpcodesOfVersion({}, {}, {}, frozenset())
_COPIES = ("COPY", "DUP_TOP")
_JUMPS = frozenset(("test", "jump", "back", "cold", "next"))
_KEEP = frozenset((
    "fast", "fast2", "store_load", "cell", "global", "name", "attr", "method", "nothing",
))  # fmt: skip
# How many words instructions push, and which ones leave as many as there were.
_PUSHES = {"fast": 1, "fast2": 2, "cell": 1, "global": 1, "name": 1, "const": 1, "number": 1,
           "sum": -1, "compare": -1}  # fmt: skip
_QUIETLY = frozenset(("attr", "method", "nothing", "extended", "truth"))
MANY_ARGUMENTS = 255
FINITE = frozenset((
    "list_iterator", "list_reverseiterator", "tuple_iterator", "tupleiterator", "range_iterator",
    "set_iterator", "dict_keyiterator", "dict_valueiterator", "dict_itemiterator",
))  # fmt: skip
_WANTS = frozenset(("<", "<=", ">", ">=", "in", "not in"))
_ORDER = frozenset(("<", "<=", ">", ">="))
# Functions of `time` (the standard library also calls one `_time`), and methods `time` and `now` of
# event loops and datetime.
CLOCKS = frozenset((
    "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns", "_time",
    "process_time", "process_time_ns", "thread_time", "now", "utcnow",
))  # fmt: skip
_MEMBERSHIP = ("in", "not in")
MAX_ROUNDS = 16  # one for each loop that is nested, and one more
_BETWEEN = frozenset(("truth", "nothing", "extended"))


class CodeStep(NamedTuple):
    """An instruction: where it is, what follows it (None: nothing), and where it may jump to.

    A quiet jump back (no check for signals) never closes a loop itself: those of an `await` and,
    since 3.13, those out of handlers.
    """

    at: int
    after: int | None
    to: int | None = None
    quiet: bool = False


def find_loops(
    steps: Sequence[CodeStep], entries: Sequence[ExceptionTableEntry]
) -> tuple[tuple[int, int], ...]:
    """Return the loops as (first, last) byte; a handler's part of one is a stretch of its own.

    `entries` are the exception table of code whose handlers stand last; else leave them empty.
    """
    handlers = sorted({entry.target for entry in entries[:MAX_ENTRIES]})
    loops: list[tuple[int, int]] = []
    out_of_handlers: list[tuple[int, int]] = []
    awaiting: set[int] = set()
    back = [(step.at, step.to, step.quiet) for step in steps if step.to is not None]
    for at, to, quiet in [jump for jump in back if jump[1] < jump[0]][:MAX_JUMPS]:
        if _last_handler_before(handlers, at) > to:
            out_of_handlers.append((at, to))
        elif quiet:
            awaiting.add(at)
        else:
            loops.append((to, at))
    by_head: dict[int, list[int]] = {}
    for at, to in out_of_handlers:
        around = [first for first, last in loops if first <= to <= last]
        by_head.setdefault(max(around, default=to), []).append(at)
    following = _successors(steps, entries, awaiting) if by_head else {}
    leading: dict[int, list[int]] = {}
    for at, targets in following.items():
        for to in targets:
            leading.setdefault(to, []).append(at)
    budget = [MAX_VISITS]
    for head, ends in by_head.items():
        # What runs after the head and before it comes round again.
        body = _reachable_places(following, [head], budget) & _reachable_places(
            leading, ends, budget, head
        )
        main = [at for at in sorted(body) if _last_handler_before(handlers, at) <= head]
        loops += [(main[0], main[-1])] if main else []
        loops += _stretches_of_loop(following, body.difference(main)) if body else []
    return tuple(dict.fromkeys(loops))


def _successors(
    steps: Sequence[CodeStep], entries: Sequence[ExceptionTableEntry], awaiting: Collection[int]
) -> dict[int, list[int]]:
    """Return what may run after each instruction, the handler of what it raises included."""
    table = sorted(entries[:MAX_ENTRIES])
    starts = [entry.start for entry in table]
    following = {}
    for step, then in zip(steps, (*steps[1:], None), strict=False):
        around = bisect_right(starts, step.at) - 1
        raises = around >= 0 and step.at < table[around].end
        after = then.at if then is not None and step.at in awaiting else step.after
        targets = (after, step.to, table[around].target if raises else None)
        following[step.at] = [at for at in targets if at is not None]
    return following


def _reachable_places(
    graph: Mapping[int, Sequence[int]], starts: Sequence[int], budget: list[int], stop: int = -1
) -> set[int]:
    """Return the places that lead on from some, and those: none that lie behind `stop` alone."""
    reached, todo = set(starts), list(starts)
    while todo and budget[0]:
        budget[0] -= 1
        at = todo.pop()
        new = [to for to in graph.get(at, ()) if at != stop and to not in reached]
        reached.update(new)
        todo += new
    return reached


def _stretches_of_loop(places: Iterable[int], body: Collection[int]) -> list[tuple[int, int]]:
    """Return the stretches of a loop's body, of places in order."""
    runs: list[tuple[int, int]] = []
    inside = False
    for at in places:
        if at in body:
            runs.append((runs.pop()[0] if inside else at, at))
        inside = at in body
    return runs


def _last_handler_before(handlers: Sequence[int], at: int) -> int:
    """Return the last handler that begins at a byte or before it; -1 when none does."""
    number = bisect_right(handlers, at)
    return handlers[number - 1] if number else -1


class MethodCall(NamedTuple):
    """A method that is loaded to be called: `root`, its attributes, and the method last.

    `root` is (kind, name), kind one of "local" and "global". `at` is the place in bytes.
    """

    at: int
    root: tuple[str, str]
    path: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of what is called."""
        return self.path[-1] if self.path else self.root[1]


class CodeCalls(NamedTuple):
    """What one code object calls, its loops as (first, last) byte, and what it may call.

    `loads` are names by themselves: functions that are called, or passed on to be called.
    `first_tests` are of find_first_copies_of_tests(). `stores` are what it stores in attributes and
    globals: the attribute is the last of the path, the kind of a root that is not known is "".
    """

    calls: tuple[MethodCall, ...]
    loops: tuple[tuple[int, int], ...]
    loads: tuple[MethodCall, ...] = ()
    first_tests: Mapping[tuple[int, int], int] = {}
    stores: tuple[MethodCall, ...] = ()

    def made_and_possible_calls(self) -> tuple[MethodCall, ...]:
        """Return what it calls and may call."""
        return (*self.calls, *self.loads)


class Instruction(NamedTuple):
    """One instruction as Opcodes.decode() gives it, with what it does."""

    at: int
    end: int
    operation: str  # of _OPERATIONS; "" for all others
    argument: int
    goes_on: bool = True  # the next one may run after it
    name: str = ""


def find_first_copies_of_tests(
    code: Sequence[Instruction], loops: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], int]:
    """Return, for a `while`, where the copy of its test begins that stands before the loop.

    Compilers of 3.10 to 3.13 put the test at the loop's end, and once before it (bpo-42615): who
    waits in the first one waits in the loop all the same. Other loops have none.
    """
    numbers = {each.at: number for number, each in enumerate(code)}
    tests = {}
    for first, last in loops:
        entry, end = numbers.get(first, 0) - 1, numbers.get(last, 0)
        if not code[end].goes_on:
            end -= 1  # 3.12 and later: a jump out, and one back
        length = 0
        while entry - length >= 0 and numbers[first] < end - length:
            before, inside = code[entry - length], code[end - length]
            jump = {before.operation, inside.operation} <= _JUMPS
            if not jump and (before.name, before.argument) != (inside.name, inside.argument):
                break
            copied = code[entry - length - 1].name in _COPIES if entry > length else False
            if before.operation == "pop" or (before.name.startswith("STORE") and not copied):
                break  # a statement of its own: only `:=` stores within a test
            length += 1
        if length > 1 and code[entry].operation in _JUMPS:
            tests[first, last] = code[entry - length + 1].at
    return tests


class NameTables(NamedTuple):
    """What instructions number: globals and attributes, variables, and cells."""

    names: list[str]
    variables: list[str]
    cells: list[str]


NOTHING = CodeCalls((), ())


def read_name_tuple(reader: MemoryReader, code: int, member: str) -> list[str]:
    """Return a tuple of names of a code object. Raises UnreadableMemory, LayoutError."""
    at = reader.layout.offset("PyCodeObject", member)
    names = reader.u64(code + at) if at is not None else 0
    if not names:
        return []
    items = ContainerReader(reader).tuple_items(names)[:MAX_NAMES]
    texts = (reader.string(name, MAX_TEXT) for name in items)
    return ["?" if isinstance(text, Absent) else text for text in texts]


class CallSites:
    """Read the calls of code objects of one process."""

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self.opcodes = opcodes_of_version(reader.layout.version) or _NO_OPCODES

    @memoized
    def calls_of(self, code: int) -> CodeCalls:
        """Return what a code object calls; empty for an unknown version or unreadable code."""
        with suppress(UnreadableMemory, LayoutError):
            return self._read_code_calls(code) if self.opcodes.names else NOTHING
        return NOTHING

    def name_tuple(self, code: int, member: str) -> list[str]:
        """Return a tuple of names of a code object. Raises UnreadableMemory, LayoutError."""
        return read_name_tuple(self._reader, code, member)

    def instructions(self, code: int) -> Iterator[Instruction]:
        """Yield the instructions of a code object; none for an unknown version.

        Raises UnreadableMemory, LayoutError.
        """
        start, size = locate_bytecode(self._reader, code)
        size = max(0, min(size, MAX_CODE)) if self.opcodes.names else 0
        units = self._reader.read(start, size)
        for at, end, name, argument in self.opcodes.decode(units):
            operation = _OPERATIONS.get(name, "")
            if operation == "test" and name in self.opcodes.absolute:
                operation = "jump"
            yield Instruction(at, end, operation, argument, name not in _LEAVES, name)

    def running_instruction(self, code: int, at: int | None) -> Instruction | None:
        """Return the instruction of a code object that a byte belongs to, with its caches.

        Raises UnreadableMemory, LayoutError.
        """
        steps = self.instructions(code) if at is not None else ()
        return next((step for step in steps if step.at <= (at or 0) < step.end), None)

    def loaded_variable_index(self, instruction: Instruction) -> int:
        """Return the place of the variable that is loaded, in the names of its kind."""
        shift = self.opcodes.global_shift if instruction.operation == "global" else 0
        return instruction.argument >> shift

    def loaded_attribute_index(self, instruction: Instruction) -> int | None:
        """Return the place in co_names of the attribute that is loaded; None for a method."""
        shift = self.opcodes.attr_shift
        if instruction.operation != "attr" or instruction.argument & shift:
            return None
        return instruction.argument >> shift

    def loaded_name_index(self, instruction: Instruction) -> int | None:
        """Return the place in co_names of the global, attribute or method that is loaded."""
        if instruction.operation in ("global", "name"):
            return self.loaded_variable_index(instruction)
        if instruction.operation == "attr":
            return instruction.argument >> self.opcodes.attr_shift
        if instruction.operation == "super":
            return instruction.argument >> 2
        return instruction.argument if instruction.operation == "method" else None

    def comparison_operator(self, instruction: Instruction) -> str:
        """Return the operator of a comparison: "<", "in", "is not", ...; "" for anything else."""
        if instruction.operation == "compare":
            number = instruction.argument >> self.opcodes.compare_shift
            return _OPERATORS[number] if number < len(_OPERATORS) else ""
        first = _BEHIND.get(instruction.operation)
        return "" if first is None else _OPERATORS[first + (instruction.argument & 1)]

    def jump_target(self, instruction: Instruction) -> int | None:
        """Return the byte that a jump leads to; None for any other instruction."""
        if instruction.operation not in _JUMPS:
            return None
        return self.opcodes.jump_target(instruction.name, instruction.argument, instruction.end)

    def can_leave_loop(self, code: int, loop: range) -> bool:
        """Tell whether an instruction between some bytes of a code object leads out of them.

        That a `for` comes to the end of what it goes over does not count, nor that an error which
        nothing handles goes on: it leaves every loop. Raises UnreadableMemory, LayoutError.
        """
        for instruction in self.instructions(code):
            if instruction.at not in loop or instruction.operation in ("next", "reraise"):
                continue
            target = self.jump_target(instruction)
            if (
                not (instruction.goes_on or target is not None)
                or (target or instruction.at) not in loop
            ):
                return True
            if instruction.goes_on and instruction.end not in loop:
                return True  # not taken, or (3.12) what follows a `try` whose handler goes round
        return False

    def names_used_by_instructions(self, code: int) -> Iterator[tuple[int, str, str]]:
        """Yield (byte, operation, name used or "") of each instruction, of some more than one.

        Raises UnreadableMemory, LayoutError, and IndexError where a table is too short.
        """
        names, slots, cells = self.name_tables(code)
        for instruction in self.instructions(code):
            does, number = instruction.operation, instruction.argument
            if does == "fast2":
                yield instruction.at, does, slots[number >> 4]
                yield instruction.at, does, slots[number & 15]
            elif does in ("fast", "cell"):
                yield instruction.at, does, (slots if does == "fast" else cells)[number]
            elif (place := self.loaded_name_index(instruction)) is not None:
                # super().name is an attribute of an object that is not known (3.12).
                yield instruction.at, "attr" if does == "super" else does, names[place]
            else:
                yield instruction.at, does, ""

    def argument_counts_of_call(self, code: int, at: int) -> tuple[int, int] | None:
        """Return with how many arguments a method is called that is loaded at a byte.

        And the byte behind that call, 0 where it was not found. None where it is passed on, or its
        call is not known. The compiler loads "method" (up to 3.11), or says so in the argument of
        LOAD_ATTR, only for what it calls at once; with keywords, or of a name that was imported,
        it loads a plain attribute all the same.
        Raises UnreadableMemory, LayoutError.
        """
        words: int | None = None  # on the stack above the callable
        at_once = False
        for instruction in self.instructions(code):
            does = instruction.operation
            if words is None:
                if instruction.at == at:
                    words, shift = 0, self.opcodes.attr_shift
                    at_once = does == "method" or bool(
                        does == "attr" and instruction.argument & shift
                    )
                continue
            if instruction.name.startswith("CALL"):
                given = instruction.argument + ("KW" in instruction.name)
                if given == words and (does == "call" or "KW" in instruction.name):
                    return given, instruction.end
                words -= given
            elif does in _PUSHES:
                words += _PUSHES[does]
            elif does not in _QUIETLY and instruction.name != "KW_NAMES":
                break
            if words < 0:
                return None  # it is an argument itself
        return (MANY_ARGUMENTS, 0) if at_once else None

    def outcome_of_call(
        self, code: int, loaded: int, end: int, running: int, truth: Callable[[str], bool | None]
    ) -> bool | None:
        """Tell whether the last call of a method gave something true; None where nothing tells.

        `loaded` is the byte where the method is loaded, `end` the one behind the call, `truth` is
        asked about the variable that keeps what it gave, where only that call stores it. Else the
        way that leads to the running byte tells, which a test of it chose.
        Raises UnreadableMemory, LayoutError, IndexError.
        """
        instructions = list(self.instructions(code))
        for instruction in instructions:
            if (
                instruction.at < end
                or instruction.operation in _BETWEEN
                or instruction.name in _COPIES
            ):
                continue
            variable = next(iter(self._variables_stored(code, instruction)), None)
            if variable is not None:
                stores = [v for other in instructions for v in self._variables_stored(code, other)]
                return truth(variable) if stores.count(variable) == 1 else None
            target = self.jump_target(instruction)
            if target is None or not instruction.name.endswith(("_IF_TRUE", "_IF_FALSE")):
                return None
            graph = {
                step.at: [at for at in (step.end if step.goes_on else None, self.jump_target(step))
                          if at is not None]
                for step in instructions
            }  # fmt: skip
            here = next((step.at for step in instructions if step.at <= running < step.end), -1)
            jumped, went_on = (
                here in _reachable_places(graph, [start], [MAX_VISITS], loaded)
                for start in (target, instruction.end)
            )
            return None if jumped == went_on else jumped == instruction.name.endswith("TRUE")
        return None

    def _variables_stored(self, code: int, instruction: Instruction) -> list[str]:
        """Return the variables that an instruction stores, the one that was on top first."""
        name, number, tables = instruction.name, instruction.argument, self.name_tables(code)
        if name in ("STORE_FAST", "STORE_DEREF", "STORE_NAME"):
            kind = {"STORE_FAST": tables.variables, "STORE_DEREF": tables.cells}
            return [kind.get(name, tables.names)[number]]
        if name.startswith("STORE_FAST_"):  # two variables in one instruction (3.13)
            both = [tables.variables[number >> 4], tables.variables[number & 15]]
            return both if name == "STORE_FAST_STORE_FAST" else both[:1]
        return []

    @memoized
    def name_tables(self, code: int) -> NameTables:
        """Return the names that instructions number. Raises UnreadableMemory, LayoutError."""
        names, slots = (self.name_tuple(code, name) for name in ("co_names", "co_localsplusnames"))
        if self._reader.layout.offset("PyCodeObject", "co_localsplusnames") is not None:
            return NameTables(names, slots, slots)
        cells = self.name_tuple(code, "co_cellvars") + self.name_tuple(code, "co_freevars")
        return NameTables(names, self.name_tuple(code, "co_varnames"), cells)

    def _read_code_calls(self, code: int) -> CodeCalls:
        names, slots, cells = self.name_tables(code)
        calls: list[MethodCall] = []
        loads: list[MethodCall] = []
        stores: list[MethodCall] = []
        steps: list[CodeStep] = []
        root: tuple[str, str] | None = None
        path: tuple[str, ...] = ()
        instructions = list(self.instructions(code))
        leading = [self.jump_target(instruction) for instruction in instructions]
        targets = {*leading}
        for each, target in zip(instructions, leading, strict=True):
            offset, operation, argument = each.at, each.operation, each.argument
            if offset in targets:
                root = None  # one of several: `(a or b).method()`
            after = each.end if each.goes_on else None
            steps.append(CodeStep(offset, after, target, operation == "cold"))
            if operation in ("fast", "fast2", "store_load"):
                slot = argument if operation == "fast" else argument & 15
                root, path = (("local", slots[slot]) if slot < len(slots) else None), ()
            elif operation == "cell":
                root, path = ((("local", cells[argument]) if argument < len(cells) else None), ())
            elif operation in ("global", "name"):
                number = self.loaded_variable_index(each)
                root, path = (("global", names[number]) if number < len(names) else None), ()
            elif operation in ("attr", "method"):
                number = argument >> self.opcodes.attr_shift if operation == "attr" else argument
                path = (*path, names[number] if number < len(names) else "?")
            if root is not None and not path and operation in ("fast", "cell", "global", "name"):
                loads.append(MethodCall(offset, root, ()))
            # A plain function is called where a NULL is pushed with it (3.11, bpo-40222); before,
            # a function that is called looks like one that is passed on.
            called = operation == "global" and self.opcodes.global_shift and argument & 1
            if root is not None and (operation in ("attr", "method") or called):
                calls.append(MethodCall(offset, root, path))
            if each.name == "STORE_ATTR" and argument < len(names):
                stores.append(MethodCall(offset, root or ("", ""), (*path, names[argument])))
            elif each.name == "STORE_GLOBAL" and argument < len(names):
                stores.append(MethodCall(offset, ("global", names[argument]), ()))
            copied = each.name == "DUP_TOP" or (each.name == "COPY" and argument == 1)
            if operation not in _KEEP and not copied:  # `a.b += 1` loads `a` once for both
                root = root if operation == "extended" else None
        loops = find_loops(steps, self._handlers_after_code(code))
        tests = find_first_copies_of_tests(instructions, loops)
        loaded = tuple(dict.fromkeys(loads))
        return CodeCalls(tuple(calls), loops, loaded, tests, tuple(stores))

    def _handlers_after_code(self, code: int) -> list[ExceptionTableEntry]:
        """Return the exception table of code whose handlers stand after all else (3.12+)."""
        at = self._reader.layout.offset("PyCodeObject", "co_exceptiontable")
        if at is None or not self.opcodes.handlers_last:
            return []
        raw = self._reader.bytes_object(self._reader.u64(code + at), MAX_CODE)
        return [] if isinstance(raw, Absent) else parse_exception_table(raw)


def loop_ends_by_comparison(
    instructions: Iterable[Instruction], loop: tuple[int, int], sites: CallSites
) -> bool:
    """Tell whether a comparison of what was read leads out of a loop (first, last byte).

    `in` a constant is left alone: services are told to end by one of several words.
    """
    body = _instructions_of_loop(instructions, loop[0], loop[1])
    again = _bytes_leading_to_first(body, loop[0], sites)
    compared = constant = False
    for each in body:
        operator = sites.comparison_operator(each)
        if operator:
            compared = operator in _WANTS and not (operator in _MEMBERSHIP and constant)
        elif each.operation not in _BETWEEN:
            target = sites.jump_target(each)
            if compared and target is not None and not {each.end, target} <= again:
                return True
            compared = False
        constant = each.operation == "const"
    return False


def loop_ends_by_clock(code: int, loop: range, sites: CallSites) -> bool:
    """Tell whether a comparison with a clock leads out of a loop: `while monotonic() < until:`.

    `loop` are the bytes of the loop in the code object `code`.
    Raises UnreadableMemory, LayoutError.
    """
    body = _instructions_of_loop(sites.instructions(code), loop.start, loop.stop - 1)
    names = sites.name_tuple(code, "co_names")
    again = _bytes_leading_to_first(body, loop.start, sites)
    named = asked = compared = False
    for each in body:
        if sites.comparison_operator(each):
            compared = asked and sites.comparison_operator(each) in _ORDER
        target = sites.jump_target(each)
        if compared and target is not None and not {each.end, target} <= again:
            return True
        if target is not None or each.operation in ("store", "pop", "store_load"):
            named = asked = compared = False
        number = sites.loaded_name_index(each)
        if number is not None:
            named = number < len(names) and names[number] in CLOCKS
        asked |= named and each.operation == "call"
    return False


def _instructions_of_loop(
    instructions: Iterable[Instruction], first: int, last: int
) -> list[Instruction]:
    """Return a loop's instructions, with the NOP before them.

    In 3.11 `while True:` is a NOP, to which `continue` jumps; the end of the body jumps behind it.
    """
    body: list[Instruction] = []
    for instruction in instructions:
        if instruction.at > last:
            break
        if instruction.at >= first or (
            instruction.operation == "nothing" and instruction.end == first
        ):
            body.append(instruction)
    return body


def _bytes_leading_to_first(body: Sequence[Instruction], first: int, sites: CallSites) -> set[int]:
    """Return the bytes of a loop from which its first one is reached again."""
    again = {first}
    for _ in range(MAX_ROUNDS):
        size = len(again)
        for each in reversed(body):
            on = each.goes_on and each.end in again
            if on or sites.jump_target(each) in again:
                again.add(each.at)
        if len(again) == size:
            break
    return again
