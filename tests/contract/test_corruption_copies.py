# SPDX-License-Identifier: Apache-2.0
"""Bits flipped in copies of real cores: each check of redundant copies names the very bit."""

from __future__ import annotations

import random
import signal
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from support.cores import find_core
from support.interpreters import one_per_minor
from support.mutate import MutatedTarget
from support.opening import (
    interpreter_or_skip,
    made_or_skip,
    need_core_dumps,
    oldest_or_skip,
    target_of,
)

from gdb_epi.corruption.checks.pymalloc import _PoolSearch
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.files.elf_images import image_files_of_modules
from gdb_epi.corruption.heap.pymalloc_pools import FREE_AT
from gdb_epi.corruption.heap.readers import MemorySweep
from gdb_epi.corruption.run_checks import CheckResults
from gdb_epi.corruption.strings.find_strings import (
    SkippedObjects,
    hashed_strings_in,
    str_and_bytes_layouts,
)
from gdb_epi.cpython.heap.gc_lists import tracked_objects
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.objects.str_layout import HashedString, read_hashed_string
from gdb_epi.cpython.types import PythonState
from gdb_epi.process_state import ProcessState
from gdb_epi.render.corruption import run_detectors_and_checks
from gdb_epi.target.corefile import CoreFileTarget

Place = tuple[str, int, int]  # item, where, bit
INTERPRETERS = [pytest.param(i.id, id=i.id) for i in one_per_minor()]
OURS = frozenset(f"R{number}" for number in (1, 2, 3, 4, 7, 8, 9, 10, 11, 13, 14)) | {"R3:bits"}
TYPE = "R1 or R13"  # a string's type: by its hash, by the block it lies in, or by its file
SEED = 20261121


