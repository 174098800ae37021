# SPDX-License-Identifier: Apache-2.0
"""Words that were flipped or written over, in real cores: the very word is named, or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from gallery.score import ask, chosen
from gallery.taking import Piece, pieces, take

from gdb_epi.record.record_parts import get_group, get_groups

ROOT = Path(__file__).resolve().parents[2]
PIECES = {piece.name: piece for piece in pieces("first")}
FLIPPED = {
    "readings_of_a_long_night": ("ob_item of the array.array", 35),
    "bit_in_size_of_account_number": (" of the int", 44),
    "bit_in_mask_of_open_orders": ("mask of the set", 33),
    "bit_in_length_of_a_packet_view": ("shape[0] of the memoryview", 35),
    "bit_in_start_of_received_bytes": ("ob_start of the bytearray", 39),
    "decimals_of_a_tax_office": ("len of the decimal.Decimal", 22),
}


def record_of(piece: Piece) -> dict[str, object]:
    usable = [interpreter for interpreter in chosen(()) if piece.supports(interpreter)]
    if not usable:
        pytest.skip(f"no interpreter here runs {piece.name}")
    return ask(take(piece, usable[-1]), ROOT, None)


@pytest.mark.parametrize("name", FLIPPED)
def test_the_word_that_was_flipped_is_named(name: str) -> None:
    message, bit = FLIPPED[name]
    record = record_of(PIECES[name])
    damage = get_group(get_group(record, "verdict"), "damage")
    assert (damage["found"], damage["bits"]) == (True, [bit])
    evidence = get_groups(get_group(record, "corruption"), "evidence")
    (claim,) = [each for each in evidence if each["id"] == "R32"]
    assert message in str(claim["summary"]) and claim["where"] == damage["where"]
    assert get_group(record, "flags")["bitflip"] is True


@pytest.mark.parametrize(
    ("name", "rule", "said"),
    [
        ("key_material_locked_by_page", "S:read-only:allocated", "as mprotect() does"),
        ("frames_queued_for_the_encoder", "S:unmapped", "which free() unmaps"),
        ("nightly_copy_cut_short", "S:use-after-free", "into each small block that is freed"),
        ("firmware_dump_with_pauses", "S:far-index", "it leads 104857"),
        ("lines_shown_from_a_long_log", "S:far-index", "its upper half is all ones"),
        ("stale_cache_of_object", "S:wild-value:one-bit", "no pointer stands there"),
        ("future_settled_on_a_thin_loop", "S:use-after-free", "all that it held too"),
        ("carriages_never_coupled", "S:unset-or-freed", "mark of freed blocks does not stand"),
        ("loom_width_from_the_file", "S:stack_overflow:one-step", "a size that it computed"),
        ("speech_kernels_of_another_cpu", "missing_instruction_set", "AVX-512 4VNNIW"),
        ("chart_that_probes_its_pages", "category:abort-other", "sent itself SIGABRT"),
    ],
)
def test_what_the_program_did_is_no_damage(name: str, rule: str, said: str) -> None:
    verdict = get_group(record_of(PIECES[name]), "verdict")
    assert (verdict["label"], verdict["rules"]) == ("software", [rule])
    assert said in str(verdict["reasons"])
    assert get_group(verdict, "damage")["found"] is False


@pytest.mark.parametrize(
    "name",
    [
        "edges_of_a_smoothed_signal",
        "hits_counted_for_an_evicted_page",
        "name_of_exactly_its_field",
        "pinned_entries_of_a_cache",
        "visitors_of_the_seventeenth_gate",
    ],
)
def test_an_object_that_was_written_over_is_damage_and_no_flip(name: str) -> None:
    record = record_of(PIECES[name])
    verdict = get_group(record, "verdict")
    damage = get_group(verdict, "damage")
    assert (verdict["label"], damage["found"], damage["bits"]) == ("software", True, [])
    assert get_group(record, "flags")["bitflip"] is False


@pytest.mark.parametrize(
    ("name", "detector", "said"),
    [
        ("crash_report_without_a_folder", "earlier_crash", "SIGSEGV at 0x4 in seats_of"),
        ("ferry_reported_by_another_thread", "earlier_crash", "SIGSEGV at 0x4 in cars_on"),
        ("tide_tables_cleared_backwards", "direction_flag", "run backwards"),
        ("berries_sorted_by_a_plain_library", "uncaught_exception", "past sort_all in sorting.so"),
    ],
)
def test_what_came_before_is_named(name: str, detector: str, said: str) -> None:
    findings = get_groups(record_of(PIECES[name]), "findings")
    (of_detector,) = [finding for finding in findings if finding["detector"] == detector]
    assert said in str(of_detector["summary"])


def test_a_link_into_memory_that_was_moved_is_no_wrong_bit() -> None:
    record = record_of(PIECES["berths_of_a_moved_harbour"])
    assert get_group(record, "verdict")["label"] == "software"
