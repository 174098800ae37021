# SPDX-License-Identifier: Apache-2.0
"""Which instructions belong to loops: those that can run again, as the flow of control shows.

Each interpreter compiles the functions below and follows its own instructions; none of them runs.
"""

from __future__ import annotations

import json
import subprocess

import pytest
from support.interpreters import Interpreter, own_interpreters

from gdb_epi.cpython.frames.frame_slots import ExceptionTableEntry
from gdb_epi.locks.python.call_sites import (
    CodeStep,
    Instruction,
    find_first_copies_of_tests,
    find_loops,
)

LOOPS = '''
def plain(a):
    for x in a: f(x)
    g()
def handler(a):
    while True:
        try: return f()
        except ValueError: g()
def handler_with_a_name():
    while True:
        try: return f()
        except ValueError as e: g(e)
        except (KeyError, OSError) as e: h(e)
def with_in_handler(a):
    for y in a:
        while True:
            try: return f()
            except ValueError as e:
                with m: g(e)
                h()
def try_in_handler():
    while True:
        try: return f()
        except ValueError as e:
            try: g(e)
            except KeyError:
                with m as z:
                    if z: g()
                    else: h()
            h()
def handler_of_two(n):
    while n:
        try: x = f()
        except OSError as e:
            with m: g(e)
            n -= 1
        else: return x
    h()
def try_in_try():
    while True:
        try:
            try: return f()
            except KeyError:
                with m: g()
        except ValueError as e:
            try: h(e)
            finally: g()
def continues():
    while True:
        try: x = f()
        except ValueError:
            if g(): return
            with m: h()
            continue
        h(x)
def swallows(a):
    for x in a:
        with suppress(OSError): return f(x)
        g(x)
def gives():
    while True:
        try: yield f()
        except GeneratorExit: return
        except ValueError as e:
            with m: h(e)
async def awaits(a):
    while True:
        try: await a.b()
        except ValueError as e:
            async with m: await g(e)
        await h()
def once():
    with m: f()
    try: g()
    except ValueError as e:
        with m: h(e)
    h()
async def awaits_once(a):
    try: await a.b()
    except ValueError as e:
        with m: await g(e)
    await h()
'''  # fmt: skip
FLOW = """
import dis, json, sys, types
shapes = {}
for code in compile(sys.stdin.read(), "", "exec").co_consts:
    if not isinstance(code, types.CodeType):
        continue
    each = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    table = list(dis._parse_exception_table(code))
    steps, following = [], {}
    for i, behind in zip(each, [*each[1:], None]):
        leaves = i.opname.startswith(("JUMP_", "RETURN_VALUE", "RETURN_CONST", "RAISE", "RERAISE"))
        to = i.argval if i.opcode in (*dis.hasjrel, *dis.hasjabs) else None
        after = None if leaves or behind is None else behind.offset
        shown = to if i.opname != "SEND" else None
        steps.append((i.offset, after, shown, "NO_INTERRUPT" in i.opname))
        raises = [e.target for e in table if e.start <= i.offset < e.end]
        following[i.offset] = [at for at in (to, after, *raises) if at is not None]
    def reached(start):
        seen, todo = set(), list(following[start])
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo += following[at]
        return seen
    live = sorted(reached(each[0].offset) | {each[0].offset})
    again = [at for at in live if at in reached(at)]
    entries = [(e.start, e.end, e.depth, e.target) for e in table]
    shapes[code.co_name] = steps, entries, live, again
print(json.dumps(shapes))
"""
RECENT = [i for i in own_interpreters() if i.minor >= (3, 12) and not i.free_threaded]


@pytest.mark.skipif(not RECENT, reason="no own interpreter of 3.12 or later is on this machine")
@pytest.mark.parametrize("interpreter", RECENT, ids=lambda each: each.id)
def test_what_can_run_again_is_in_a_loop(interpreter: Interpreter) -> None:
    command = [interpreter.executable, "-I", "-c", FLOW]
    shown = subprocess.run(command, input=LOOPS, capture_output=True, text=True, check=True)
    for name, (steps, table, live, again) in json.loads(shown.stdout).items():
        entries = [ExceptionTableEntry(*entry) for entry in table]
        loops = find_loops([CodeStep(*step) for step in steps], entries)
        covered = {at for at in live if any(first <= at <= last for first, last in loops)}
        if name.endswith("once"):
            assert not covered, name
            continue
        assert set(again) <= covered, name
        handlers = min((entry.target for entry in entries), default=1 << 16)
        assert {at for at in covered if at >= handlers} <= set(again), name


def _code(*steps: tuple[str, str, int]) -> list[Instruction]:
    return [
        Instruction(2 * n, 2 * n + 2, operation, argument, not name.startswith("JUMP"), name)
        for n, (operation, name, argument) in enumerate(steps)
    ]


LOAD, CALL = ("fast", "LOAD_FAST", 1), ("call", "CALL", 0)
LEAVE = ("test", "POP_JUMP_FORWARD_IF_FALSE", 5)


@pytest.mark.parametrize(
    ("end", "first", "last"),
    [
        ([("back", "POP_JUMP_BACKWARD_IF_TRUE", 4)], 8, 14),  # 3.10 and 3.11
        ([("test", "POP_JUMP_IF_FALSE", 1), ("back", "JUMP_BACKWARD", 5)], 8, 16),  # 3.12
    ],
)
def test_the_first_test_of_a_while_stands_before_its_loop(
    end: list[tuple[str, str, int]], first: int, last: int
) -> None:
    """`while line := await reader.readline()` was no loop before its first line came."""
    before = ("store", "STORE_FAST", 1)
    code = _code(before, LOAD, CALL, LEAVE, ("pop", "POP_TOP", 0), LOAD, CALL, *end)
    assert find_first_copies_of_tests(code, [(first, last)]) == {(first, last): 2}
    other = _code(before, ("fast", "LOAD_FAST", 2), ("call", "CALL", 1), *code_names(code)[3:])
    assert not find_first_copies_of_tests(other, [(first, last)]), "another test"
    assert not find_first_copies_of_tests(code[4:], [(first, last)]), "nothing before"


def test_a_statement_before_a_while_is_not_its_test() -> None:
    """`message = recv()` before a `while message:` whose body ends alike was taken for its test."""
    prime = [LOAD, CALL, ("store", "STORE_FAST", 1)]
    test = [("fast", "LOAD_FAST", 1), ("truth", "TO_BOOL", 0)]
    code = _code(*prime, *test, LEAVE, *prime, *test, ("back", "POP_JUMP_BACKWARD_IF_TRUE", 4))
    assert find_first_copies_of_tests(code, [(12, 22)]) == {(12, 22): 6}
    walrus = [LOAD, CALL, ("", "COPY", 1), ("store", "STORE_FAST", 1)]
    code = _code(
        *walrus, LEAVE, ("pop", "POP_TOP", 0), *walrus, ("back", "POP_JUMP_BACKWARD_IF_TRUE", 5)
    )
    assert find_first_copies_of_tests(code, [(10, 20)]) == {(10, 20): 0}


def code_names(code: list[Instruction]) -> list[tuple[str, str, int]]:
    return [(each.operation, each.name, each.argument) for each in code]
