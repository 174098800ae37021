# SPDX-License-Identifier: Apache-2.0
"""Fields of known type, flipped in copies of real cores: the walk of objects finds each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from support.interpreters import one_per_minor
from support.mutate import MutatedTarget, Searched
from support.opening import interpreter_or_skip, made_or_skip, oldest_or_skip, target_of

from gdb_epi.corruption.checks.copies_in_files import (
    check_indexes_in_bytecode,
    find_code_objects_to_compare,
    read_table_indexes,
)
from gdb_epi.corruption.checks.gc_links import (
    MAX_HOLDERS,
    GcLinkReader,
    _do_neighbour_blocks_begin_elsewhere,
    _evidence_of_link_overwritten_in_dealloc,
    _evidence_of_overwritten_link,
)
from gdb_epi.corruption.checks.item_counts import item_counts
from gdb_epi.corruption.checks.lost_references import lost_reference
from gdb_epi.corruption.checks.odd_fields import (
    MIN_NULL,
    FieldsOfOtherObjects,
    _field_at,
    _is_null_elsewhere,
)
from gdb_epi.corruption.checks.overwritten_places import (
    _are_words_like_those_of,
    _evidence_of_overwritten_type,
    _object_whole_but_for_slot_clause,
    _objects_named_by_items_beside,
    _pointer_member_at,
)
from gdb_epi.corruption.checks.python_frames import frame_at_top_of_data_stack, instruction_pointers
from gdb_epi.corruption.checks.type_slots import check_types_of_blocks_at_hand
from gdb_epi.corruption.checks.typed_field import (
    MIN_BESIDE,
    TypedFields,
    _evidence_of_flipped_static_pointer,
    _pointers_to_static_data,
    typed_field,
)
from gdb_epi.corruption.checks.typed_slot import typed_slot
from gdb_epi.corruption.checks.wild_values import _describe_who_refers_to
from gdb_epi.corruption.context import DEFAULT_BYTES, FAR, NEAR, Budget, Context
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.heap.address_index import HEADS, address_index, find_others_of_type_in_pool
from gdb_epi.corruption.heap.lost_objects import find_objects_held_by_containers_alone
from gdb_epi.corruption.heap.object_walk import ObjectWalk, object_walk
from gdb_epi.corruption.heap.readers import shared_reader, words_at_fault
from gdb_epi.corruption.run_checks import CheckResults, run_checks
from gdb_epi.cpython.frames.code_objects import locate_bytecode
from gdb_epi.cpython.frames.opcodes import opcodes_of_version
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.secrets import is_secret_name
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD, WORD_MASK
from gdb_epi.target.api import CrashInfo, Thread
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [pytest.param(i.id, id=i.id) for i in one_per_minor()]
Check = Callable[[Context], object]
FIELDS = {
    "function": ("PyFunctionObject", ("func_code", "func_globals")),
    "code": ("PyCodeObject", ("co_consts", "co_names", "co_filename")),
    "list": ("PyListObject", ("ob_item",)),
    "dict": ("PyDictObject", ("ma_keys",)),
    "type": ("PyTypeObject", ("tp_mro", "tp_bases")),
}
Place = tuple[int, int]


class Scene:
    """A healthy core, and the walk over it."""

    def __init__(self, interpreter: str) -> None:
        installed = interpreter_or_skip(interpreter)
        self.target: CoreFileTarget = target_of(made_or_skip(installed, "simple"))
        self.context = Context(ProcessState(self.target))
        walk = object_walk(self.context)
        assert isinstance(walk, ObjectWalk)
        self.walk = walk
        self.layout = walk.reader.layout

    def bit(self, pointer: int) -> int:
        """Return a bit without which a pointer, and all that is one bit from that, lead nowhere."""

        def leads(address: int) -> bool:
            return self.target.region_at(address) is not None

        for bit in range(46, 20, -1):
            wrong = pointer ^ 1 << bit
            others = [wrong ^ 1 << other for other in range(48) if other != bit]
            if not leads(wrong) and not any(map(leads, others)):
                return bit
        raise AssertionError(f"every bit of {pointer:#x} leads somewhere")

    def fields(self) -> list[Place]:
        """Return one field of each kind, with a bit to flip."""
        field_places = []
        for category, (struct, names) in FIELDS.items():
            for name in names:
                at = self.layout.offset(struct, name)
                owners = [address for address, kind in self.walk.visited if kind == category]
                owners = [owner for owner in owners if self.is_one(owner, category)]
                places = [owner + at for owner in owners] if at is not None else []
                places = [
                    place for place in places if self.is_alone(self.walk.reader.word(place), name)
                ]
                if places:
                    field_places.append((places[0], self.bit(self.walk.reader.word(places[0]))))
        return field_places

    def is_one(self, owner: int, category: str) -> bool:
        """Whether it is an object: bytecode with addresses in its caches may look like one."""
        fields = TypedFields(self.walk.reader, self.walk.kinds, address_index(self.context))
        words = [
            (f, self.walk.reader.word(owner + f.offset))
            for f in fields.fields_of_object(owner, category)
        ]
        return all(not word or field.fits(word) for field, word in words)

    def is_alone(self, value: int, name: str) -> bool:
        """Whether a table belongs to one object (keys may be shared)."""
        if name == "ob_item" and self.walk.type_name_at(value):
            return False  # a list of types: its items look like an object
        table = name in ("ob_item", "ma_keys")
        return bool(value) and (not table or len(self.context.places_of_word(value, 3)) == 1)


def evidence(check: Check, changed: object) -> list[Evidence]:
    context = Context(ProcessState(changed))  # type: ignore[arg-type]
    return [sign for sign in check(context) if isinstance(sign, Evidence)]  # type: ignore[attr-defined]


def named(signs: list[Evidence]) -> set[tuple[object, tuple[int, ...]]]:
    return {(sign.where, sign.bits) for sign in signs}


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_flipped_field_is_named_and_nothing_else(interpreter: str) -> None:
    scene = Scene(interpreter)
    for check in (
        typed_field,
        typed_slot,
        frame_at_top_of_data_stack,
        instruction_pointers,
        lost_reference,
    ):
        assert not evidence(check, scene.target), "the healthy core"
    places = scene.fields()
    assert len(places) >= 6
    for where, bit in places:
        changed = MutatedTarget(scene.target)
        changed.flip(where, bit)
        signs = evidence(typed_field, changed)
        assert named(signs) == {(where, (bit,))}, hex(where)
        assert {sign.id for sign in signs} == {"R18"}


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_running_frame_that_is_none_is_named_by_the_data_stack(interpreter: str) -> None:
    """A high bit of its address leads nowhere, a low one to what is no frame."""
    scene = Scene(interpreter)
    if scene.layout.offset("PyThreadState", "datastack_top") is None:
        pytest.skip("before 3.11 frames are objects")
    python = scene.context.state.python
    assert isinstance(python, PythonState)
    (thread,) = [thread for thread in python.threads() if thread.crashed]
    place = innermost_place(scene, thread.address)
    frame = scene.walk.reader.word(place)
    for bit in (scene.bit(frame), 1):
        changed = MutatedTarget(scene.target)
        changed.flip(place, bit)
        (damage,) = evidence(frame_at_top_of_data_stack, changed)
        assert (damage.id, damage.found, damage.corrected) == ("R10", frame ^ 1 << bit, frame)
        changed.flip(place, bit + 1)
        assert not evidence(frame_at_top_of_data_stack, changed)


def innermost_place(scene: Scene, tstate: int) -> int:
    """Return where a thread state keeps its running frame: 3.11 and 3.12 on the C stack."""
    direct = scene.layout.offset("PyThreadState", "current_frame")
    if direct is not None:
        return tstate + direct
    hop = scene.walk.reader.word(tstate + scene.layout.require("PyThreadState", "cframe"))
    return hop + scene.layout.require("_PyCFrame", "current_frame")


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_flipped_count_of_items_is_named(interpreter: str) -> None:
    scene = Scene(interpreter)
    for check in (item_counts, check_indexes_in_bytecode):
        assert not evidence(check, scene.target), "the healthy core"
    size_at = scene.layout.require("PyVarObject", "ob_size")
    word = scene.walk.reader.word
    index = address_index(scene.context)
    for category, least in (("list", 1), ("tuple", 4)):
        owners = [at for at, kind in scene.walk.visited if kind == category]
        owners = [at for at in owners if index.end_of_block(at)]  # no static one
        owner = next(at for at in owners if word(at + size_at) >= least)
        for bit in (34, 12):
            changed = MutatedTarget(scene.target)
            changed.flip(owner + size_at, bit)
            (sign,) = evidence(item_counts, changed)
            assert (sign.id, sign.where, sign.bits) == ("R25", owner + size_at, (bit,))


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_a_flipped_length_of_a_string_is_named(interpreter: str) -> None:
    scene = Scene(interpreter)
    index, length_at = address_index(scene.context), scene.layout.require("PyASCIIObject", "length")
    variables = dict.fromkeys((*scene.walk.values_of_variables(), *words_at_fault(scene.context)))
    texts = [
        at for at in variables if scene.walk.type_name_at(at) == "str" and index.end_of_block(at)
    ]
    assert texts
    for text in texts[:4]:
        for bit in (34, 12):
            changed = MutatedTarget(scene.target)
            changed.flip(text + length_at, bit)
            (damage,) = evidence(item_counts, changed)
            assert (damage.id, damage.where, damage.bits) == ("R25", text + length_at, (bit,))
    short = min(texts, key=lambda text: (index.end_of_block(text) or 0) - text)
    overwritten = MutatedTarget(scene.target)
    overwritten.put_word(short + length_at, 1 << 34)
    assert not evidence(item_counts, overwritten)  # 0, one bit away, is not where its text ends


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_an_instruction_that_loads_what_there_is_not_is_named(interpreter: str) -> None:
    """No compiler writes it; the .pyc is not needed for that."""
    scene = Scene(interpreter)
    python = scene.context.state.python
    assert isinstance(python, PythonState)
    opcodes = opcodes_of_version(scene.layout.version)
    assert opcodes is not None
    named_ones = 0
    for code in find_code_objects_to_compare(scene.context, python):
        start, size = locate_bytecode(scene.walk.reader, code)
        held = scene.target.read(start, size)
        arguments = read_table_indexes(held, opcodes) or []
        indexes = [(argument.table, argument.entry) for argument in arguments]
        for argument in arguments:
            if indexes.count((argument.table, argument.entry)) > 1 or argument.entry > 8:
                continue
            where = start + argument.at
            changed = MutatedTarget(scene.target)
            changed.flip(where & -8, 8 * (where % 8) + 7)
            signs = evidence(check_indexes_in_bytecode, changed)
            assert named(signs) == {(where & -8, (8 * (where % 8) + 7,))}
            named_ones += 1
    assert named_ones


@pytest.mark.parametrize("program", ["worker", "collecting-0"])
@pytest.mark.parametrize("minor", [(3, 8), (3, 12)], ids="{0[0]}.{0[1]}".format)
def test_nothing_is_found_in_sound_processes(minor: tuple[int, int], program: str) -> None:
    """Threads, weak references, and what on the stack looks like an object."""
    target = target_of(made_or_skip(oldest_or_skip(minor), program))
    checks = (
        typed_field,
        typed_slot,
        frame_at_top_of_data_stack,
        instruction_pointers,
        item_counts,
        check_indexes_in_bytecode,
    )
    for check in checks:
        assert not evidence(check, target), check


@pytest.fixture(scope="module")
def scene() -> Scene:
    return Scene(oldest_or_skip((3, 12)).id)


def test_two_bits_of_a_field_are_no_evidence(scene: Scene) -> None:
    for where, bit in scene.fields():
        changed = MutatedTarget(scene.target)
        changed.flip(where, bit)
        changed.flip(where, bit - 7)
        assert not evidence(typed_field, changed)


def test_an_object_that_is_overwritten_is_no_flip(scene: Scene) -> None:
    """A field of a function that is one bit off, beside others that hold nothing either."""
    at = scene.layout.require("PyFunctionObject", "func_code")
    address = next(address for address, kind in scene.walk.visited if kind == "function")
    changed = MutatedTarget(scene.target)
    changed.flip(address + at, scene.bit(scene.walk.reader.word(address + at)))
    changed.put_word(address + scene.layout.require("PyFunctionObject", "func_globals"), 0x1234567)
    assert [sign.corrected for sign in evidence(typed_field, changed)] in ([], [None])


def test_who_is_named_by_containers_alone_was_not_freed(scene: Scene) -> None:
    """A word that names its block, and is no item, may be that of who was given the block since."""
    at = scene.layout.require("PyFunctionObject", "func_globals")
    functions = [address for address, kind in scene.walk.visited if kind == "function"]

    def without_type(address: int) -> MutatedTarget:
        changed = Searched(scene.target)
        changed.put_word(address + 8, 0x4001_0000_0000_0038)
        return changed

    def alone(changed: MutatedTarget, address: int) -> list[int]:
        return find_objects_held_by_containers_alone(Context(ProcessState(changed)), address)  # type: ignore[arg-type]

    address = next(f for f in functions if f in alone(without_type(f), f))
    head = address_index(scene.context).offset_in_pool_block(address)
    assert head
    other = next(function for function in functions if function != address)
    named_elsewhere = without_type(address)
    named_elsewhere.put_word(other + at, address - head)
    assert not alone(named_elsewhere, address)


def test_a_link_of_the_collector_to_where_no_head_is(scene: Scene) -> None:
    """It leads to an object in place of its head: a pointer was stored there, and none flipped."""
    links = GcLinkReader(shared_reader(scene.context))
    size, index = links.size, address_index(scene.context)
    functions = [address for address, kind in scene.walk.visited if kind == "function"]
    node = next(
        function - size
        for function in functions
        if links.is_gc_head(links.next_node(function - size))
        and links.is_gc_head(links.next_node(links.next_node(function - size)))
        and links.is_gc_head(links.previous_node(function - size))
    )
    behind = links.next_node(node)
    others = [address for address, _ in scene.walk.visited if address - size not in (node, behind)]
    stray = next(
        other
        for other in others
        if index.offset_in_pool_block(other) == size
        and (other ^ behind) >> 8 & 0xFF
        and (other ^ behind) >> 16
        and _do_neighbour_blocks_begin_elsewhere(scene.context, other + size)
        # of an object that all know, as on Debian 13, the first holders are not the list
        and len(scene.context.places_of_word(other, MAX_HOLDERS)) < MAX_HOLDERS
    )
    changed = Searched(scene.target)
    changed.put_word(node, stray)

    def said(at: int) -> list[Evidence]:
        context = Context(ProcessState(changed))  # type: ignore[arg-type]
        return list(
            _evidence_of_overwritten_link(context, GcLinkReader(shared_reader(context)), at)
        )

    assert index.offset_in_pool_block(stray) == size
    for at in (node, stray):  # a walk of the list may take what it leads to for a head
        (sign,) = said(at)
        assert (sign.id, sign.where) == ("S:overwritten-place", node)
        assert "still names this one" in sign.summary
    changed.put_word(behind + WORD, 0x77)  # written over as well
    (sign,) = said(node)
    assert (sign.where, "leads to this one as the next" in sign.summary) == (node, True)
    changed.put_word(node, WORD_MASK)
    assert [sign.where for sign in said(node)] == [node]
    changed.put_word(node, links.previous_node(node))  # a head: it may be that of what was freed
    assert not said(node)


class FailedStore(Searched):
    """Died of `mov %rcx,(%rdx)`; other registers are given."""

    def __init__(self, inner: CoreFileTarget, **registers: int) -> None:
        super().__init__(inner)
        (died, *others) = inner.threads()
        self.put(died.pc, bytes.fromhex("48890a"))
        self._threads = (died._replace(registers={**died.registers, **registers}), *others)

    def threads(self) -> tuple[Thread, ...]:
        return self._threads

    def crash(self) -> CrashInfo:
        return CrashInfo(11, 0x80, 0, 0, None, None, self._threads[0].tid)


@pytest.mark.parametrize(("count", "found"), [(0, True), (1, False)])
def test_a_link_of_an_object_whose_last_reference_was_given_back(
    scene: Scene, count: int, found: bool
) -> None:
    links, index = GcLinkReader(shared_reader(scene.context)), address_index(scene.context)
    function = next(
        address
        for address, kind in scene.walk.visited
        if kind == "function"
        and index.offset_in_pool_block(address) in HEADS[1:2]
        and links.is_gc_head(links.next_node(address - links.size))
    )
    seal = 0x5EA1000000000000
    changed = FailedStore(scene.target, rdx=seal, rdi=function)
    changed.put_word(function, count)
    changed.put_word(function - WORD, seal | 1)  # a flag of prev
    context = Context(ProcessState(changed))  # type: ignore[arg-type]
    at = GcLinkReader(shared_reader(context))
    signs = list(_evidence_of_link_overwritten_in_dealloc(context, at, function - links.size))
    assert [(sign.id, sign.where) for sign in signs] == (
        [("S:overwritten-place", function - WORD)] if found else []
    )


def test_who_refers_to_what_was_taken_for_an_object(scene: Scene) -> None:
    at = scene.layout.require("PyFunctionObject", "func_globals")
    functions = [address for address, kind in scene.walk.visited if kind == "function"]
    inside, other = functions[0] + WORD, functions[1]
    changed = Searched(scene.target)
    changed.put_word(other + at, inside)
    referrer = _describe_who_refers_to(Context(ProcessState(changed)), inside)  # type: ignore[arg-type]
    assert referrer == f"; an object of type function at {other:#x} refers to it"
    assert not _describe_who_refers_to(scene.context, other)  # an object


def test_a_dict_that_refers_is_named_by_its_own_address_and_by_the_key(scene: Scene) -> None:
    reader = shared_reader(scene.context)
    namespaces, index = NamespaceReader(reader), address_index(scene.context)
    inside, named = scene.walk.visited[0][0] + WORD, 0
    for holder, kind in scene.walk.visited[:3000]:
        if kind != "dict" or named == 5:
            continue
        table = reader.field(holder, "PyDictObject", "ma_keys")
        if reader.field(holder, "PyDictObject", "ma_values"):
            continue  # the values of a class's instances
        start, count, width, _ = namespaces.keys_table_entries(table)
        for place in range(start, start + count * width, width):
            value = place + width - WORD
            key = (
                reader.compact_ascii_string(reader.u64(value - WORD), 24)
                if reader.u64(value)
                else None
            )
            if index.object_with_field(value) == (value - WORD, "dict") and key and key.isalpha():
                changed = Searched(scene.target)
                changed.put_word(value, inside)
                referrer = _describe_who_refers_to(Context(ProcessState(changed)), inside)  # type: ignore[arg-type]
                whose = "a dict" if "a dict" in referrer else f"the dict at {holder:#x}"
                by_key = "" if is_secret_name(key) else f", by its key {key!r},"
                assert referrer == f"; {whose}{by_key} refers to it"
                named += referrer.startswith("; the dict")
                break
    assert named


def test_an_object_that_counts_too_few_references_is_named(scene: Scene) -> None:
    functions = {address for address, kind in scene.walk.visited if kind == "function"}
    held = Counter(slot.value for slot in scene.walk.slots_that_hold(functions))
    counts = {address: address_index(scene.context).reference_count(address) for address in held}
    victim = next(address for address, number in held.items() if counts[address] == number > 2)
    for fewer, named_one in ((2, [victim]), (0, [])):
        changed = MutatedTarget(scene.target)
        changed.put_word(victim, held[victim] - fewer)
        assert [sign.where for sign in evidence(lost_reference, changed)] == named_one
    damaged = MutatedTarget(scene.target)
    damaged.put_word(victim, 1 << 62)  # immortal, or overwritten: it counts nothing
    assert not evidence(lost_reference, damaged)


def test_an_object_that_is_gone_is_left_out(scene: Scene) -> None:
    address = next(address for address, kind in scene.walk.visited if kind == "function")
    changed = MutatedTarget(scene.target)
    changed.take_out(address + 16, address + 64)
    assert not evidence(typed_field, changed)


def test_the_instruction_pointer_is_held_against_its_code(scene: Scene) -> None:
    at = scene.layout.offset("_PyInterpreterFrame", "instr_ptr", "prev_instr")
    assert at is not None
    for frame in scene.walk.frames:
        where = frame.address + at
        bit = scene.bit(scene.walk.reader.word(where))
        changed = MutatedTarget(scene.target)
        changed.flip(where, bit)
        assert named(evidence(instruction_pointers, changed)) == {(where, (bit,))}


def test_two_neighbouring_bits_of_an_item(scene: Scene) -> None:
    """In a list of objects of one type that nothing else names."""
    changed, where, flip = _two_bits_off(scene)
    signs = evidence(typed_slot, changed)
    assert [(sign.id, sign.where, sign.bits) for sign in signs] == [("M:pair", where, flip)]


def _two_bits_off(scene: Scene) -> tuple[MutatedTarget, int, tuple[int, int]]:
    """Return a copy in which a slot that holds the one reference to an object is two bits off."""
    things, word = address_index(scene.context), scene.walk.reader.word
    by_owner: dict[int, list[int]] = {}
    for (held, values), owner, kind in scene.walk._held:
        for place, value in zip(held, values, strict=True):
            if kind in ("list", "tuple", "dict") and things.reference_count(value) == 1:
                by_owner.setdefault(owner, []).append(place)
    for places in by_owner.values():
        for where in places:
            around = {scene.walk.type_name_at(word(where + n)) for n in (-16, -8, 8, 16)}
            value = word(where)
            lone = len(scene.context.places_of_word(value, 3)) == 1
            bit = scene.bit(value)
            flip = (bit - 1, bit)
            wrong = value ^ 1 << bit ^ 1 << bit - 1
            if (
                lone
                and scene.walk.type_name_at(value) in around
                and not scene.target.region_at(wrong)
            ):
                changed = MutatedTarget(scene.target)
                changed.put_word(where, wrong)
                return changed, where, flip
    raise AssertionError("no slot holds the one reference to an object")


def test_a_doubt_makes_the_checks_look_farther(monkeypatch: pytest.MonkeyPatch) -> None:
    target = target_of(made_or_skip(interpreter_or_skip(one_per_minor()[-1].id), "simple"))
    monkeypatch.setattr(
        "gdb_epi.corruption.run_checks.reason_to_skip_costly_checks", lambda state, findings: None
    )
    near, far = (run_checks(ProcessState(target), budget=b) for b in (None, Budget(DEFAULT_BYTES)))
    assert (near.context.reach, far.context.reach) == (NEAR, FAR)
    assert any("near the frames alone" in skipped.why for skipped in near.skipped)
    monkeypatch.setattr("gdb_epi.corruption.run_checks._should_look_farther", lambda results: True)
    doubtful = run_checks(ProcessState(target))
    assert (doubtful.evidence, doubtful.skipped) == (far.evidence, far.skipped)
    assert len(walked(doubtful)) == len(walked(far)) > len(walked(near))


def walked(results: CheckResults) -> list[tuple[int, str]]:
    walk = object_walk(results.context)
    assert isinstance(walk, ObjectWalk)
    return walk.visited


def test_an_object_whose_type_alone_was_overwritten(scene: Scene) -> None:
    """The rest of it is what the items beside it have; one byte of a type may be a flip."""
    index = address_index(scene.context)
    address = next(
        value
        for (places, values), _, _ in scene.walk._held
        for place, value in zip(places, values, strict=True)
        if index.offset_in_pool_block(value) in HEADS
        and index.reference_count(value)
        and (beside := _objects_named_by_items_beside(scene.context, place))
        and _are_words_like_those_of(scene.context, value, beside)
    )
    kind = scene.walk.reader.word(address + WORD)

    def told(type_word: int, **others: int) -> list[int | str]:
        changed = Searched(scene.target)
        changed.put_word(address + WORD, type_word)
        for offset, word in others.items():
            changed.put_word(address + int(offset[1:]), word)
        sign = _evidence_of_overwritten_type(Context(ProcessState(changed)), [address])  # type: ignore[arg-type]
        return [] if sign is None else [sign.where]

    other_block = scene.walk.visited[0][0] + 4 * WORD
    assert told(other_block) == [address + WORD]
    assert not told(kind)
    assert not told(kind ^ 1 << 40), "a flip"
    assert not told(other_block, _0=0), "given back"
    words = range(2 * WORD, 8 * WORD, WORD)
    pointer = next(
        at for at in words if scene.walk.type_name_at(scene.walk.reader.word(address + at))
    )
    assert not told(other_block, **{f"_{pointer}": 0x1234_5678_9ABC}), "other data lies there"


def test_a_pointer_to_static_data_that_others_of_the_type_share(scene: Scene) -> None:
    """Each class has a descriptor of __dict__, and all name one description."""
    at = scene.layout.require("PyMemberDescrObject", "d_member")
    descriptors = [address for address, kind in scene.walk.visited if kind == "getset_descriptor"]
    words = scene.walk.reader.words([descriptor + at for descriptor in descriptors])
    shared = next(word for word in words if words.count(word) > MIN_BESIDE)
    address = descriptors[words.index(shared)]
    others = [descriptor for descriptor in descriptors if descriptor != address]

    def told(value: int) -> list[tuple[int | str, tuple[int, ...]]]:
        changed = Searched(scene.target)
        changed.put_word(address + at, value)
        context = Context(ProcessState(changed))  # type: ignore[arg-type]
        places = _pointers_to_static_data(context, address)
        signs = _evidence_of_flipped_static_pointer(context, address, places, [*others, address])
        return [(sign.where, sign.bits) for sign in signs]

    def meant(value: int) -> set[int]:
        return {word for word in words if (word ^ value).bit_count() == 1}

    # where tables lie closer, as in Debian's 3.13, a flipped bit may lead to between two of them
    bit = next(bit for bit in range(3, 7) if meant(shared ^ 1 << bit) == {shared})
    assert told(shared ^ 1 << bit) == [(address + at, (bit,))]
    assert told(shared ^ 1 << 45) == [(address + at, (45,))]
    assert not told(shared)
    assert not told(shared ^ 3 << 3), "two bits"


def test_a_number_of_one_bit_where_others_of_the_type_have_null(scene: Scene) -> None:
    """Few functions have defaults of keywords or a closure; a field with numbers tells nothing."""
    at = scene.layout.require("PyFunctionObject", "func_kwdefaults")
    index, word = address_index(scene.context), scene.walk.reader.word
    address = next(
        address
        for address, kind in scene.walk.visited
        if kind == "function" and index.may_begin_object(address) and not word(address + at)
    )

    def told(**changes: int) -> bool:
        changed = Searched(scene.target)
        for offset, value in changes.items():
            changed.put_word(address + int(offset[1:]), value)
        context = Context(ProcessState(changed))  # type: ignore[arg-type]
        field = _field_at(context, address + at)
        assert field is not None and (field.start, field.type_name) == (address, "function")
        return _is_null_elsewhere(context, field, MIN_NULL)

    assert told(**{f"_{at}": 1 << 30})
    assert not told(**{f"_{at}": 1 << 30, f"_{at - WORD}": 1 << 31}), "two fields: a longer write"
    weak = scene.layout.require("PyFunctionObject", "func_weakreflist")
    field = _field_at(scene.context, address + weak)
    assert field is not None and field.is_pointer, "by the type, whatever others hold"
    version = scene.layout.offset("PyFunctionObject", "func_version")
    if version is not None:  # a number in each function that has run
        numbers = _field_at(scene.context, (address + version) & -WORD)
        assert numbers is not None and not _is_null_elsewhere(scene.context, numbers, MIN_NULL)


def test_an_object_at_hand_whose_type_is_one_bit_off(scene: Scene) -> None:
    index, word = address_index(scene.context), scene.walk.reader.word
    address = next(
        at
        for at in words_at_fault(scene.context)
        if index.may_begin_object(at) and index.object_type(at) and 0 < word(at) < 1 << 20
    )
    kind = word(address + WORD)

    def told(type_word: int, **changes: int) -> list[tuple[int | str, tuple[int, ...]]]:
        changed = Searched(scene.target)
        changed.put_word(address + WORD, type_word)
        for offset, value in changes.items():
            changed.put_word(address + int(offset[1:]), value)
        context = Context(ProcessState(changed))  # type: ignore[arg-type]
        return [(sign.where, sign.bits) for sign in check_types_of_blocks_at_hand(context)]

    assert told(kind ^ 1 << 44) == [(address + WORD, (44,))]
    assert told(kind ^ 1 << 2) == [(address + WORD, (2,))]
    assert not told(kind)
    assert not told(kind ^ 3 << 44), "two bits"
    assert not told(kind ^ 1 << 44, _0=1 << 40), "no count of references"


def test_a_type_one_bit_off_that_leads_into_a_files_data(scene: Scene) -> None:
    """Said where the block is as large as an object of that type, and begins as one does."""
    index, word = address_index(scene.context), scene.walk.reader.word
    layout = scene.layout
    basic, flags = (layout.require("PyTypeObject", f"tp_{n}") for n in ("basicsize", "flags"))
    address, kind, bit = next(
        (at, kind, bit)
        for at in words_at_fault(scene.context)
        if index.may_begin_object(at) and index.object_type(at) and 0 < word(at) < 1 << 20
        for kind in [word(at + WORD)]
        if (region := scene.target.region_at(kind)) is not None and region.is_file_mapped
        for bit in range(4, 20)
        if index.pointee_at(kind ^ 1 << bit) is None
        and (there := scene.target.region_at(kind ^ 1 << bit)) is not None
        and there.is_file_mapped
        and sum(bool(index.type_name(kind ^ 1 << bit ^ 1 << n)) for n in range(48)) == 1
    )

    def told(*changes: tuple[int, int]) -> list[tuple[int | str, tuple[int, ...]]]:
        changed = Searched(scene.target)
        for place, value in ((address + WORD, kind ^ 1 << bit), *changes):
            changed.put_word(place, value)
        context = Context(ProcessState(changed))  # type: ignore[arg-type]
        return [(sign.where, sign.bits) for sign in check_types_of_blocks_at_hand(context)]

    assert told() == [(address + WORD, (bit,))]
    assert not told((kind + basic, word(kind + basic) + 512)), "a block that is too small"
    assert not told((kind + flags, word(kind + flags) ^ 1 << 14)), "it begins as no such object"


def test_a_static_object_whose_type_is_one_bit_off(scene: Scene) -> None:
    """Small ints and short bytes lie in the library's data, from 3.11 on; containers name them."""
    word, target = scene.walk.reader.word, scene.target

    def is_static(address: int) -> bool:
        region = target.region_at(address)
        return region is not None and region.is_file_mapped and "w" in region.perms

    held = {
        word(at + scene.layout.require("PyTupleObject", "ob_item"))
        for at, kind in scene.walk.visited
        if kind == "tuple" and word(at + scene.layout.require("PyVarObject", "ob_size"))
    }
    static = sorted(
        at for at in held if is_static(at) and scene.walk.type_name_at(at) in ("int", "str")
    )
    if not static:
        pytest.skip("its small ints are in the heap")
    address = static[0]

    def told(value: int) -> list[tuple[int | str, tuple[int, ...]]]:
        changed = Searched(target)
        changed.put_word(address + WORD, value)
        context = Context(ProcessState(changed))  # type: ignore[arg-type]
        return [(sign.where, sign.bits) for sign in check_types_of_blocks_at_hand(context)]

    kind = word(address + WORD)
    assert told(kind ^ 1 << 44) == [(address + WORD, (44,))]
    assert not told(kind)
    assert not told(kind ^ 3 << 44), "two bits"


