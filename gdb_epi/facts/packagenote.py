# SPDX-License-Identifier: Apache-2.0
"""The package that an ELF object was built into, from its .note.package.

Format: https://systemd.io/ELF_PACKAGE_METADATA (owner "FDO", type 0xcafe1a7e, a JSON object);
Fedora since 36, `ld --package-metadata` since binutils 2.39.
"""

from __future__ import annotations

from gdb_epi.errors import UnreadableMemory
from gdb_epi.lean import Any
from gdb_epi.target import elf
from gdb_epi.target.api import Module, Target
from gdb_epi.target.elf import parse_image

NT_PACKAGE = 0xCAFE1A7E
PAGE = 4096
MAX_NOTES = 8192
MAX_JSON = 2048
MAX_TEXT = 128
KEPT = ("type", "name", "version", "architecture", "os", "osVersion")


def package_note(target: Target, module: Module) -> dict[str, str] | None:
    """Return name, version and so on of a mapped object's package; None without a note."""
    try:
        image = parse_image(target.read(module.start, PAGE), module.start)
        if image is None:
            return None
        base, segments = image
        for segment in segments:
            if segment.type == elf.PT_NOTE:
                found = _in_notes(target.read(base + segment.vaddr, min(segment.filesz, MAX_NOTES)))
                if found:
                    return found
    except UnreadableMemory:
        return None
    return None


def _in_notes(raw: bytes) -> dict[str, str] | None:
    for note in elf.notes(raw):
        if note.name == b"FDO" and note.type == NT_PACKAGE:
            return _decode(note.desc)
    return None


def _decode(desc: bytes) -> dict[str, str] | None:
    import json

    text = desc[:MAX_JSON].split(b"\0", 1)[0]
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    kept = {key: found[key] for key in KEPT if isinstance(found.get(key), str)}
    return {key: value[:MAX_TEXT] for key, value in kept.items()} or None
