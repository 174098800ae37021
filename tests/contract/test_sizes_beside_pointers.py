# SPDX-License-Identifier: Apache-2.0
"""Decimals and streams of text say how large they are, truly, until a bit of that is flipped."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.cores import find_core
from support.interpreters import one_per_minor
from support.mutate import MutatedTarget
from support.opening import interpreter_or_skip

from gdb_epi.corruption.checks.owned_buffers import owned_buffers
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.heap.object_walk import ObjectWalk, object_walk
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import io, os
from decimal import Decimal, getcontext
getcontext().prec = 300
keep = [Decimal("NaN"), Decimal("inf"), Decimal(0), Decimal("0.00"), Decimal("1e100")]
for number in range(1, 60):
    keep += [Decimal(10) ** number / 7, Decimal(1 << 16 * number), Decimal(number).sqrt()]
    written = io.StringIO("x" * number)
    written.write("y" * 7 * number)
    written.seek(3)
    if number % 3 == 0:
        written.truncate(2 * number)
    joined = io.StringIO()
    joined.write("abc" * number)
    closed = io.StringIO("q" * number)
    closed.close()
    keep += [written, joined, closed]
os.abort()
"""
# Of a type: the member, its place in the object, the size of those that are flipped at least.
SIZES = {"decimal.Decimal": ("len", 48, 1), "_io.StringIO": ("string_size", 32, 8)}
ROOM = {"_io.StringIO": (40, 5)}  # of what is open: its place, the least
HIGH, SOME = 22, 5
INTERPRETERS = [pytest.param(i.id, id=i.id) for i in one_per_minor() if i.root is None]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_only_a_flipped_size_contradicts_its_object(interpreter: str, tmp_path: Path) -> None:
    chosen = interpreter_or_skip(interpreter)
    (tmp_path / "prog.py").write_text(PROGRAM)
    start = ["sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh", *chosen.argv, "prog.py"]
    subprocess.run(start, cwd=tmp_path, env=dict(chosen.env), timeout=120, check=False)
    (core,) = find_core(tmp_path)
    target = CoreFileTarget.open(core, exe=None, sysroot=None)
    context = Context(ProcessState(target))
    assert not list(owned_buffers(context)), "a sound core"
    walk = object_walk(context)
    assert isinstance(walk, ObjectWalk)
    for kind, (member, offset, least) in SIZES.items():
        room_at, room = ROOM.get(kind, (offset, 0))
        owners = [
            owner
            for owner in walk.kinds.objects_of_types(frozenset((kind,)))[kind]
            if walk.reader.word(owner + offset) >= least
            and walk.reader.word(owner + room_at) > room
        ]
        assert len(owners) > SOME
        for owner in owners[:: len(owners) // SOME]:
            damaged = MutatedTarget(target)
            damaged.flip(owner + offset, HIGH)
            (claim,) = owned_buffers(Context(ProcessState(damaged)))  # type: ignore[arg-type]
            assert claim.where == owner + offset and f"{member} of the {kind}" in claim.summary
