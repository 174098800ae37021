# SPDX-License-Identifier: Apache-2.0
"""What the tests start has the same addresses each time, and what chance may do is counted."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support import layout
from support.waiting import NeverAsleep, until_asleep

MAPS = ["cat", "/proc/self/maps"]


@pytest.mark.skipif(not layout.is_fixed(), reason="addresses are random here")
def test_programs_have_the_same_addresses_each_time() -> None:
    runs = [subprocess.run(MAPS, capture_output=True, check=True).stdout for _ in range(3)]
    assert len(set(runs)) == 1


def test_fixing_is_left_out_where_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDB_EPI_LAYOUT", layout.RANDOM)
    assert layout.fix() is False


@pytest.mark.parametrize(
    ("count", "rate", "most"),
    [(1, 0.5, 1), (10, 0.5, 9), (20, 1e-9, 0), (50, 0.002, 2), (200, 0.002, 3), (1500, 0.002, 10)],
)
def test_what_chance_may_do(count: int, rate: float, most: int) -> None:
    """The numbers are those of scipy.stats.binom.isf(0.001, count, rate)."""
    assert layout.most_of(count, rate) == most


def test_a_process_at_rest_is_waited_for() -> None:
    script = (
        "import time; end = time.monotonic() + 0.3\nwhile time.monotonic() < end: pass\ninput()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as process:
        until_asleep(process.pid)
        with open(f"/proc/{process.pid}/syscall") as handle:
            assert handle.read().startswith("0 ")  # read()
        process.kill()
    with pytest.raises(NeverAsleep):
        until_asleep(0)  # no process has this number
