# SPDX-License-Identifier: Apache-2.0
"""Whatever is done to the memory of a process, an analysis gives a record, in bounded reads."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from support.mutate import MutatedTarget
from support.snapshot import SnapshotTarget

from gdb_epi.analysis import analyze
from gdb_epi.session import Session
from gdb_epi.sizes import PAGE

SNAPSHOTS = sorted((Path(__file__).parents[1] / "data" / "snapshots").glob("*.json.xz"))
IDS = [path.name.removesuffix(".json.xz") for path in SNAPSHOTS]
ROUNDS = 20
MAX_BYTES = 64 << 20
MAX_READS = 200_000


@pytest.fixture(scope="module", params=SNAPSHOTS, ids=IDS)
def snapshot(request: pytest.FixtureRequest) -> SnapshotTarget:
    return SnapshotTarget.load(request.param)


def record_of(target: MutatedTarget) -> dict:
    """Analyse; the record is plain JSON and the reads stay within bounds."""
    record = analyze(Session(target))
    json.dumps(record)
    assert target.reads < MAX_READS
    assert target.bytes_read < MAX_BYTES
    assert record["schema"] == "gdb-epi/record/1"
    assert record["verdict"]["label"]
    return record


def words(snapshot: SnapshotTarget) -> list[int]:
    """Return the addresses of all recorded words."""
    return [at for page in snapshot.pages() for at in range(page, page + PAGE, 8)]


def test_there_is_a_snapshot_for_each_minor_version() -> None:
    minors = {int(name.split("-")[1].split(".")[1]) for name in IDS}
    assert minors >= set(range(8, 16))


def test_an_untouched_recording_is_decoded(snapshot: SnapshotTarget) -> None:
    record = record_of(MutatedTarget(snapshot))
    assert record["python"]["version"].startswith("3.")
    threads = record["threads"]
    assert any(stack.get("frames") for stack in (*threads["stacks"], threads["crashed"]))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_one_flipped_bit(snapshot: SnapshotTarget, seed: int) -> None:
    chance = random.Random(seed)
    target = MutatedTarget(snapshot)
    target.flip(chance.choice(words(snapshot)), chance.randrange(64))
    record_of(target)


@pytest.mark.parametrize("seed", range(ROUNDS // 2))
def test_many_overwritten_words(snapshot: SnapshotTarget, seed: int) -> None:
    chance = random.Random(1000 + seed)
    target = MutatedTarget(snapshot)
    places = words(snapshot)
    values = (0, 1, 8, 0x41414141, 1 << 62, (1 << 64) - 1, chance.choice(places))
    for _ in range(200):
        target.put_word(chance.choice(places), chance.choice(values))
    record_of(target)


@pytest.mark.parametrize("seed", range(ROUNDS // 4))
def test_a_zeroed_and_a_lost_page(snapshot: SnapshotTarget, seed: int) -> None:
    chance = random.Random(2000 + seed)
    pages = snapshot.pages()
    target = MutatedTarget(snapshot)
    target.put(chance.choice(pages), bytes(PAGE))
    lost = chance.choice(pages)
    target.take_out(lost, lost + PAGE)
    record_of(target)


@pytest.mark.parametrize("kept", [0.0, 0.25, 0.5, 0.75])
def test_lost_upper_memory(snapshot: SnapshotTarget, kept: float) -> None:
    pages = snapshot.pages()
    target = MutatedTarget(snapshot)
    target.take_out(pages[int(len(pages) * kept)], 1 << 64)
    record_of(target)


def test_the_same_bytes_give_the_same_record(snapshot: SnapshotTarget) -> None:
    first = json.dumps(record_of(MutatedTarget(snapshot)), sort_keys=True)
    assert json.dumps(record_of(MutatedTarget(snapshot)), sort_keys=True) == first
