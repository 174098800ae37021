# SPDX-License-Identifier: Apache-2.0
"""Paths of pathlib."""

from __future__ import annotations

from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr


@decodes_repr(
    ("pathlib", "PurePath.__repr__"),
    ("pathlib._local", "PurePath.__repr__"),
    ("pathlib", "PathBase.__repr__"),
)
def path(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what PurePath.__repr__ does, for POSIX paths."""
    held = {}
    for name in ("_str", "_raw_paths", "_drv", "_root", "_parts"):
        try:
            held[name] = decoder.attribute(obj.address, name)
        except Undecodable:
            continue
    if any("Windows" in t.name for t in obj.lineage.types):
        if "_str" not in held:
            raise Undecodable("a Windows path that was never shown")
        text = decoder.string(held["_str"]).replace("\\", "/")
        return f"{obj.type.name}({text!r})"
    if "_str" in held:
        return f"{obj.type.name}({decoder.repr_of(held['_str'])})"
    text = (
        _path_of_raw_paths(decoder, held["_raw_paths"])
        if "_raw_paths" in held
        else _path_of_parts(decoder, held)
    )
    return f"{obj.type.name}({text!r})"


def _list_strings(decoder: ReprDecoder, address: int) -> list[str]:
    if decoder.ident(address) != "list":
        raise Undecodable("path parts that are no list")
    start, count = decoder.array_range(address, "list")
    if count > decoder.limits.width:
        raise Undecodable(f"a path of {count} parts")
    return [
        decoder.string(part) for part in decoder.read_object_pointers(start, count, "path parts")
    ]


def _path_of_parts(decoder: ReprDecoder, held: dict[str, int]) -> str:
    # Up to 3.11: _parts holds drive and root as its first item, when there are any.
    if not {"_drv", "_root", "_parts"} <= held.keys():
        raise Undecodable("a path without parts")
    anchor = decoder.string(held["_drv"]) + decoder.string(held["_root"])
    parts = _list_strings(decoder, held["_parts"])
    return (anchor + "/".join(parts[1:]) if anchor else "/".join(parts)) or "."


def _path_of_raw_paths(decoder: ReprDecoder, address: int) -> str:
    """Return the text of a path that was not parsed yet (3.12+), as posixpath.join makes it."""
    joined = ""
    for part in _list_strings(decoder, address):
        joined = part if part.startswith("/") or not joined else f"{joined.rstrip('/')}/{part}"
        joined = joined or part
    slashes = len(joined) - len(joined.lstrip("/"))
    root = "//" if slashes == 2 else "/" if slashes else ""
    return root + "/".join(p for p in joined.split("/") if p not in ("", ".")) or "."


@decodes_repr(("pathlib", "_PathParents.__repr__"), ("pathlib._local", "_PathParents.__repr__"))
def path_parents(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what the parents of a path show: the class of their path."""
    for name in ("_pathcls", "_path"):
        try:
            held = decoder.attribute(obj.address, name)
        except Undecodable:
            continue
        is_class = decoder.ident(held) == "type"
        kind = decoder.types.type_at(held) if is_class else decoder.obj(held).type
        return f"<{kind.name}.parents>"
    raise Undecodable("it has no path")
