# SPDX-License-Identifier: Apache-2.0
"""Records of a plausible fleet by number: 2,000 hosts, 400 signatures, 40 sets of libraries."""

from __future__ import annotations

from typing import Any

HOSTS = 2_000
SIGNATURES = 400
LIBSETS = 40
LIBS = 12


def fleet_record(number: int, *, full: bool) -> dict[str, Any]:
    """Return record `number`; `full` as an analysis makes it (about 2 kB), else minimal."""
    mixed = number * 2_654_435_761 % (1 << 32)  # spread, and the same every time
    host, signature = mixed % HOSTS, (mixed >> 7) % SIGNATURES
    stable = f"{signature:016x}"
    lines = f"gsig/2 stable segv-wild at::f{signature} <- run_{signature % 7} <- main"
    record: dict[str, Any] = {
        "schema": "gdb-epi/record/1",
        "core_key": f"{mixed:08x}{number:024x}",
        "time": {"crash_ts": 1_764_000_000.0 + number * 2.5, "ts_source": "journal"},
        "host": {"hostname": f"node-{host}", "attributes": _attributes(host)},
        "cpu": {"number": (mixed >> 11) % 64},
        "signature": {
            "version": "gsig/2",
            "keys": {"stable": stable},
            "text": {"stable": lines},
        },
        "flags": {"bitflip": mixed % 97 == 0, "lock_inherited": mixed % 89 == 0},
    }
    return {**record, **_analysis(mixed, signature, stable, lines)} if full else record


def _attributes(host: int) -> dict[str, str]:
    rack = host // 20
    return {
        "rack": f"r{rack:03}",
        "sku": f"sku{rack % 4}",
        "cpu_model": f"model{rack % 2}",
        "microcode": f"mc{rack % 4}",
        "kernel": f"6.{host % 3}.0",
        "image": f"img{host % 4}",
    }


def _analysis(mixed: int, signature: int, stable: str, line: str) -> dict[str, Any]:
    trace = signature * 4 + mixed % 4
    frames = [f"libfoo{i}.so!function_{(trace * 31 + i) % 999}+0x{i * 16:x}" for i in range(12)]
    keys = {"stable": stable, "coarse": f"{signature // 2:012x}"}
    keys |= {"exact": f"{trace:016x}", "strict": f"{trace:015x}0"}
    libs = [
        {"soname": f"lib{i}.so.{i % 3}", "build_id": f"{i * 7919 + mixed % LIBSETS:040x}"}
        for i in range(LIBS)
    ]
    return {
        "tool": "gdb-epi 0.1.0",
        "quality": {"unwinder": 1.0, "symbols": 0.8},
        "truncated": {"flag": False, "reason": "", "missing_bytes": 0},
        "signal": {"signo": 11, "si_code": 1, "fault_address": f"0x{mixed:016x}"},
        "process": {"pid": mixed % 30_000, "comm": "python3.12", "executable": "/usr/bin/python3"},
        "python": {"version": f"3.{9 + mixed % 4}.1", "free_threaded": False, "threads": 7},
        "libs": {"modules": libs, "libset": f"{mixed % LIBSETS:016x}"},
        "verdict": {
            "model": 2,
            "label": "software",
            "confidence": 0.7,
            "reasons": ["a reason"],
            "against": [],
        },
        "findings": [
            {"detector": "pointer_one_bit_off", "subject": "thread 1", "facts": {"bit": mixed % 64}}
        ]
        if mixed % 97 == 0
        else [],
        "signature": {
            "version": "gsig/2",
            "category": "segv-wild",
            "keys": keys,
            "text": {"stable": line, "strict": "gsig/2 strict segv-wild " + " <- ".join(frames)},
        },
        "soft_errors": [],
    }
