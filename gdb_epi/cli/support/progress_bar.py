# SPDX-License-Identifier: Apache-2.0
"""A progress bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
import time

WIDTH = 30
EVERY = 0.1  # seconds between two drawings


class ProgressBar:
    """Draws `[####    ] 12/40 3 bad, 4.1 a second, 7 s left` on standard error, on a terminal."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._next = 0.0
        self._began = time.monotonic()
        self._shown = sys.stderr is not None and sys.stderr.isatty() and total > 1

    def show(self, done: int, bad: int) -> None:
        """Draw the state, but not more often than a reader can see."""
        now = time.monotonic()
        if not self._shown or (now < self._next and done < self._total):
            return
        self._next = now + EVERY
        filled = WIDTH * done // self._total
        bar = "#" * filled + " " * (WIDTH - filled)
        trouble = f" {bad} bad" if bad else ""
        rate = done / max(now - self._began, EVERY)
        left = duration_text((self._total - done) / rate) if done else "?"
        line = f"[{bar}] {done}/{self._total}{trouble}, {rate:.1f} a second, {left} left"
        print(f"\r{line}\x1b[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the bar away."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def duration_text(seconds: float) -> str:
    """Return "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
