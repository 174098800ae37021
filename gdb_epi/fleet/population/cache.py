# SPDX-License-Identifier: Apache-2.0
"""The population of a state of the database, kept as a file of columns.

The first question after an ingest reads the whole database (some seconds at a million crashes), the
others map the file. A file that is of another state, damaged or cannot be written is no error.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import time
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from gdb_epi.fleet.population.atomic_write import write_whole
from gdb_epi.fleet.population.population import Attribute, CoreKeys, Memo, Population
from gdb_epi.fleet.population.reading import Execute, through
from gdb_epi.fleet.screen.findings_cache import Shelf
from gdb_epi.fleet.store.paths import cache_folder

if TYPE_CHECKING:
    from sqlalchemy import Engine

VERSION = 3  # of the file; raised with every change of what is in it
MIN_CRASHES = 20_000  # fewer are read as quickly from the database
MAX_FILES = 8  # databases whose population is kept; those written last
MAX_BYTES = 1 << 30  # of all of them
STALE = 3600.0  # seconds after which a draft is one of a process that was killed
HOSTS = "-hosts.json"  # of a population's file: the findings of its hosts
_CHANGES = "SELECT count(id), max(id), min(at) FROM change"
_LOCAL = 30  # bytes of a member's own header in a ZIP file, before its name (APPNOTE 4.3.7)
_ARRAY_HEAD = 4096  # bytes that surely hold the header of an array
_ARRAYS = (
    "day", "host", "signature", "cpu", "bitflip", "lock_inherited", "exposure_day",
    "exposure_host", "exposure_hours",
)  # fmt: skip


def cached(engine: Engine) -> Population:
    """Return the population, from the cache where that is of this state of the database."""
    from gdb_epi.fleet.population.read import read

    with engine.connect() as connection:
        url = engine.url.render_as_string(hide_password=True)
        file = engine.url.database if engine.url.get_backend_name() == "sqlite" else None
        is_kept = file is None or (file and file != ":memory:")
        state = state_of(through(connection), file or url) if is_kept else None
        found = in_cache(state) if state is not None else None
        if found is not None:
            return found
        population = read(connection)._replace(memo=Memo())
    # The state was taken before: what came in between makes the file look older than it is.
    if state is not None and population.day.size >= MIN_CRASHES:
        _save(_file(state), state, population)
        return _with_shelf(state, population)
    return population


def state_of(execute: Execute, name: str) -> dict[str, Any] | None:
    """Return what names a state of the database of a URL or an SQLite file; None: not known."""
    count, last, first = next(iter(execute(_CHANGES, {})))
    if not count:
        return None  # no change was ever noted
    state = {"version": VERSION, "name": name, "changes": [count, last], "first": first}
    if "://" not in name:
        path = Path(name).absolute()
        try:
            status = path.stat()
        except OSError:
            return None
        # Another file may come under the same name.
        state |= {"name": str(path), "file": [status.st_dev, status.st_ino]}
    return state


def in_cache(state: Mapping[str, Any]) -> Population | None:
    """Return the population of a state of a database, None where the cache does not have it."""
    return _load(_file(state), state)


def _file(state: Mapping[str, Any]) -> Path:
    name = hashlib.sha256(str(state["name"]).encode()).hexdigest()[:16]
    return cache_folder() / f"population-{name}.npz"


def _with_shelf(state: Mapping[str, Any], population: Population) -> Population:
    """The population, whose findings of hosts are kept beside it."""
    if population.memo is not None:
        path = _file(state)
        population.memo.shelf = Shelf(path.with_name(f"{path.stem}{HOSTS}"), state, population)
    return population


def _load(path: Path, state: Mapping[str, Any]) -> Population | None:
    try:
        file = _members(path)
        head = json.loads(bytes(file["head"]))
        if head["state"] != state:
            return None
        parts = {
            kind: tuple(
                Attribute(name, values, _wide(file[f"{kind}{i}c"]), _wide(file[f"{kind}{i}e"]))
                for i, (name, values) in enumerate(head[kind])
            )
            for kind in ("attributes", "facts")
        }
        arrays = {name: _wide(file[name]) for name in _ARRAYS}
        keys = CoreKeys(file["core_keys"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        return None
    names = {name: head[name] for name in ("hosts", "signatures")}
    found = Population(core_keys=keys, **names, **arrays, **parts, memo=Memo())  # type: ignore[arg-type]
    return _with_shelf(state, found)


def _members(path: Path) -> dict[str, Any]:
    """The arrays of an .npz file as they lie in it, not copied: most questions need few of them.

    numpy itself maps none of them, and reading all takes as long as many a question.
    """
    found = {}
    with path.open("rb") as stream, ZipFile(stream) as archive:
        data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        for member in archive.infolist():
            if member.compress_type != ZIP_STORED:
                raise ValueError(f"{member.filename} is compressed")
            own = member.header_offset
            name, extra = (int.from_bytes(data[own + i : own + i + 2], "little") for i in (26, 28))
            start = own + _LOCAL + name + extra
            text = BytesIO(data[start : start + _ARRAY_HEAD])
            np.lib.format.read_magic(text)
            shape, _, kind = np.lib.format.read_array_header_1_0(text)
            where = start + text.tell()
            count = int(np.prod(shape))
            array = np.frombuffer(data, dtype=kind, count=count, offset=where)
            found[member.filename.removesuffix(".npy")] = array
    return found


def _save(path: Path, state: Mapping[str, Any], population: Population) -> None:
    head: dict[str, Any] = {"state": state}
    arrays: dict[str, Any] = {name: _narrow(getattr(population, name)) for name in _ARRAYS}
    for kind in ("attributes", "facts"):
        some: tuple[Attribute, ...] = getattr(population, kind)
        head[kind] = [[a.name, a.values] for a in some]
        for i, attribute in enumerate(some):
            arrays[f"{kind}{i}c"] = _narrow(attribute.crash)
            arrays[f"{kind}{i}e"] = _narrow(attribute.exposure)
    head |= {"hosts": population.hosts, "signatures": population.signatures}
    arrays["core_keys"] = population.core_keys.packed
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
    if write_whole(path, lambda stream: np.savez(stream, **arrays)):
        _prune(path.parent)


def _prune(folder: Path) -> None:
    """Keep the files that were written last, up to MAX_FILES and MAX_BYTES, and no old drafts."""
    kept = size = 0
    found = [(path.stat().st_mtime, path) for path in folder.glob("population-*.*")]
    for written, path in sorted(found, reverse=True):
        if path.suffix == ".npz":
            kept, size = kept + 1, size + path.stat().st_size
            old = kept > 1 and (kept > MAX_FILES or size > MAX_BYTES)
        else:  # a draft, or the findings of hosts, which are found again
            old = written < time.time() - STALE
        if old:
            with suppress(OSError):
                path.unlink()


def _narrow(array: Any) -> Any:
    """Codes in the smallest type that holds them: the file is a quarter of the size."""
    if array.dtype != np.int64 or not array.size:
        return array
    low, high = int(array.min()), int(array.max())
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return array.astype(kind)
    return array


def _wide(array: Any) -> Any:
    return array.astype(np.int64) if array.dtype.kind == "i" else array.copy()
