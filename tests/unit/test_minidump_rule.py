# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of rust-minidump's rule: map ends, bit ranges, confidences, values tested."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from support.fake_target import FakeTarget

from gdb_epi.corruption.possible_bit_flips import (
    ConfidenceDetails,
    Mappings,
    PossibleFlip,
    candidate_confidence,
    distance_factor,
    possible_bit_flips,
    possible_flips_of_value,
)
from gdb_epi.fault.signals import SI_KERNEL
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import CrashInfo, Region, Thread

CODE, HEAP, STACK = 0x401000, 0x7F00_0000_0000, 0x7FFC_0000_0000
LOAD_RAX = bytes.fromhex("488b08")  # mov rcx, [rax]
LOAD_INDEXED = bytes.fromhex("488b0cd0")  # mov rcx, [rax + rdx * 8]
RETURN = b"\xc3"
CALL_RAX = bytes.fromhex("ffd0")
PLAIN = ConfidenceDetails(False, False, False, 0, False, 8, 1 << 30)


def region(start: int, size: int, perms: str = "rw-") -> Region:
    return Region(start, start + size, perms, None, 0, size)


MAPS = [region(HEAP, 0x10000), region(STACK, 0x2000)]


def process(
    code: bytes,
    registers: Mapping[str, int],
    crash: CrashInfo,
    regions: list[Region] | None = None,
    stack: bytes = bytes(64),
) -> ProcessState:
    all_registers = {"rip": CODE, "rsp": STACK, **registers}
    everything = [region(CODE, 0x1000, "r-x"), *(MAPS if regions is None else regions)]
    target = FakeTarget(
        regions=everything,
        memory={CODE: code + bytes(32), STACK: stack},
        threads=[Thread(7, all_registers, None)],
        crash=crash,
    )
    return ProcessState(target)


def page_fault(address: int) -> CrashInfo:
    return CrashInfo(11, 1, 0, address, None, None, 7)


HIDDEN = CrashInfo(11, SI_KERNEL, 0, 0, None, None, 7)


# --- the map --------------------------------------------------------------------------------------


def test_the_end_of_a_mapping_is_not_mapped() -> None:
    maps = Mappings([region(0x1000, 0x1000)])
    assert [maps.is_mapped(at) for at in (0xFFF, 0x1000, 0x1FFF, 0x2000)] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("address", "distance"), [(0xFF8, 8), (0x1000, 0), (0x2000, 0), (0x2008, 8), (0x3FF0, 16)]
)
def test_distance_is_the_gap_to_the_closest_mapping(address: int, distance: int) -> None:
    assert (
        Mappings([region(0x1000, 0x1000), region(0x4000, 16)]).distance_to_closest(address)
        == distance
    )


def test_without_a_map_there_is_no_distance() -> None:
    assert Mappings([]).distance_to_closest(5) is None


@pytest.mark.parametrize(
    ("beyond", "some"), [(0, False), (7, False), (8, False), (16, False), (32, True)]
)
def test_an_access_just_past_the_end_is_no_flip(beyond: int, some: bool) -> None:
    """8 bytes wide: closer than its size is skipped, one element away weighs nothing."""
    value = HEAP + 0x10000 + beyond
    assert bool(list(possible_flips_of_value(value, None, 8, False, Mappings(MAPS), {}))) is some


# --- bits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bit", range(1, 48))
def test_bits_0_to_47_of_an_address_that_the_cpu_took(bit: int) -> None:
    value = HEAP ^ 1 << bit
    flips = list(possible_flips_of_value(value, None, None, False, Mappings([region(HEAP, 1)]), {}))
    assert [(flip.address, flip.bit) for flip in flips] == [(HEAP, bit)]


@pytest.mark.parametrize("bit", range(48, 64))
def test_bits_48_to_63_only_of_one_that_it_did_not(bit: int) -> None:
    value = HEAP ^ 1 << bit
    maps = Mappings([region(HEAP, 1)])
    assert [flip.bit for flip in possible_flips_of_value(value, None, None, True, maps, {})] == [
        bit
    ]
    assert not list(possible_flips_of_value(value, None, None, False, maps, {}))


def test_low_bits_of_a_non_canonical_address_are_not_tried() -> None:
    maps = Mappings([region(HEAP, 1)])
    assert not list(possible_flips_of_value(HEAP ^ 1 << 30, None, None, True, maps, {}))


def test_permissions_do_not_matter_on_linux() -> None:
    maps = Mappings([region(HEAP, 0x1000, "---")])
    assert len(list(possible_flips_of_value(HEAP ^ 1 << 40, None, None, False, maps, {}))) == 1


