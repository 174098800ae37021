# SPDX-License-Identifier: Apache-2.0
"""The mapped ELF objects, and the distribution packages that they were built into.

The package of an object is in its .note.package: https://systemd.io/ELF_PACKAGE_METADATA (owner
"FDO", type 0xcafe1a7e, a JSON object); Fedora since 36, `ld --package-metadata` since
binutils 2.39.
"""

from __future__ import annotations

from gdb_epi.errors import UnreadableMemory
from gdb_epi.record.redact import base_name
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.api import Module, Target
from gdb_epi.util import parse_json_object, sha256_hex

MAX_MODULES = 1024
NT_PACKAGE = 0xCAFE1A7E
MAX_NOTES = 8192
MAX_JSON = 2048
MAX_TEXT = 128
KEPT = ("type", "name", "version", "architecture", "os", "osVersion")


@group("libs", order=70)
def libs(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return the mapped objects by file name and build-id, one hash of them all, and packages."""
    target = parts.state.target
    modules = [
        {"soname": base_name(module.path), "build_id": module.build_id}
        for module in target.modules()
    ]
    lines = sorted({f"{module['soname']} {module['build_id'] or '-'}" for module in modules})
    digest = sha256_hex("\n".join(lines).encode("utf-8", "backslashreplace"))
    fields: Json = {"modules": modules[:MAX_MODULES], "libset": digest[:16] if modules else None}
    packages: Json = {}
    for module in target.modules()[:MAX_MODULES]:
        note = package_note(target, module)
        if note is not None:
            packages.setdefault(base_name(module.path), note)
    return {**fields, "packages": packages} if packages else fields


def package_note(target: Target, module: Module) -> dict[str, str] | None:
    """Return name, version and so on of a mapped object's package; None without a note."""
    try:
        image = elf.base_and_headers(target.read(module.start, PAGE), module.start)
        if image is None:
            return None
        base, segments = image
        for segment in segments:
            if segment.type != elf.PT_NOTE:
                continue
            raw = target.read(base + segment.vaddr, min(segment.filesz, MAX_NOTES))
            if b"FDO" not in raw:
                continue
            fdo = (
                note
                for note in elf.read_notes(raw)
                if note.name == b"FDO" and note.type == NT_PACKAGE
            )
            note = next(fdo, None)
            package = None if note is None else _decode_package_note(note.desc)
            if package:
                return package
    except UnreadableMemory:
        return None
    return None


def _decode_package_note(desc: bytes) -> dict[str, str] | None:
    package = parse_json_object(desc[:MAX_JSON].split(b"\0", 1)[0]) or {}
    texts = {key: package[key] for key in KEPT if isinstance(package.get(key), str)}
    return {key: text[:MAX_TEXT] for key, text in texts.items()} or None
