# SPDX-License-Identifier: Apache-2.0
"""Records whose every text is an attack or a nuisance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

HOSTILE = (
    "<script>alert(1)</script>",
    "'; DROP TABLE crash; --",
    '"><img src=x onerror=alert(1)>',
    "{{ 7*7 }}{% for x in y %}",
    "$\\frac{1}{0}$ ]]> <!-- &amp; &#60;",
    "\u202eevil\u2066\u2069\ufeff\u0000\x1b[31m",
    "</title></style></svg><style>*{display:none}</style>",
    "javascript:alert(1)",
    "n" * 100_000,
    "主機\U0001f525\ud800",
)
EACH = 6  # crashes with each text: enough to be shown everywhere
FIRST = 1_764_000_000.0  # seconds since the epoch


def hostile_records() -> Iterator[dict[str, Any]]:
    """Yield records of crashes; every name, label and sentence in them is hostile."""
    for i, evil in enumerate(HOSTILE):
        for k in range(EACH):
            line = f"gsig/2 stable segv-null {evil} <- main" if k % 2 else evil
            yield _record(i * EACH + k, evil, line)


def _record(number: int, evil: str, line: str) -> dict[str, Any]:
    frames = [
        {"language": "python", "qualname": evil, "filename": evil, "lineno": 1},
        {"language": "native", "function": evil, "module": evil},
    ]
    return {
        "schema": "gdb-epi/record/1",
        "core_key": f"{number:032x}",
        "time": {"crash_ts": FIRST + number * 3600},
        "host": {"hostname": evil, "attributes": {"rack": evil, evil[:40]: evil}},
        "signature": {
            "version": "gsig/2",
            "keys": {"stable": f"{number % 20:016x}"},
            "text": {"stable": line},
        },
        "flags": {"bitflip": True, "lock_inherited": True},
        "verdict": {"label": evil, "word": evil, "reasons": [evil], "against": [evil]},
        "findings": [{"detector": evil, "summary": evil, "facts": {"bit": 3}}],
        "threads": {"crashed": {"frames": frames}},
    }