def test_an_object_one_bit_away_where_others_of_the_type_name_one(scene: Scene) -> None:
    """A function's name is a str of its own; a stale address of the heap tells nothing."""
    at = scene.layout.require("PyFunctionObject", "func_code")
    index, word = address_index(scene.context), scene.walk.reader.word
    functions = [address for address, kind in scene.walk.visited if kind == "function"]
    names = scene.layout.require("PyFunctionObject", "func_qualname")
    kind = word(functions[0] + WORD)
    address, another = next(
        (start, other)
        for start in functions
        if index.reference_count(word(start + at)) == 1
        for other in find_others_of_type_in_pool(scene.context, start, kind)
        if other in functions and other != start
    )
    code = word(address + at)

    def told(
        value: int, *changes: Place, place: int = address + at, before: bool = False
    ) -> int | None:
        changed = Searched(scene.target)
        for changed_place, new in ((place, value), *changes):
            changed.put_word(changed_place, new)
        context = Context(ProcessState(changed))  # type: ignore[arg-type]
        others = FieldsOfOtherObjects(context)
        if before:
            others.object_field_should_name(another, kind, another + names, value)
        doubtful = dict(others.doubtful_fields(address, kind))
        if place not in doubtful:
            return None
        return others.object_field_should_name(address, kind, place, doubtful[place])

    assert told(code ^ 1 << scene.bit(code)) == code
    assert told(code ^ 1 << 4) == code
    assert told(code ^ 1 << 4, before=True) == code, "an object is none of its own others"
    assert told(code) is None
    assert told(code ^ 3 << 40) is None, "two bits"
    assert told(code ^ 1 << 4, (address + names, code ^ 1 << 5)) is None, "two fields"
    call = scene.layout.require("PyFunctionObject", "vectorcall")
    assert told(word(address + call) ^ 1 << 41, place=address + call) == word(address + call)
    assert told(word(address + call) ^ 3 << 41, place=address + call) is None, "two bits"
    other = next(function for function in functions if word(function + at) != code)
    assert told(word(other + at)) is None, "another object"


