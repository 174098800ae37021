# SPDX-License-Identifier: Apache-2.0
"""A process on musl: what is known of glibc's words is said of none of its own."""

from __future__ import annotations

import struct

import pytest
from support.fake_target import FakeTarget
from support.scenes import FS_BASE, PID
from unit.test_locks import LOCK, blocked, process, report

from gdb_epi.locks.fork.signs import ForkSignReadings, read_glibc_signs
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Region, Thread
from gdb_epi.target.libc import NOT_JUDGED, runs_on_musl

OTHER = Thread(PID + 1, {"rip": 1, "rsp": 2, "fs_base": FS_BASE + 0x1000, "orig_rax": 0}, "other")
LOADERS = ("/lib/ld-musl-x86_64.so.1", "/lib/libc.musl-x86_64.so.1")


def loader(path: str) -> Region:
    return Region(0x7E00_0000_0000, 0x7E00_0001_0000, "r-x", path, 0, 0)


@pytest.mark.parametrize("path", LOADERS)
def test_the_loader_tells(path: str) -> None:
    assert runs_on_musl(FakeTarget(regions=[loader(path)]))


@pytest.mark.parametrize("path", [None, "/lib/x86_64-linux-gnu/libc.so.6", "/opt/ld-musl/libx.so"])
def test_others_do_not(path: str | None) -> None:
    assert not runs_on_musl(FakeTarget(regions=[loader(path)] if path else []))


def test_words_like_glibcs_mutex_name_no_owner() -> None:
    made = process(blocked((128, 2)), OTHER, lock=(0, 0, 0, 0))
    made.target.write(LOCK, struct.pack("<5I", 2, 1, PID + 1, 1, 0))  # type: ignore[attr-defined]
    (wait,) = report(made).waits
    assert wait.kind == "pthread mutex" and wait.owner.tid == PID + 1
    more = (*made.target.regions(), loader(LOADERS[0]))
    made.target.set_regions(sorted(more))  # type: ignore[attr-defined]
    (wait,) = report(ProcessState(made.target)).waits
    assert (wait.kind, wait.owner.tid) == ("futex word", None)
    assert NOT_JUDGED in str(wait.evidence)


def test_no_sign_of_a_fork_is_read_from_glibcs_places() -> None:
    made = process(blocked((128, 2)), OTHER, lock=(0, 0, 0, 0))
    made.target.set_regions(sorted((*made.target.regions(), loader(LOADERS[0]))))  # type: ignore[attr-defined]
    signs = ForkSignReadings(made.target, made.python)
    read_glibc_signs(signs)
    assert {name: reading.says for name, reading in signs.readings.items()} == dict.fromkeys(
        ("F1", "F2", "F3", "F5", "F6", "F15"), NOT_JUDGED
    )