# --- confidence -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 0.25),
        ({"is_null": True}, 0.625),
        ({"is_null": True, "was_low": True}, 0.4375),
        ({"nearby_registers": 1}, 0.625),
        ({"nearby_registers": 2}, 0.6625),
        ({"nearby_registers": 3}, 0.70),
        ({"nearby_registers": 9}, 0.7375),
        ({"was_non_canonical": True}, 0.925),
        ({"was_non_canonical": True, "nearby_registers": 1}, 0.9625),
        ({"poison_registers": True}, 0.125),
        ({"memory_access_size": None}, 0.25),
    ],
)
def test_confidences(changes: dict[str, object], expected: float) -> None:
    assert candidate_confidence(PLAIN._replace(**changes)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("distance", "size", "factor"),
    [(0, 8, 0), (8, 8, 0), (16, 8, (1 / 63) ** 0.5), (64 * 8, 8, 1), (1 << 40, 8, 1), (None, 8, 1)],
)
def test_nearness_to_a_mapping_lowers_it(distance: int | None, size: int, factor: float) -> None:
    assert distance_factor(distance, size) == pytest.approx(factor)


def test_what_falls_below_five_percent_is_dropped() -> None:
    near = HEAP + 0x10000 + 16  # 0.25 * 0.126 = 0.03, unless a register is near
    maps = Mappings(MAPS)
    assert not [
        flip
        for flip in possible_flips_of_value(near, None, 8, False, maps, {})
        if flip.address > 8192
    ]
    assert list(
        possible_flips_of_value(near, None, 8, False, maps, {"rbx": HEAP + 0x8000, "rcx": HEAP})
    )


def test_registers_near_the_corrected_value_count_only_when_it_is_no_small_number() -> None:
    maps = Mappings([region(HEAP, 0x1000), region(0x1000, 0x1000)])
    registers = {"rbx": HEAP + 4096, "rcx": HEAP + 4097 + 8, "rdx": 0x1010}
    high = next(iter(possible_flips_of_value(HEAP ^ 1 << 44, None, None, False, maps, registers)))
    assert high.details.nearby_registers == 1
    low = next(
        flip
        for flip in possible_flips_of_value(0x1000 ^ 1 << 40, None, None, False, maps, registers)
    )
    assert low.details.nearby_registers == 0


@pytest.mark.parametrize(("value", "poison"), [(0xA5, True), (0xE5, True), (0x41, False)])
def test_a_register_of_repeated_poison_bytes(value: int, poison: bool) -> None:
    registers = {"rbx": int.from_bytes(bytes([value]) * 8, "little")}
    flip = next(
        iter(possible_flips_of_value(HEAP ^ 1 << 40, None, None, False, Mappings(MAPS), registers))
    )
    assert flip.details.poison_registers is poison


# --- whole crashes --------------------------------------------------------------------------------


def told(possible_flips: tuple[PossibleFlip, ...]) -> list[tuple[int, str | None]]:
    return [(flip.address, flip.source_register) for flip in possible_flips]


def test_the_access_and_its_register_are_tested() -> None:
    wrong = HEAP ^ 1 << 41
    state = process(LOAD_RAX, {"rax": wrong}, page_fault(wrong))
    assert told(possible_bit_flips(state)) == [(HEAP, None), (HEAP, "rax")]


def test_an_index_register_is_tested_on_its_own() -> None:
    state = process(LOAD_INDEXED, {"rax": HEAP, "rdx": 1 << 35}, page_fault(HEAP + (1 << 38)))
    assert (0, "rdx") in told(possible_bit_flips(state))
    assert (HEAP, None) in told(possible_bit_flips(state))


def test_a_base_of_zero_is_null_in_disguise() -> None:
    wide = [region(0x10_0000, 0x10_0000)]
    state = process(LOAD_INDEXED, {"rax": 0, "rdx": 0x40000}, page_fault(0x20_0000), wide)
    assert not possible_bit_flips(state)


def test_a_return_to_zero_is_null_in_disguise() -> None:
    assert not possible_bit_flips(process(RETURN, {}, page_fault(0)))


def test_the_operand_tells_an_address_that_the_kernel_does_not() -> None:
    state = process(LOAD_RAX, {"rax": HEAP | 1 << 55}, HIDDEN)
    flips = possible_bit_flips(state)
    assert told(flips) == [(HEAP, None), (HEAP, "rax")]
    assert flips[0].details.was_non_canonical
    assert flips[0].confidence == pytest.approx(0.925)


def test_so_does_the_target_of_a_return_or_call() -> None:
    slot = (HEAP | 1 << 60).to_bytes(8, "little")
    by_return = possible_bit_flips(process(RETURN, {}, HIDDEN, stack=slot + bytes(56)))
    assert (HEAP, None) in told(by_return)
    by_call = possible_bit_flips(process(CALL_RAX, {"rax": HEAP | 1 << 60}, HIDDEN))
    assert (HEAP, None) in told(by_call)


def test_an_abort_is_tested_too_which_is_wrong_on_non_pie_images() -> None:
    """si_addr is pid and uid: bit 22 away from an image at 0x400000."""
    sent = CrashInfo(6, -6, 0, None, 4711, 0, 7)
    flips = possible_bit_flips(process(RETURN, {}, sent, [region(0x400000, 0x8000)]))
    assert 0x400000 + 4711 in [flip.address for flip in flips]


def test_no_crash_no_flips() -> None:
    assert possible_bit_flips(ProcessState(FakeTarget())) == ()
