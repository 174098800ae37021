# SPDX-License-Identifier: Apache-2.0
"""Loops: endless only where they do nothing but walk in a ring; and those that want something."""

from __future__ import annotations

import dis
import sys
from types import SimpleNamespace

import pytest

from gdb_epi.cpython.frames.opcodes import opcodes_of_version
from gdb_epi.hangs.loops.endless_walks import (
    AttributeStep,
    _NotAWalk,
    measure_ring,
    parse_attribute_step,
)
from gdb_epi.locks.python import call_sites
from gdb_epi.locks.python.call_sites import CallSites, loop_ends_by_comparison

OPCODES = opcodes_of_version(sys.version_info[:2])
pytestmark = pytest.mark.skipif(OPCODES is None, reason="no table of its opcodes")


def counts(node):
    depth = 0
    while node is not None:
        depth += 1
        node = node.parent
    return depth


def to_the_root(node):
    while node.parent:
        node = node.parent
    return node


def until_it_is_back(node, start):
    while node is not start:
        node = node.parent


def until_named(node, name):
    while node:
        if node.name == name:
            return node
        node = node.parent
    return None


def until_marked(node):
    while not node.marked:
        node = node.parent


def so_many(node, left):
    while left:
        left -= 1
        node = node.parent


def works(node):
    while node:
        node.work()
        node = node.parent


def takes_apart(node):
    while node is not None:
        following = node.parent
        node.parent = None
        node = following


def by_key(node, names):
    while node:
        names[node] = 1
        node = node.parent


def two_ways(node):
    while node:
        node = node.parent
        node = node.other


def sites_and_loop(function, monkeypatch) -> tuple[CallSites, tuple[int, int]]:
    """Return the instructions of a function as they are read, and its loop."""
    code = function.__code__
    raw = code.co_code
    backward = [each for each in dis.get_instructions(code) if _target(each) < each.offset]
    first, last = min(map(_target, backward)), max(each.offset for each in backward)
    monkeypatch.setattr(call_sites, "locate_bytecode", lambda *_: (0, len(raw)))
    layout = SimpleNamespace(version=sys.version_info[:2])
    sites = CallSites(SimpleNamespace(layout=layout, read=lambda _, size: raw[:size]))
    return sites, (first, last)


def step_of(function, monkeypatch) -> AttributeStep | None:
    code = function.__code__
    sites, (first, last) = sites_and_loop(function, monkeypatch)
    body = [each for each in sites.instructions(1) if first <= each.at <= last]
    assert body
    try:
        return parse_attribute_step(
            body, code.co_varnames, code.co_names, sites, lambda n: code.co_consts[n] is None
        )
    except (_NotAWalk, IndexError):
        return None


def _target(instruction: dis.Instruction) -> int:
    jumps = instruction.opcode in (*dis.hasjrel, *dis.hasjabs)
    return instruction.argval if jumps else sys.maxsize


@pytest.mark.parametrize("function", [counts, to_the_root])
def test_code_that_only_walks(function, monkeypatch) -> None:
    assert step_of(function, monkeypatch) == AttributeStep("node", "parent")


@pytest.mark.parametrize(
    "function",
    [until_it_is_back, until_named, until_marked, so_many, works, takes_apart, by_key, two_ways],
)
def test_code_that_may_end_otherwise(function, monkeypatch) -> None:
    assert step_of(function, monkeypatch) is None


@pytest.mark.parametrize(
    ("parents", "length"),
    [({1: 2, 2: 3, 3: 1}, 3), ({1: 1}, 1), ({1: 2, 2: 3, 3: 2}, 2), ({1: 2, 2: None}, 0)],
)
def test_how_long_a_ring_is(parents, length) -> None:
    view = SimpleNamespace(attribute=lambda word, _: parents.get(word))
    assert measure_ring(SimpleNamespace(view=view), 1, "parent") == length


def until_there(read):
    seen = b""
    while b"ready" not in seen:
        seen += read()


def all_of_it(read, count):
    got = b""
    while len(got) < count:
        got += read()


def the_line(lines):
    for line in lines:
        if "started" in line:
            break
    return line


def commands(read):
    while True:
        command = read()
        if command in ("quit", "exit"):
            return
        print(command)


def blocks(read):
    while True:
        block = read()
        if not block:
            break
        if b"x" in block:
            print(block)


def answers(read, clients):
    while True:
        for asked in read():
            if asked in clients:
                print(asked)


def until_it_says_so(read, over):
    while read() != over:
        pass


@pytest.mark.parametrize(
    ("function", "ends"),
    [
        (until_there, True), (all_of_it, True), (the_line, True),
        (commands, False), (blocks, False), (until_it_says_so, False), (answers, False),
    ],
)  # fmt: skip
def test_a_loop_that_wants_something_certain(function, ends, monkeypatch) -> None:
    sites, (first, last) = sites_and_loop(function, monkeypatch)
    assert loop_ends_by_comparison(sites.instructions(1), (first, last), sites) == ends
