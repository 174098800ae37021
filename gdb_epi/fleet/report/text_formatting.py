# SPDX-License-Identifier: Apache-2.0
"""Format the texts of the page: escape hostile names, write numbers and days."""

from __future__ import annotations

import math
from typing import Any
from unicodedata import east_asian_width

from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.judgement.labels import FORK_INHERITED_LOCK, SOFTWARE
from gdb_epi.render.escape import escape

_LABELS_IN_WORDS = {SOFTWARE: "software bug", FORK_INHERITED_LOCK: "lock held at fork()"}
MAX_TEXT = 240  # characters of one shown text; a name of 100 kB is nobody's name


def harmless_text(value: Any, limit: int = MAX_TEXT) -> str:
    """Return a text that neither controls nor bidirectional marks can bend, cut to `limit`."""
    text = value if isinstance(value, str) else str(value)
    cut = text[: limit + 1]
    shown = escape(cut)
    return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"


def cut_to_width(value: str, pixels: float) -> str:
    """Return a text of 11 px cut to what fits, by the widths of a broad sans-serif font."""
    text, used = harmless_text(value), 0.0
    for place, character in enumerate(text):
        used += _character_pixels(character)
        if used > pixels:
            return f"{text[: max(place - 1, 0)]}…"
    return text


def _character_pixels(character: str) -> float:
    """Pixels of a character at 11 px, rather too many than too few."""
    if east_asian_width(character) in "WF":
        return 13
    if character in "mwMW@%":
        return 11
    return 8.5 if character.isupper() or character in "_+=<>~#" else 7


def label_in_words(label: str) -> str:
    """Return what a reader calls the verdict of a core."""
    return _LABELS_IN_WORDS.get(label, label.replace("-", " "))


def number_text(value: float | None) -> str:
    """Return a count or a measure as people read it."""
    if value is None or not math.isfinite(value):
        return "–" if value is None else "unbounded"
    if float(value).is_integer() and abs(value) < 1e12:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def probability_text(value: float | None) -> str:
    """Return a p or q value; below what floats hold it is said to be tiny."""
    if value is None:
        return "–"
    if value < 1e-300:
        return "< 1e-300"
    return f"{value:.2g}" if value >= 0.001 else f"{value:.0e}".replace("e-0", "e-")


def percent_text(part: float, whole: float) -> str:
    """Return a share in percent, a dash of nothing."""
    if not whole:
        return "–"
    share = 100 * part / whole
    return f"{share:.0f} %" if share >= 10 or share == 0 else f"{share:.1f} %"


def day_text(day: int | None) -> str:
    """Return a day number as YYYY-MM-DD; days outside of the calendar as they are."""
    if day is None:
        return "–"
    try:
        return iso_day(day)
    except OverflowError:
        return f"day {day}"