class Scene:
    """A healthy core, and places in it where one flipped bit has another copy."""

    def __init__(self, target: CoreFileTarget) -> None:
        self.target = target
        self.state = ProcessState(target)
        assert isinstance(self.state.python, PythonState)
        self.python = self.state.python
        self.heap = ObjectSearch(target, self.python)
        self.reader = self.heap.reader
        self.context = Context(self.state, sweep=True)
        self.chance = random.Random(SEED)
        self.form = str_and_bytes_layouts(self.heap, self.python)[0]
        self.types = list(self.heap.types_by_address())
        self.texts = list(self._texts())
        self.typeless = 0  # the object whose type is flipped

    def _texts(self) -> Iterator[HashedString]:
        for start, data in MemorySweep(self.context):
            for address, _, _ in hashed_strings_in(
                self.target, self.form, start, data, SkippedObjects()
            ):
                text = read_hashed_string(self.target, self.form, address)
                if (
                    isinstance(text, HashedString)
                    and len(text.data) > 8
                    and self.heap.may_be_alive(address)
                ):
                    yield text

    def strings(self) -> Iterator[Place]:
        one, two, three, four = self.chance.sample(self.texts, 4)
        self.typeless = four.address
        yield "R1", one.address + self.form.hash_at, self.chance.randrange(64)
        byte = two.start + self.chance.randrange(len(two.data))
        yield "R1", byte & ~7, 8 * (byte & 7) + self.chance.randrange(7)
        yield "R1", three.address + self.form.length_at, self.chance.randrange(4, 40)
        yield TYPE, four.address + self.form.type_at, self.bit_astray(self.form.type, self.types)

    def bit_astray(self, pointer: int, others: Collection[int] = ()) -> int:
        """Return a bit without which a pointer leads nowhere, and not almost to any of others."""

        def is_astray(bit: int) -> bool:
            wrong = pointer ^ 1 << bit
            near = any((wrong ^ other).bit_count() <= 1 for other in others if other != pointer)
            return self.target.region_at(wrong) is None and not near

        return self.chance.choice([bit for bit in range(4, 47) if is_astray(bit)])

    def links(self) -> Iterator[Place]:
        objects, *_ = tracked_objects(self.reader, self.python, 2000)
        size = self.reader.layout.size("PyGC_Head") or 16
        if objects:
            one, two = objects[len(objects) // 3], objects[len(objects) // 2]
            for place in (one - size, two - size + 8):
                yield "R8", place, self.bit_astray(self.reader.u64(place))

    def pools(self) -> Iterator[Place]:
        all_pools = [pool for pool, _ in _PoolSearch(self.context).all_pools()]
        starts = {pool.address for pool in all_pools}
        # A block without a type is known by its pool: nothing else may be wrong there.
        with_free = [
            pool for pool in all_pools
            if pool.free and not pool.address <= self.typeless < pool.address + pool.size
        ]  # fmt: skip
        # What is no pool's header is looked at between two pools; elsewhere it may be left over.
        within = [
            pool for pool in with_free
            if {pool.address - pool.size, pool.address + pool.size} <= starts
        ]  # fmt: skip
        if len(with_free) >= 3 and within:
            header = self.chance.choice(within)
            yield "R9", header.address + 32, 32 + self.chance.randrange(5)  # szidx
            with_free.remove(header)
            one, two = self.chance.sample(with_free, 2)
            yield "R9", one.address + FREE_AT, self.chance.randrange(14, 47)
            assert two.free is not None
            yield "R9", two.address + min(two.free), self.chance.randrange(14, 47)

    def stack(self) -> Iterator[Place]:
        thread = self.target.threads()[0]
        canary = self.reader.u64(thread.registers["fs_base"] + 0x28)
        sp = thread.registers["rsp"] & ~7
        region = self.target.region_at(sp)
        assert region is not None
        words = memoryview(self.target.read(sp, region.end - sp)).cast("Q").tolist()
        if canary in words:
            yield "R4", sp + 8 * words.index(canary), self.chance.randrange(8, 64)

    def files(self) -> Iterator[Place]:
        images, _ = image_files_of_modules(self.context)
        for image in images:
            if image.relro is not None and image.module.start <= image.base + image.relro.vaddr:
                low, high = image.relro.vaddr, image.relro.vaddr + (image.relro.memsz & -4096)
                slots = [
                    address
                    for address, _ in image.relatives(low, high)
                    if (region := self.target.region_at(image.base + address)) is not None
                    and "w" not in region.perms
                    and image.base + address < region.start + region.dumped
                ]
                if slots:
                    yield "R3", image.base + self.chance.choice(slots), self.chance.randrange(64)
                    break
        last = images[-1]
        region = self.target.region_at(last.module.start)
        if region is not None and region.dumped and "w" not in region.perms:
            yield "R2", last.module.start + 0x18, self.chance.randrange(64)  # e_entry

    def frames(self) -> Iterator[Place]:
        at = self.reader.layout.offset("_PyInterpreterFrame", "f_builtins")
        thread = next(t for t in self.python.threads() if t.crashed)
        if at is not None:
            place = thread.frames[1].address + at
            yield "R10", place, self.bit_astray(self.reader.u64(place))

    def slots(self) -> Iterator[Place]:
        at = self.reader.layout.require("PyTypeObject", "tp_dealloc")
        yield "R14", self.form.type + at, self.chance.randrange(47)

    def all(self) -> list[Place]:
        parts = (self.strings, self.links, self.pools, self.stack, self.files, self.frames)
        return [place for part in (*parts, self.slots) for place in part()]


def scene_of(interpreter: str) -> Scene:
    installed = interpreter_or_skip(interpreter)
    return Scene(target_of(made_or_skip(installed, "simple")))


def swept(target: object) -> CheckResults:
    return run_detectors_and_checks(ProcessState(target), sweep=True, seconds=300)  # type: ignore[arg-type]


def check_named(signs: list[Evidence], places: list[Place]) -> None:
    """Each flipped bit is named by its check, and no other place is."""
    named = {(sign.where, sign.bits): sign.id for sign in signs}
    assert set(named) == {(where, (bit,)) for _, where, bit in places}
    for item, where, bit in places:
        by = named[where, (bit,)]
        assert by == item or (item == TYPE and by in ("R1", "R13")), (item, by, hex(where))


def found_in(study: CheckResults) -> list[Evidence]:
    assert not [error for error in study.soft_errors if error.stage == "corruption"]
    return [sign for sign in study.evidence if sign.id in OURS]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_each_flipped_bit_is_named_and_nothing_else(interpreter: str) -> None:
    scene = scene_of(interpreter)
    places = scene.all()
    assert {"R1", "R2", "R3", "R4", "R8", "R9", "R14"} <= {item for item, _, _ in places}
    assert not found_in(swept(scene.target)), "the healthy core"
    changed = MutatedTarget(scene.target)
    for _, where, bit in places:
        changed.flip(where, bit)
    study = swept(changed)
    check_named(found_in(study), places)
    assert study.score.word == "proven-corruption" and study.score.path == "memory"


def test_free_threaded_strings_and_what_is_left_out() -> None:
    scene = scene_of("ft-")
    places = list(scene.strings())
    changed = MutatedTarget(scene.target)
    for _, where, bit in places:
        changed.flip(where, bit)
    study = swept(changed)
    check_named(found_in(study), places)
    why = {skip.check: skip.why for skip in study.skipped}
    assert "mimalloc" in why["R9"] and "no lists" in why["R8"]


@pytest.fixture(scope="module")
def scene() -> Scene:
    return scene_of(oldest_or_skip((3, 12)).id)


def test_near_misses_are_no_evidence(scene: Scene) -> None:
    """Two bits of a hash, a breakpoint, the canary's lowest byte, an increment of a freed block."""
    changed = MutatedTarget(scene.target)
    text = scene.texts[7]
    changed.flip(text.address + scene.form.hash_at, 3)
    changed.flip(text.address + scene.form.hash_at, 44)
    (_, canary, _), *_ = scene.stack()
    changed.flip(canary, 2)
    pool = next(p for p, _ in _PoolSearch(scene.context).all_pools() if p.free)
    assert pool.free is not None
    first = scene.reader.u64(pool.address + FREE_AT)
    changed.flip(first, 0)
    images, _ = image_files_of_modules(scene.context)
    changed.put(images[-1].module.start + 0x18, b"\xcc")
    study = swept(changed)
    assert {(sign.id, bool(sign.ambiguous)) for sign in found_in(study)} <= {("R9", True)}
    assert study.score.word in ("none", "ambiguous", "software-like")
    why = [skip.why for skip in study.skipped]
    assert any("by no single flipped bit" in reason for reason in why)
    assert any("breakpoint" in reason for reason in why)


def test_another_hash_is_seen_and_said(scene: Scene) -> None:
    place = scene.target.symbol("_Py_HashSecret")
    assert place is not None
    changed = MutatedTarget(scene.target)
    changed.put_word(place, 0x1234)
    study = swept(changed)
    assert not found_in(study)
    assert any("neither SipHash" in skip.why for skip in study.skipped if skip.check == "R1")


def test_without_files_the_file_checks_say_so(scene: Scene) -> None:
    target = CoreFileTarget.open(scene.target.path, sysroot="/nonexistent")
    study = swept(target)
    why = {skip.check: skip.why for skip in study.skipped}
    assert "no file with the core's build-id" in why["R3"]
    assert not found_in(study)


def test_a_flip_near_the_fault_is_found_without_a_sweep(scene: Scene) -> None:
    """The name of the innermost frame's code: a default run looks at it."""
    frame = next(t for t in scene.python.threads() if t.crashed).frames[0]
    at = scene.reader.layout.require("PyCodeObject", "co_name")
    name = scene.reader.u64(frame.code + at)
    changed = MutatedTarget(scene.target)
    changed.flip(name + scene.form.hash_at, 17)
    signs = found_in(run_detectors_and_checks(ProcessState(changed)))  # type: ignore[arg-type]
    assert [(sign.id, sign.where, sign.bits) for sign in signs] == [
        ("R1", name + scene.form.hash_at, (17,))
    ]


LIVING = """
import os, sys
kept = [f"a text that is kept {number}" for number in range(100)]
for one in kept:
    hash(one)
print(hex(id(kept[50])), flush=True)
sys.stdin.readline()
os.abort()
"""
SELLING = """
import os, sys
prices = {f"an article of the shop {number}": number for number in range(100)}
wanted = [f"an article of the shop {number}" for number in range(100)]
print(hex(id(list(prices)[50])), flush=True)
sys.stdin.readline()
try:
    print(sum(prices[one] for one in wanted))
except KeyError:
    os.abort()
"""


def flipped_while_it_lives(
    program: str, folder: Path, bit: int = 20
) -> tuple[CoreFileTarget, tuple[object, ...]]:
    """Flip a bit through /proc/PID/mem in the text whose address a program prints.

    Returns its core, and the evidence there has to be.
    """
    need_core_dumps()
    python = next(
        (interpreter for interpreter in reversed(one_per_minor()) if interpreter.root is None), None
    )
    if python is None:
        pytest.skip("no CPython of 3.8 to 3.15 on this machine's own root")
    command = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh", *python.argv, "-c", program]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=python.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        address = int(process.stdout.readline(), 16)
        where = (address + 56) & ~7  # in its characters
        with open(f"/proc/{process.pid}/mem", "r+b", buffering=0) as memory:
            memory.seek(where)
            word = int.from_bytes(memory.read(8), "little")
            memory.seek(where)
            memory.write((word ^ 1 << bit).to_bytes(8, "little"))
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.wait(60) == -signal.SIGABRT
    (core,) = find_core(folder)
    return CoreFileTarget.open(core), ("R1", where, (bit,), word)


def test_a_bit_flipped_in_a_living_process(tmp_path: Path) -> None:
    """In a string that nothing looks at again; then the process aborts."""
    core, right = flipped_while_it_lives(LIVING, tmp_path)
    study = swept(core)
    signs = [(sign.id, sign.where, sign.bits, sign.corrected) for sign in found_in(study)]
    assert signs == [right]
    assert study.score.word == "proven-corruption"
    assert not study.score.tied  # nothing has used that string since


def test_the_case_of_a_letter_is_one_bit(tmp_path: Path) -> None:
    """tolower() on the text of a str leaves the same picture: it is named and weighs nothing."""
    core, right = flipped_while_it_lives(LIVING, tmp_path, bit=21)
    study = swept(core)
    (evidence,) = found_in(study)
    assert (evidence.id, evidence.where, evidence.bits, evidence.corrected) == right
    assert study.score.word == "ambiguous"
    assert "tolower()" in str(study.score.ambiguous)


def test_a_name_that_was_not_found_and_its_damaged_twin(tmp_path: Path) -> None:
    """The process aborts over a KeyError: the key that it had kept has the hash of the other."""
    core, right = flipped_while_it_lives(SELLING, tmp_path)
    study = run_detectors_and_checks(ProcessState(core))
    signs = found_in(study)
    assert [(sign.id, sign.where, sign.bits, sign.corrected) for sign in signs] == [right]
    assert study.score.tied  # by its twin, the key of the KeyError


def test_the_budget_ends_a_sweep_and_that_is_said(scene: Scene) -> None:
    study = run_detectors_and_checks(scene.state, sweep=True, size=4 << 20)
    assert any("budget" in skip.why for skip in study.skipped)
