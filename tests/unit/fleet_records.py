# SPDX-License-Identifier: Apache-2.0
"""Records for tests of the fleet database."""

from __future__ import annotations

from typing import Any


def minimal(number: int, **groups: Any) -> dict[str, Any]:
    """A minimal record of one crash; `groups` replace or add groups."""
    stable = f"{number % 7:016x}"
    record = {
        "schema": "gdb-epi/record/1",
        "core_key": f"{number:032x}",
        "time": {"crash_ts": 1_764_000_000.0 + number},
        "host": {"hostname": f"node-{number % 5}", "attributes": {"rack": f"r{number % 2}"}},
        "cpu": {"number": number % 64},
        "signature": {
            "version": "gsig/2",
            "keys": {"stable": stable},
            "text": {"stable": f"gsig/2 stable segv-null f{number % 7} <- main"},
        },
        "flags": {"bitflip": False, "lock_inherited": False},
    }
    return {**record, **groups}


def full(
    number: int, quality: float = 1.0, version: str = "0.1.0", **groups: Any
) -> dict[str, Any]:
    """A record as an analysis makes it, as far as the database looks at it."""
    return minimal(
        number,
        **{
            "tool": f"gdb-epi {version}",
            "quality": {"unwinder": quality, "symbols": quality},
            "signal": {"signo": 11, "si_code": 1},
            "process": {"pid": 1, "executable": "/usr/bin/python3"},
            "truncated": {"flag": False},
            "verdict": {"model": 2, "label": "software", "confidence": 0.9},
            "libs": {"modules": [{"soname": "libc.so.6", "build_id": "ab"}, {"soname": "libm"}]},
            **groups,
        },
    )
