# SPDX-License-Identifier: Apache-2.0
"""Checks of redundant copies on made-up memory: hashes, pools, chunks, canaries, the report."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from support.fake_target import FakeTarget

from gdb_epi.corruption.checks.copies_in_files import differs_only_by_int3
from gdb_epi.corruption.checks.malloc_heap import malloc_chunks
from gdb_epi.corruption.checks.overwritten_places import ID as OVERWRITTEN_PLACE
from gdb_epi.corruption.context import Budget, Context
from gdb_epi.corruption.evidence import OVERWRITTEN, Evidence, NotChecked, Skipped, plain_evidence
from gdb_epi.corruption.heap import pymalloc_pools as pools
from gdb_epi.corruption.heap.malloc_chunks import is_in_free_chunk, is_tcache_key
from gdb_epi.corruption.registry import CHECKS, Check, all_checks
from gdb_epi.corruption.run_checks import reason_to_skip_costly_checks, run_checks
from gdb_epi.corruption.score import is_more_than_software_sign, prior_log_odds
from gdb_epi.cpython.objects.siphash import (
    HashKey,
    hash_many,
    pack_into_lanes,
    python_hash,
    siphash,
    unequal_lanes,
)
from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import UsageError
from gdb_epi.process_state import ProcessState
from gdb_epi.render.corruption import checks_that_ran, corruption_json, corruption_report
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import CrashInfo, Region, Thread

# The reference vectors of SipHash-2-4 (key 00 01 .. 0f) for 00 01 .. of 1, 2, 3 and 15 bytes.
VECTORS = {
    1: 0x74F839C593DC67FD,
    2: 0x0D6C8009D9A94F5A,
    3: 0x85676696D7FB7E2D,
    15: 0xA129CA6149BE45E5,
}
KEY = HashKey(0x0706050403020100, 0x0F0E0D0C0B0A0908, 2, 4)


@pytest.mark.parametrize("size", VECTORS)
def test_reference_vectors(size: int) -> None:
    assert siphash(KEY, bytes(range(size))) == VECTORS[size]


def test_the_interpreters_own_hashes() -> None:
    """hash() under a key of zeros, as PYTHONHASHSEED=0 sets it, of the running version."""
    code = "print(*(hash(bytes(range(n))) for n in range(100)))"
    env = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    words = [int(word) & WORD_MASK for word in done.stdout.split()]
    rounds = {"siphash13": (1, 3), "siphash24": (2, 4)}.get(sys.hash_info.algorithm)
    if rounds is None:
        pytest.skip(f"this interpreter hashes by {sys.hash_info.algorithm}")
    assert words == [python_hash(HashKey(0, 0, *rounds), bytes(range(n))) for n in range(100)]


@pytest.mark.parametrize("rounds", [(1, 3), (2, 4)])
def test_many_at_once_are_what_one_by_one_are(rounds: tuple[int, int]) -> None:
    chance = random.Random(1)
    key = HashKey(chance.getrandbits(64), chance.getrandbits(64), *rounds)
    for size in (1, 7, 8, 15, 64, 300, 4000):
        data = [chance.randbytes(size) for _ in range(255)] + [bytes(size), b"\xff" * size]
        right = [siphash(key, text) for text in data]
        hashes = hash_many(key, data)
        assert unequal_lanes(hashes, pack_into_lanes(right), len(data)) == []
        right[100] ^= 1 << chance.randrange(64)
        assert unequal_lanes(hashes, pack_into_lanes(right), len(data)) == [100]


# --- pymalloc ---------------------------------------------------------------------------------

PLACE = 0x7F0000100000


def made_pool(size: int = 16384, block: int = 64, carved: int = 100, free: int = 5) -> bytearray:
    """Return a pool whose free blocks are every third of the carved ones, in falling order."""
    data = bytearray(size)
    offsets = [pools.HEADER_SIZE + 3 * n * block for n in range(free)]
    link = 0
    for at in offsets:
        data[at : at + 8] = link.to_bytes(8, "little")
        link = PLACE + at
    szidx, nextoffset = block // 16 - 1, pools.HEADER_SIZE + carved * block
    pools.HEADER.pack_into(data, 0, carved - free, link, 0, 0, 0, szidx, nextoffset, size - block)
    return data


@pytest.mark.parametrize("size", pools.POOL_SIZES)
def test_a_pool_is_recognised(size: int) -> None:
    pool = pools.parse_pool(PLACE, bytes(made_pool(size, carved=40)))
    assert pool is not None and pool.size == size and pool.free is not None
    assert len(list(pool.used_block_offsets())) == pool.used == 35
    assert pools.free_list_repair(pool, bytes(made_pool(size, carved=40))) is None


@pytest.mark.parametrize("offset", [pools.FREE_AT, pools.HEADER_SIZE + 6 * 64])
@pytest.mark.parametrize("bit", [3, 9, 13, 30, 60])
def test_a_flipped_link_is_mended(offset: int, bit: int) -> None:
    data = made_pool()
    word = int.from_bytes(data[offset : offset + 8], "little")
    data[offset : offset + 8] = (word ^ 1 << bit).to_bytes(8, "little")
    pool = pools.parse_pool(PLACE, bytes(data))
    assert pool is not None and pool.free is None and not list(pool.used_block_offsets())
    wrong = pools.free_list_repair(pool, bytes(data))
    assert wrong is not None and (wrong.where, wrong.corrected) == (PLACE + offset, word)
    assert wrong.is_low_bit == (bit < 4)


def test_blocks_beside_the_right_ones_make_more_than_a_pool_has() -> None:
    data = made_pool(free=0)
    assert pools.parse_pool(PLACE, bytes(data)) is not None
    for more, is_pool in ((1, True), (64, False)):
        data[: pools.FREE_AT] = (100 + more).to_bytes(8, "little")
        pool = pools.parse_pool(PLACE, bytes(data))
        assert (pool is not None) is is_pool and (pool is None or pool.free is None)


def test_a_link_that_was_overwritten_is_not_mended() -> None:
    data = made_pool()
    data[pools.HEADER_SIZE + 6 * 64 : pools.HEADER_SIZE + 6 * 64 + 8] = b"AAAAAAAA"
    pool = pools.parse_pool(PLACE, bytes(data))
    assert pool is not None and pools.free_list_repair(pool, bytes(data)) is None


@pytest.mark.parametrize(
    ("first", "elsewhere"),
    [
        (0x3030303030303030, True),  # what lay where a damaged link led to
        (PLACE + 0x100000, True),
        (0x4000007F3E49777A, True),
        ((1 << 64) - 1, False),  # 0 in the last free block, a reference given up
        (0x20000, False),  # two taken, by a pointer 2 bytes off
        (PLACE + pools.HEADER_SIZE + 1, False),  # one taken
        (0, False),
    ],
)
def test_a_list_that_leads_elsewhere(first: int, elsewhere: bool) -> None:
    """A link that was damaged is gone with its block; what counts in freed blocks is a bug."""
    data = made_pool()
    data[pools.FREE_AT : pools.FREE_AT + 8] = first.to_bytes(8, "little")
    pool = pools.parse_pool(PLACE, bytes(data))
    assert pool is not None and pools.free_list_repair(pool, bytes(data)) is None
    assert pools.is_first_link_wild(pool, bytes(data)) is elsewhere


@pytest.mark.parametrize(
    ("first", "steps"),
    [
        (PLACE + pools.HEADER_SIZE + 6 * 64 << 8, (1, 0)),
        ((PLACE + pools.HEADER_SIZE + 6 * 64 - 1 << 8) | 0xFF, (1, 0)),  # counted down itself
        (PLACE + pools.HEADER_SIZE + 6 * 64 << 16 | 0x55AA, (2, 0)),  # the end of the block before
        ((PLACE + pools.HEADER_SIZE + 6 * 64 << 32) & WORD_MASK | 0x1000, (4, 0)),
        (PLACE + pools.HEADER_SIZE + 6 * 64 + 8 << 8, (0, 0)),  # no block begins there
        (PLACE + pools.HEADER_SIZE + 200 * 64 << 8, (0, 0)),  # nor was one carved here
        (PLACE + pools.HEADER_SIZE + 6 * 64 >> 8, (0, 0)),  # behind it: a flip of bit 0 does that
        (PLACE + pools.HEADER_SIZE + 6 * 64, (0, 0)),
        ((1 << 64) - 5, (0, 5)),  # the last block, whose link is 0
        ((1 << 64) - 5 << 48 & WORD_MASK, (6, 5)),
        (0xFFF8 << 48, (0, 0)),  # the NaN of arithmetic
        (5, (0, 0)),  # counted up: so is a flip
        (0, (0, 0)),
    ],
)
def test_a_reference_that_was_given_back_to_a_freed_block(
    first: int, steps: tuple[int, int]
) -> None:
    data = made_pool()
    data[pools.FREE_AT : pools.FREE_AT + 8] = first.to_bytes(8, "little")
    pool = pools.parse_pool(PLACE, bytes(data))
    assert pool is not None and pools.measure_link_decrement(pool, bytes(data)) == steps


@pytest.mark.parametrize(("member", "bit"), [(pools.SZIDX_AT, 2), (pools.NEXT_AT, 5), (0, 9)])
def test_a_flipped_number_of_a_header_is_mended(member: int, bit: int) -> None:
    data = made_pool()
    word = int.from_bytes(data[member : member + 4], "little")
    right = bytes(data[member & ~7 : (member & ~7) + 8])
    data[member : member + 4] = (word ^ 1 << bit).to_bytes(4, "little")
    wrong = pools.pool_header_repair(PLACE, 16384, bytes(data))
    assert wrong is not None and wrong.where == PLACE + (member & ~7)
    assert wrong.corrected.to_bytes(8, "little") == right


def test_a_count_that_is_one_off_is_no_flip() -> None:
    data = made_pool()
    data[0:4] = (94).to_bytes(4, "little")  # 95 are in use: a crash between two steps
    pool = pools.parse_pool(PLACE, bytes(data))
    assert pool is not None and pools.free_list_repair(pool, bytes(data)) is None


# --- glibc ------------------------------------------------------------------------------------

HEAP = 0x555555600000


def made_heap(sizes: list[int]) -> bytearray:
    data = bytearray(0x10000)
    at = 0
    for size in [0x290, *sizes]:
        struct.pack_into("<QQ", data, at, 0, size | 1)
        at += size
    struct.pack_into("<QQ", data, at, 0, (len(data) - at) | 1)
    return data


def heap_context(data: bytearray) -> Context:
    region = Region(HEAP, HEAP + len(data), "rw-", None, 0, len(data))
    target = FakeTarget(regions=[region], memory={HEAP: bytes(data)})
    return Context(ProcessState(target))


SIZES = [0x20 + 0x10 * (n % 9) for n in range(200)]


def test_whole_chunks_are_no_evidence() -> None:
    context = heap_context(made_heap(SIZES))
    assert list(malloc_chunks(context)) == []
    assert context.counts["malloc chunks"] == len(SIZES) + 2


@pytest.mark.parametrize("bit", [1, 2, 3, 4, 5, 7, 11, 20, 40])
def test_a_flipped_size_is_found(bit: int) -> None:
    data = made_heap(SIZES)
    place = 0x290 + sum(SIZES[:90])
    size = int.from_bytes(data[place + 8 : place + 16], "little")
    data[place + 8 : place + 16] = (size ^ 1 << bit).to_bytes(8, "little")
    (sign,) = malloc_chunks(heap_context(data))
    assert isinstance(sign, Evidence)
    assert (sign.where, sign.corrected, sign.bits) == (HEAP + place + 8, size, (bit,))


@pytest.mark.parametrize("text", [b"\0", b"\n", b"AAAAAAAA", b"AAAAAAAAAAAAAAAA"])
def test_an_overrun_is_no_flip(text: bytes) -> None:
    data = made_heap(SIZES)
    place = 0x290 + sum(SIZES[:90]) + 8
    data[place : place + len(text)] = text
    evidence = [e for e in malloc_chunks(heap_context(data)) if isinstance(e, Evidence)]
    assert [e.id for e in evidence] == ([] if text == b"\0" else [OVERWRITTEN])


@pytest.mark.parametrize("named_by", ["nothing", "a bin", "a program", "the block itself"])
def test_a_chunk_that_a_word_names_was_overrun(named_by: str) -> None:
    """A size of 0x90 is one bit from 0x490, where chunks follow behind an overrun one of 0x400."""
    data = made_heap([*SIZES[:90], 0x90, 0x400, *SIZES[90:]])
    place = 0x290 + sum(SIZES[:90])
    header = place + 0x90
    data[place + 16 : header + 0x100] = random.Random(1).randbytes(0x90 - 16 + 0x100)
    word = {"a bin": (0x2A0, header), "a program": (0x2A0, header + 16),
            "the block itself": (header + 0x200, header + 16)}.get(named_by)  # fmt: skip
    if word is not None:
        struct.pack_into("<Q", data, word[0], HEAP + word[1])
    evidence = [e for e in malloc_chunks(heap_context(data)) if isinstance(e, Evidence)]
    is_flip = named_by in ("nothing", "the block itself")
    assert [(e.id, e.corrected) for e in evidence] == (
        [("R7", 0x491)] if is_flip else [(OVERWRITTEN_PLACE, None)]
    )


def test_a_size_behind_which_a_chunk_fits_is_right() -> None:
    """A size of 0x90 is one bit from 0x490, and a whole chunk lies before the overrun one."""
    data = made_heap([*SIZES[:90], 0x90, 0x50, 0x3B0, *[0x230] * 40])
    header = 0x290 + sum(SIZES[:90]) + 0x90 + 0x50
    data[header : header + 0x100] = random.Random(1).randbytes(0x100)
    evidence = [e for e in malloc_chunks(heap_context(data)) if isinstance(e, Evidence)]
    assert [(e.id, e.corrected) for e in evidence] == [(OVERWRITTEN_PLACE, None)]
    assert evidence[0].where == HEAP + header + 8


def free_words(data: bytearray) -> list[int]:
    context = heap_context(data)
    return [place for place in range(0, len(data), 8) if is_in_free_chunk(context, HEAP + place)]


def test_words_of_free_chunks_hold_nothing() -> None:
    data = made_heap(SIZES)
    top = [*range(0x290 + sum(SIZES) + 16, len(data), 8)]  # the heap ends with it
    assert free_words(data) == top
    at, size = 0x290 + SIZES[0], SIZES[1]
    data[at + size : at + size + 8] = size.to_bytes(8, "little")  # prev_size, and no PREV_INUSE
    data[at + size + 8] &= ~1
    assert free_words(data) == [*range(at + 16, at + size, 8), *top]


def test_a_chunk_that_ends_before_the_heap_is_no_top_chunk() -> None:
    data = made_heap(SIZES)
    at = 0x290 + sum(SIZES)
    struct.pack_into("<Q", data, at + 8, (len(data) - at - 0x20) | 1)
    struct.pack_into("<Q", data, len(data) - 0x18, 0x11)  # a fencepost: others moved the break
    assert free_words(data) == []


@pytest.mark.parametrize("hidden", [True, False])
@pytest.mark.parametrize("key", [HEAP + 16, 0x31CC_7241_AB19_B54E])
def test_chunks_in_the_cache_are_free(key: int, hidden: bool) -> None:
    data = made_heap(SIZES)
    starts = [0x290 + sum(SIZES[:n]) for n in range(0, 50, 10)]
    for start, link in zip(starts, [0, *starts], strict=False):
        place = HEAP + start + 16
        word = (HEAP + link + 16 if link else 0) ^ (place >> 12 if hidden else 0)
        struct.pack_into("<QQ", data, start + 16, word, key)
    context = heap_context(data)
    assert all(is_in_free_chunk(context, HEAP + start + 24) for start in starts)
    assert not is_in_free_chunk(context, HEAP + starts[0] + SIZES[0] + 16), "the next one"
    assert is_tcache_key(context, key) is (key > HEAP + 16), "an address is no mark"
    struct.pack_into("<Q", data, starts[2] + 16, 0x1234_5678)  # then it is what programs keep there
    assert not any(is_in_free_chunk(heap_context(data), HEAP + start + 24) for start in starts)


def test_another_allocator_is_said() -> None:
    with pytest.raises(NotChecked, match="another malloc"):
        list(malloc_chunks(heap_context(bytearray(0x10000))))


# --- canaries, breakpoints, the report --------------------------------------------------------

STACK, TLS, CANARY = 0x7FFC00000000, 0x7F1000000000, 0x9F3C1D5E7B2A4400


def process(word: int) -> ProcessState:
    stack = bytearray(0x2000)
    struct.pack_into("<Q", stack, 0x1080, word)
    tls = bytearray(0x1000)
    struct.pack_into("<Q", tls, 0x28, CANARY)
    regions = [
        Region(TLS, TLS + 0x1000, "rw-", None, 0, 0x1000),
        Region(STACK, STACK + 0x2000, "rw-", None, 0, 0x2000),
    ]
    thread = Thread(7, {"rsp": STACK + 0x1000, "fs_base": TLS}, None)
    crash = CrashInfo(6, -6, 0, None, 7, 0, 7)
    target = FakeTarget(
        regions=regions,
        memory={TLS: bytes(tls), STACK: bytes(stack)},
        threads=[thread],
        crash=crash,
    )
    return ProcessState(target)


@pytest.mark.parametrize(("flip", "found"), [(1 << 40, 1), (1 << 8, 1), (0x80, 0), (3 << 40, 0)])
def test_canaries(flip: int, found: int) -> None:
    study_ = run_checks(process(CANARY ^ flip))
    ours = [sign for sign in study_.evidence if sign.id == "R4"]
    assert len(ours) == found
    if found:
        assert ours[0].where == STACK + 0x1080 and ours[0].corrected == CANARY
        assert study_.score.word == "proven-corruption"


def test_the_report_answers_first_and_keeps_numbers_for_who_asks() -> None:
    damaged = run_checks(process(CANARY ^ 1 << 40), prior=prior_log_odds("consumer"))
    lines = list(map(str, corruption_report(damaged).lines))
    assert lines[0] == "Memory was damaged: two copies of one fact disagree."
    assert "the machine or a stray write" in lines[1]
    text = "\n".join(lines)
    assert f"{STACK + 0x1080:#x} holds" in text and "only bit 40 differs" in text
    assert "checks: no CPython" in text, "what was not checked, and why"
    for dialect in ("log10", "prior", "odds", "symptom:", "weights:", "rust-minidump", "R4"):
        assert dialect not in text
    assert max(map(len, lines)) <= 100 and not corruption_report(damaged).rows


def test_with_evidence_the_report_names_weight_prior_and_checks() -> None:
    damaged = run_checks(process(CANARY ^ 1 << 40), prior=prior_log_odds("consumer"))
    report = corruption_report(damaged, numbers=True)
    assert any("R4" in row and "40 (1->0)" in map(str, row) for row in report.rows) or any(
        "40 (0->1)" in map(str, row) for row in report.rows
    )
    text = "\n".join(map(str, report.lines))
    assert "(consumer), odds" in text and "memory or the CPU failed" not in text
    (not_run,) = (
        part for part in text.split("\n  ") if part.startswith("checks that did not run: ")
    )
    assert "R10" in not_run
    section = corruption_json(damaged)
    assert section["evidence"][0]["id"] == "R4" and section["evidence"][0]["origin"]
    assert "R4" in section["tried"] and "R1" not in section["tried"]


@pytest.mark.parametrize(
    ("word", "answer"),
    [("none", "No sign of damaged memory."), ("ambiguous", "Cannot tell: damaged memory and")],
)
def test_what_is_no_damage_is_not_said_to_be(word: str, answer: str) -> None:
    whole = run_checks(process(CANARY))
    made = whole._replace(score=whole.score._replace(word=word, ambiguous="a stray write"))
    lines = list(map(str, corruption_report(made).lines))
    assert lines[0].startswith(answer) and "the machine or a stray" not in "\n".join(lines)


def test_memory_that_code_wrote_over_is_not_called_whole() -> None:
    whole = run_checks(process(CANARY))
    sign = plain_evidence("S:overwritten-place", 0x1000, "the word at 0x1000 was overwritten")
    weak = plain_evidence("P1", "target", "one bit away")._replace(
        found=0x1002, corrected=0x1000, bits=(1,)
    )
    score = whole.score._replace(word="software-like", against=(sign,))
    made = whole._replace(score=score, evidence=[weak])
    lines = "\n".join(map(str, corruption_report(made).lines))
    assert lines.startswith("No flipped bits were found, but memory was overwritten")
    assert "A sign of it, too weak to go by:\nthe address that was called holds 0x1002" in lines
    doubtful = whole._replace(score=score._replace(word="none"))  # triage names no culprit either
    lines = "\n".join(map(str, corruption_report(doubtful).lines))
    assert "memory was overwritten.\nWho damaged it, the machine or a stray" in lines
    assert "code of the program" not in lines


def interrupted_after_a_piece(context: Context) -> Iterator[Evidence | Skipped]:
    context.report_progress(3 << 20, 5 << 20)
    yield Skipped("X", "found before the interrupt")
    raise KeyboardInterrupt


def test_a_sweep_that_is_interrupted_tells_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = process(CANARY ^ 1 << 40)
    whole = run_checks(damaged, sweep=True)  # loads the checks
    assert whole.interrupted is None and corruption_report(whole).exit_code == 0
    after = [check.name for check in all_checks() if check.order >= 60]
    stopped = Check("X", interrupted_after_a_piece, "nothing", True, 60)
    monkeypatch.setitem(CHECKS, "X", stopped)
    order = [check.name for check in all_checks()]
    checks = run_checks(damaged, sweep=True)
    report = corruption_report(checks)
    lines = list(map(str, report.lines))
    assert lines[0].startswith("INTERRUPTED after 3 of 5 MiB of memory, at check X: ")
    assert report.exit_code == 130 and "R4" in {sign.id for sign in checks.evidence}
    assert Skipped("X", "found before the interrupt") in checks.skipped
    assert checks.interrupted is not None and checks.interrupted.unreached
    assert set(checks.interrupted.unreached) <= set(order[order.index("X") + 1 :]) <= set(after)
    ran = checks_that_ran(checks)
    assert "X" in ran and not set(checks.interrupted.unreached) & set(ran)
    interrupted = corruption_json(checks)["interrupted"]
    assert (interrupted["check"], interrupted["swept"]) == ("X", (3 << 20, 5 << 20))
    monkeypatch.setitem(CHECKS, "X", stopped._replace(sweep=False))
    with pytest.raises(KeyboardInterrupt):
        run_checks(damaged)


def test_breakpoints_are_told_from_damage() -> None:
    word = 0x0102030405060708
    assert differs_only_by_int3(word & ~0xFF00 | 0xCC00, word)
    assert not differs_only_by_int3(word ^ 1 << 9, word)


@pytest.mark.parametrize(
    ("text", "value"), [(None, -3.0), ("servers", -2.0), ("consumer", -1.3), ("-0.5", -0.5)]
)
def test_priors(text: str | None, value: float) -> None:
    assert prior_log_odds(text) == value


@pytest.mark.parametrize("text", ["", "hopeful", "nan", "inf", "99"])
def test_other_priors_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        prior_log_odds(text)


def test_a_budget_gives_what_it_has() -> None:
    budget = Budget(100)
    assert budget.take_bytes(60) and not budget.take_bytes(60) and budget.take_bytes(40)


@pytest.mark.parametrize(("facts", "plain"), [({}, True), ({"large": True}, False)])
def test_a_stack_that_calls_used_up_says_why_the_process_ended(
    facts: dict[str, object], plain: bool
) -> None:
    """One frame that is larger than the stack may come of a damaged length."""
    state = process(0)
    state.target.crash = lambda: CrashInfo(11, 2, STACK, None, 7, 0, None)  # type: ignore[method-assign]
    finding = Finding("stack_overflow", "thread 7", facts, "")
    assert reason_to_skip_costly_checks(state, ()) is None
    why = reason_to_skip_costly_checks(state, (finding,))
    assert (
        why == "not looked for: calls used up the stack, and nothing else looked damaged"
    ) is plain


@pytest.mark.parametrize(("frames", "plain"), [(3, False), (900, True)])
def test_native_code_that_calls_itself_may_follow_what_is_damaged(
    frames: int, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = process(0)
    state.target.crash = lambda: CrashInfo(11, 2, STACK, None, 7, 0, None)  # type: ignore[method-assign]
    thread = SimpleNamespace(crashed=True, frames=(None,) * frames)
    python = SimpleNamespace(threads=lambda: [thread])
    monkeypatch.setattr(ProcessState, "python", python)
    why = reason_to_skip_costly_checks(state, (Finding("stack_overflow", "thread 7", {}, ""),))
    assert (why is not None) is plain


def test_a_sign_that_damage_leaves_too_is_no_plain_one() -> None:
    signs = [plain_evidence(f"S:stack_overflow{how}", "", "") for how in ("", ":one-step")]
    assert list(map(is_more_than_software_sign, signs)) == [False, True]
    assert is_more_than_software_sign(plain_evidence("origin", "", ""))


def test_costly_checks_are_left_out_where_nothing_failed_and_nothing_looks_damaged() -> None:
    checks = run_checks(process(0))
    (left_out,) = (skip for skip in checks.skipped if skip.why.startswith("not looked for: "))
    assert left_out.why == (
        "not looked for: the process ended by a signal that somebody sent, "
        "and nothing else looked damaged"
    )
    names = left_out.check.split(", ")
    assert "R3" in names and "R4" not in names
    assert set(names) <= {check.name for check in all_checks() if check.costly}
    asked_for = run_checks(process(0), budget=Budget(1 << 20))
    assert not any("not looked for" in skip.why for skip in asked_for.skipped)
    damaged = run_checks(process(CANARY ^ 1 << 40))
    assert not any("not looked for" in skip.why for skip in damaged.skipped)


@pytest.mark.parametrize(
    ("signo", "code", "sender"), [(9, 0, 1), (11, None, None), (11, 1, None), (15, -6, 7)]
)
def test_a_fault_is_never_a_signal_that_was_sent(
    signo: int, code: int | None, sender: int | None
) -> None:
    """A core without a siginfo does not say that somebody sent its SIGSEGV."""
    state = process(0)
    crash = CrashInfo(signo, code, 0, None, 7, 0, sender)
    target = FakeTarget(
        regions=state.target.regions(),
        memory={STACK: bytes(0x2000), TLS: bytes(0x1000)},
        threads=state.target.threads(),
        crash=crash,
    )
    why = reason_to_skip_costly_checks(ProcessState(target), ())
    assert (why is None) == (signo == 11)