def test_two_members_of_a_code_object_that_are_no_addresses(scene: Scene) -> None:
    """A flip changes one of them; what was freed lies at aligned addresses of writable memory."""
    first, second = (scene.layout.require("PyCodeObject", f"co_{n}") for n in ("filename", "name"))
    address = next(address for address, kind in scene.walk.visited if kind == "code")

    def told(**changes: int) -> list[tuple[int | str, bool]]:
        changed = Searched(scene.target)
        for member, value in changes.items():
            at = {"filename": first, "name": second}[member]
            changed.put_word(address + at, value)
        return [(sign.where, sign.corrected is None) for sign in evidence(typed_field, changed)]

    assert told(filename=0x4052800000000001, name=0x4052C00000000001) == [(address + first, True)]
    assert told(filename=1, name=2) == [(address + first, True)]
    assert not told(filename=0x4052800000000001), "one word"
    elsewhere = scene.walk.frames[0].address + 16
    assert not told(filename=elsewhere, name=elsewhere + 32), "may have been freed"
    places = [_pointer_member_at(scene.context, address + at) for at in (first, second)]
    assert [text.split(" of ")[0] for text in places] == ["co_filename", "co_name"]
    assert not _pointer_member_at(scene.context, address + WORD)


def test_the_slots_of_a_class_are_places_of_pointers(scene: Scene) -> None:
    kinds, index = scene.walk.kinds, address_index(scene.context)
    owner, first, count = next(
        (address, *run)
        for address, category in scene.walk.visited
        if category == "instance"
        for run in kinds.reference_slots_of_class(kinds.type_of_object(address).address)
        if run[1]
    )
    start = owner - (index.offset_in_pool_block(owner) or 0)
    text = f"a field of the object of type {kinds.type_of_object(owner).name} at {owner:#x}"
    for number in (0, count - 1):
        assert text in _object_whole_but_for_slot_clause(
            scene.context, owner + first + WORD * number, start
        )
    assert not _object_whole_but_for_slot_clause(scene.context, owner + first + WORD * count, start)


