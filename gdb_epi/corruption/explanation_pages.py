# SPDX-License-Identifier: Apache-2.0
"""The page of each item and word of corruption, in the three sections that findings have.

Items without a page of their own get one from the weights' table and the check that yields them.
"""

from __future__ import annotations

import os

from gdb_epi.corruption.registry import CHECKS, INNOCENT_CAUSES
from gdb_epi.corruption.score import ItemWeight, load_weights
from gdb_epi.detectors.finding_pages import SECTIONS
from gdb_epi.errors import NOT_AVAILABLE, Absent

MAX_PAGE = 1 << 20
GROUPS = {
    "R": "a redundant copy: two places hold one fact and disagree",
    "C": "control flow: where execution went, against where it could have gone",
    "P": "the pointer's value: one bit away it would have worked",
    "D": "a pointer that was read through: one bit away it would have named an object",
    "M": "several bits: a shape that software does not leave",
    "N": "what a process shows, and what speaks for no cause",
    "S": "an innocent sign: an ordinary bug makes this picture",
}
# What the first word of an origin in weights.json means.
ORIGINS = {
    "fitted": "counted in labelled cores: tests/corruption/fit.py",
    "by argument": "reasoned from what memory holds, not counted",
    "proposed": "set beforehand and not fitted since",
    "guess": "nobody has measured it",
}
_NEXT = (
    "`epi corruption` shows what was compared with what. One core alone never says hardware: look "
    "for the same bit, byte lane, page offset or CPU in other crashes of the host (`epi seen`)."
)


def read_corruption_page(name: str) -> str | Absent:
    """Return the text about an item of weights.json or a word of the score (Markdown).

    Absent when there is none of that name.
    """
    weight = next(
        (entry for key, entry in load_weights().items.items() if key.lower() == name.lower()), None
    )
    pages = {page.lower(): page for page in list_written_pages()}
    whole = (weight.id.replace(":", "_") if weight is not None else name.replace("-", "_")).lower()
    stem = whole if whole in pages or weight is None else weight.id.partition(":")[0].lower()
    if stem in pages:
        import pkgutil

        markdown = pkgutil.get_data(__package__, f"docs/{pages[stem]}.md")
        text = (markdown or b"")[:MAX_PAGE].decode("utf-8")
        return text if weight is None else f"{text}\n{describe_weight(weight)}\n"
    if weight is None:
        return Absent(NOT_AVAILABLE, f"there is no page about {name!r}")
    return _generated_page(weight)


def list_written_pages() -> list[str]:
    """Return the names of the written pages, sorted; empty inside a zip archive."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "docs")
    try:
        return sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".md"))
    except OSError:
        return []


def items_with_pages() -> list[str]:
    """Return the items that have a page: all of the weights' table."""
    return list(load_weights().items)


def describe_weight(weight: ItemWeight) -> str:
    """Return an item's weight, what it is a weight of, and where the number comes from."""
    kind = weight.origin.partition(":")[0]
    means = next((meaning for start, meaning in ORIGINS.items() if kind.startswith(start)), "")
    origin = f"{weight.origin}. ({means})" if means else f"{weight.origin}."
    return (
        f"Weight: {weight.llr:+g}: log10 of how much likelier damage makes this than software does;"
        f" of group {weight.group} only the best item counts.\n"
        f"Where the weight comes from: {origin}"
    )


def _generated_page(weight: ItemWeight) -> str:
    """Make a page of what the table and the check's own words say."""
    import gdb_epi.corruption.checks
    from gdb_epi.loader import import_all_modules

    import_all_modules(gdb_epi.corruption.checks)
    group = GROUPS.get(weight.group, f"group {weight.group}")
    base = weight.id.partition(":")[0]
    check = CHECKS.get(weight.id) or CHECKS.get(base) or CHECKS.get(weight.id.rstrip("0123456789"))
    documented = "" if check is None else " ".join((check.run.__doc__ or "").split())
    saw, _, innocent = documented.partition(INNOCENT_CAUSES)
    innocent = innocent or "see the origin of the weight below."
    title = weight.origin.partition(": ")[2] or weight.origin
    return "\n".join(
        [
            f"# {weight.id}: {title}",
            "",
            SECTIONS[0],
            "",
            f"{group[0].upper()}{group[1:]}. {saw}".strip(),
            "",
            SECTIONS[1],
            "",
            innocent[0].upper() + innocent[1:],
            "",
            SECTIONS[2],
            "",
            _NEXT,
            "",
            describe_weight(weight),
            "",
        ]
    )
