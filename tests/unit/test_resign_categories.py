# SPDX-License-Identifier: Apache-2.0
"""Categories of gsig/1 get their names of gsig/2 as far as a record tells."""

from __future__ import annotations

from typing import Any

import pytest

from gdb_epi.resign.signature import recompute_category

KERNEL, SELF = {"sender": "kernel"}, {"sender": "self"}


@pytest.mark.parametrize(
    ("category", "signal", "facts", "now"),
    [
        ("unknown", {**KERNEL, "signo": 11, "si_code": 128}, {"fault_kind": "misaligned"},
         "segv-misaligned"),
        ("unknown", {**KERNEL, "signo": 11, "si_code": 128}, {"fault_kind": "privileged"},
         "segv-privileged"),
        ("unknown", {**KERNEL, "signo": 11, "si_code": 128}, {}, "segv-protection"),
        ("unknown", {**SELF, "signo": 11, "si_code": -6}, {}, "raised:SIGSEGV"),
        ("unknown", {**SELF, "signo": 25, "si_code": 0}, {}, "limit:file-size"),
        ("unknown", {**SELF, "signo": 6, "si_code": -6}, {}, "unknown"),
        ("unknown", {**KERNEL, "signo": 31, "si_code": 1}, {}, "seccomp"),
        ("unknown", {}, {}, "unknown"),
        ("killed-external", {**KERNEL, "signo": 24, "si_code": 128}, {}, "limit:cpu"),
        ("killed-external", {"sender": "other", "signo": 6, "si_code": 0}, {}, "killed-external"),
        ("bus-adrerr", {**KERNEL, "signo": 7, "si_code": 1}, {}, "segv-misaligned"),
        ("bus-adrerr", {**KERNEL, "signo": 7, "si_code": 2}, {}, "bus-adrerr"),
        ("segv-exec", {**KERNEL, "signo": 11, "si_code": 1, "fault_address": "0x2000"}, {},
         "segv-near-null"),
        ("segv-exec", {**KERNEL, "signo": 11, "si_code": 1, "fault_address": "0x7f0000002000"}, {},
         "segv-exec"),
        ("segv-wild", {**KERNEL, "signo": 11, "si_code": 4}, {}, "segv-protection-key"),
        ("segv-wild", {**KERNEL, "signo": 11, "si_code": 2}, {}, "segv-wild"),
        ("segv-null", {**KERNEL, "signo": 11, "si_code": 1}, {}, "segv-null"),
    ],
)  # fmt: skip
def test_names_of_gsig_2(
    category: str, signal: dict[str, Any], facts: dict[str, Any], now: str
) -> None:
    record = {"signal": signal, "facts": facts}
    assert recompute_category(record, category, "gsig/1") == now
    assert recompute_category(record, category, "gsig/2") == category


def test_the_signal_behind_a_handler_counts() -> None:
    behind = {"signo": 7, "si_code": 1}
    record = {"signal": {**SELF, "signo": 7, "si_code": -6, "behind_handler": behind}}
    assert recompute_category(record, "bus-adrerr", "gsig/1") == "segv-misaligned"
