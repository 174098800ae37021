# SPDX-License-Identifier: Apache-2.0
"""Findings in words and in JSON."""

from __future__ import annotations

import math
from typing import Any

from gdb_epi.fleet.screen.types import (
    ALL,
    BITFLIP,
    COUNTED,
    CPU,
    CPU_NUMBER,
    DAY_OF_WEEK,
    EVENT,
    LOCK,
    LOOP_OF,
    ONE_SIGNATURE,
    PLAIN,
    TIME_OF_DAY,
    TOGETHER,
    Finding,
)
from gdb_epi.fleet.store.days import iso_day

HARDWARE = (
    "rack", "sku", "cpu_model", "microcode", "firmware", "bios", "dimm", "gpu", "psu", "row",
)  # fmt: skip

SENTENCES = {
    EVENT: "one event: {test}, from {value}",
    LOOP_OF: "a crash loop on host {value}: see what it runs, then the host",
    TIME_OF_DAY: "software or configuration: comes at {value}; see what runs then",
    DAY_OF_WEEK: "software or configuration: comes on {value}; see what runs then",
    CPU_NUMBER: "CPU {value} of many hosts: what is pinned there, or their firmware",
}


def as_json(finding: Finding, day: int) -> dict[str, Any]:
    """Return a finding as one JSON object; infinite limits become null."""
    return {
        "day": day,
        "date": iso_day(day),
        "attr": finding.attr,
        "value": finding.value,
        "signature": finding.signature,
        "n": finding.n,
        "total": finding.total,
        "p": finding.p,
        "q": finding.q,
        "rr": finite(finding.rr),
        "rr_interval": [finite(finding.rr_low), finite(finding.rr_high)],
        "test": finding.test,
        "exposure": finding.exposure,
        "aliases": list(finding.aliases),
        "caveats": list(finding.caveats),
        "verdict": verdict(finding),
    }


def verdict(finding: Finding) -> str:
    """Say what the population speaks for; the numbers beside it are the evidence."""
    what = f"{finding.attr}={finding.value}"
    if finding.attr == "host":
        if finding.signature.startswith(CPU):
            cpu = finding.signature[len(CPU) :]
            return f"hardware-suspect: crashes of one host gather on its CPU {cpu}; test that CPU"
        if finding.signature == LOCK:
            return "one host has inherited locks out of proportion; look at its job, or move it"
        if finding.signature.startswith("*") and ONE_SIGNATURE in finding.caveats:
            return (
                "one host, one signature above all: move its job first; if it stays, test the host"
            )
        if PLAIN in finding.caveats:
            return (
                "one host has more crashes than its share, of the usual kinds; see what it runs, "
                "then test it"
            )
        if finding.signature.startswith("*"):
            flips = ", with bit-flip flags" if finding.signature == BITFLIP else ""
            return (
                f"hardware-suspect: one host has crashes of all kinds{flips}; take it out, test it"
            )
        return (
            "one host has this signature out of proportion; move its job first, then test the host"
        )
    if finding.attr in SENTENCES:
        where = f" ({', '.join(finding.aliases)})" if finding.aliases else ""
        return SENTENCES[finding.attr].format(value=finding.value, test=finding.test) + where
    kind = "hardware or firmware" if finding.attr in HARDWARE else "software or configuration"
    others = f", or {', '.join(finding.aliases)}" if finding.aliases else ""
    return f"{kind}: goes with {what}{others}"


def sentence(finding: Finding) -> str:
    """Return one line with every number that supports the finding."""
    if finding.attr in TOGETHER:
        crashes = crashes_of(finding.signature, finding.test)
        return f"{finding.attr} {finding.value}: {finding.n} {crashes}; {finding.test}"
    share = f"{finding.n} of {finding.total} {crashes_of(finding.signature, finding.test)}"
    return f"{finding.attr}={finding.value}: {share}; {chances(finding)}"


def crashes_of(signature: str, test: str) -> str:
    """Say which crashes a finding counts; its test tells what `*bitflip` of a host stands for."""
    if signature == BITFLIP and test.startswith(COUNTED):
        return "crashes of all kinds, bit flips among them"
    if signature.startswith(CPU):
        return f"crashes of this host, on its CPU {signature[len(CPU) :]}"
    words = {ALL: "of all kinds", BITFLIP: "with the bit-flip flag", LOCK: "with inherited locks"}
    return f"crashes {words.get(signature, f'of {signature}')}"


def chances(finding: Finding) -> str:
    """Return the relative risk of a finding with its interval, p and q."""
    risk = risk_words(finding.rr, finding.rr_low, finding.rr_high)
    return f"{risk}, p {finding.p:.1g}, q {finding.q:.1g}"


def risk_words(rr: float, low: float, high: float) -> str:
    """Return a relative risk with its interval."""
    return f"relative risk {_short(rr)} (95 %: {_short(low)} to {_short(high)})"


def finite(value: float) -> float | None:
    """Return a float that JSON can hold, None for an infinite one or none at all."""
    return value if math.isfinite(value) else None


def _short(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "unbounded"
