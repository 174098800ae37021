# SPDX-License-Identifier: Apache-2.0
"""What filled the memory, in words: two or three lines of a triage, or the whole of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.errors import EXIT_DONE, EXIT_UNUSABLE_INPUT, Absent
from gdb_epi.record.record_parts import get_group, get_groups, get_number
from gdb_epi.typing_lite import TYPE_CHECKING, Any
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.process_state import ProcessState
    from gdb_epi.report import Report

Json = Mapping[str, Any]

MUCH = 0.5  # of the memory: what is said first
TOLD = 0.1  # of it: worth a line
LITTLE = 64e6  # bytes; an interpreter alone has 10 to 30 MB
MAX_TYPES = 2  # of a sentence


def size_in_words(size: float) -> str:
    """Return 294 MB for 294,000,000."""
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            number = size / unit
            return f"{number:.0f} {name}" if number >= 10 else f"{number:.1f} {name}"
    return f"{size:.0f} bytes"


def memory_lines(record: Json) -> list[str]:
    """Return what filled the memory in two or three sentences; none where it was not looked at."""
    use = get_group(record, "memory_use")
    total = get_number(use, "anonymous")
    if not total:
        return []
    of_all = f"of the {size_in_words(total)} in use"
    if get_number(use, "shared") > total * MUCH:
        of_all += f", beside {size_in_words(get_number(use, 'shared'))} that it shares"
    python, small = get_group(use, "python"), get_group(use, "small_blocks")
    reached, in_blocks = get_number(python, "reached"), get_number(small, "bytes")
    types = get_groups(python, "types")
    if not python:
        return [f"{size_in_words(total)} of memory; whose it is cannot be told without Python"]
    if total < LITTLE:
        all_of_it = f"{size_in_words(total)} in all, which is little"
        return [f"{all_of_it}: look for one very large request, or a low limit"]
    if reached >= MUCH * total:
        kinds = _main_types_words(types, reached)
        lines = [f"{size_in_words(reached)} {of_all} are objects of Python: {kinds}"]
        holders = [h for h in get_groups(use, "holders") if get_number(h, "bytes") > TOLD * total]
        return lines + [memory_holder_words(holder) for holder in holders[:2]]
    if in_blocks >= MUCH * total:
        kinds = _main_types_words(get_groups(small, "types"), in_blocks)
        lines = [f"{size_in_words(in_blocks)} {of_all} are objects of Python: {kinds}"]
        return [*lines, "no variable leads to most of it: look for cycles that gc has not freed"]
    objects = max(reached, in_blocks)
    lines = [f"only {size_in_words(objects)} {of_all} are objects of Python that were found"]
    blocks = get_group(use, "unowned_blocks")
    if get_number(blocks, "bytes") > TOLD * total:
        number = counted(int(get_number(blocks, "number")), "large block")
        lines.append(
            f"{number} of malloc, {size_in_words(get_number(blocks, 'bytes'))}, are in no object "
            "that was found: memory of C code"
        )
    else:
        lines.append("the rest is memory of C code, or was given back to malloc")
    return lines


def _main_types_words(types: Sequence[Json], total: float) -> str:
    """Return "28 objects of type bytearray (294 MB)" for what makes up most of some bytes."""
    shown = list(types[:1])
    shown += [kind for kind in types[1:MAX_TYPES] if get_number(kind, "bytes") > TOLD * total]
    rest = total - sum(get_number(kind, "bytes") for kind in shown)
    words = [_objects_of_type_words(kind) for kind in shown]
    if rest > TOLD * total:
        words.append(f"{size_in_words(rest)} of others")
    return ", ".join(words)


def _objects_of_type_words(kind: Json) -> str:
    number = int(get_number(kind, "number"))
    size = size_in_words(get_number(kind, "bytes"))
    return f"{_rounded_estimate(number)} objects of type {kind.get('type')} ({size})"


def _rounded_estimate(number: int) -> str:
    """Return a number with as many digits as an estimate has, and that it is one."""
    digits = max(0, len(str(number)) - 3)
    shown = round(number, -digits)
    return f"{'about ' if shown != number else ''}{shown:,}"


def memory_holder_words(holder: Json) -> str:
    """Return what a variable holds."""
    length, items = holder.get("length"), holder.get("items")
    what = str(holder.get("type"))
    if isinstance(length, int):
        what += f" with {_rounded_estimate(length)} items" + (f" of type {items}" if items else "")
    return (
        f"{size_in_words(get_number(holder, 'bytes'))} in `{_quoted_holder_name(holder)}: a {what}"
    )


def _quoted_holder_name(holder: Json) -> str:
    """Return `name` of module x, with the backquote that the sentence began."""
    where = str(holder.get("where"))
    for between in (", a local of ", " of module "):
        name, separator, rest = where.partition(between)
        if separator:
            return f"{name}`{between}{rest}"
    return f"{where}`"


def distinct_types_with_notes(use: Json) -> list[tuple[Json, str]]:
    """Return each type once, the largest first, and where more bytes of it were found.

    Most objects are seen from variables and in small blocks: a reader would add them up.
    """
    rows: dict[str, tuple[Json, str]] = {}
    for group, found in (("python", "from variables"), ("small_blocks", "in small blocks")):
        for kind in get_groups(get_group(use, group), "types"):
            other = rows.get(str(kind.get("type")))
            if other is None or get_number(kind, "bytes") > get_number(other[0], "bytes"):
                rows[str(kind.get("type"))] = kind, found
    return sorted(rows.values(), key=lambda row: -get_number(row[0], "bytes"))


def mapped_memory_words(use: Json) -> str:
    """Return how much was mapped, with what limits that."""
    return f"mapped: {size_in_words(get_number(use, 'mapped'))} (ulimit -v counts that)"


def memory_report(state: ProcessState) -> Report:
    """Return all that was found, for `epi memory` and `gdb-epi memory`."""
    from gdb_epi.record.groups.memory_use import read_memory_use
    from gdb_epi.report import Report

    use, errors = read_memory_use(state)
    lines = []
    if use["anonymous"] >= LITTLE:
        lines += [*memory_lines({"memory_use": use}), ""]
    lines.append(
        f"{mapped_memory_words(use)}, of it "
        f"{size_in_words(use['anonymous'])} private memory (the largest mapping "
        f"{size_in_words(use['largest_mapping'])}), {size_in_words(use['of_files'])} files, "
        f"{size_in_words(use['shared'])} shared"
    )
    if isinstance(state.python, Absent):
        lines.append(f"What fills it is not known: Python was not decoded: {state.python.detail}")
    python = get_group(use, "python")
    if python:
        about = "about " if python.get("estimated") else ""
        least = "" if python.get("whole") else ", and more: there was no time for all"
        lines.append(f"variables lead to {about}{size_in_words(python['reached'])}{least}")
        holders = [memory_holder_words(holder) for holder in get_groups(use, "holders")]
        lines += [f"  {words}" for words in holders if words not in lines]
        small = get_group(use, "small_blocks")
        in_blocks = get_number(small, "bytes")
        about = f"about {size_in_words(in_blocks)}" if in_blocks else "none in the sample"
        lines.append(f"Python's small blocks in use, in variables or not: {about}")
        blocks = get_group(use, "unowned_blocks")
        lines.append(
            f"large blocks of malloc that no object was seen to hold: {blocks.get('number')}, "
            f"{size_in_words(get_number(blocks, 'bytes'))}"
        )
    rows = [
        (
            kind.get("type"),
            f"{get_number(kind, 'number'):,.0f}",
            size_in_words(get_number(kind, "bytes")),
            found,
        )
        for kind, found in distinct_types_with_notes(use)
    ]
    return Report(
        "memory",
        lines=lines,
        columns=("type", "number", "bytes", "where seen"),
        rows=rows,
        data=use,
        soft_errors=errors,
        exit_code=EXIT_UNUSABLE_INPUT if isinstance(state.python, Absent) else EXIT_DONE,
    )