def test_a_count_that_is_the_head_of_what_was_there_counts_references(scene: Scene) -> None:
    """An object that is gone began at the count; what names it still has raised that."""
    size_at, word = scene.layout.require("PyVarObject", "ob_size"), scene.walk.reader.word
    index = address_index(scene.context)
    lists = [
        address
        for address, kind in scene.walk.visited
        if kind == "list" and index.end_of_block(address)
    ]
    owner = next(address for address in lists if word(address + size_at))
    free = (
        next(address for address in lists if address != owner and not word(address + size_at))
        + 4 * WORD
    )
    for name, size in ((0, 1), (owner + size_at, 0)):
        changed = Searched(scene.target)
        changed.flip(owner + size_at, 6)
        changed.put_word(free, name)
        assert len(evidence(item_counts, changed)) == size


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_what_stands_before_the_items_of_a_tuple_is_none(interpreter: str) -> None:
    """Its size, and from 3.14 on its hash: numbers, which nobody wrote over a pointer."""
    scene = Scene(interpreter)
    index, first = address_index(scene.context), scene.layout.require("PyTupleObject", "ob_item")
    owner = next(
        address
        for address, kind in scene.walk.visited
        if kind == "tuple"
        and index.offset_in_pool_block(address)
        and scene.walk.reader.word(address + first)
    )
    start = owner - (index.offset_in_pool_block(owner) or 0)
    assert "an item of the tuple" in _object_whole_but_for_slot_clause(
        scene.context, owner + first, start
    )
    assert not _object_whole_but_for_slot_clause(scene.context, owner + first - WORD, start)
