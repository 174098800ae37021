# SPDX-License-Identifier: Apache-2.0
"""The population of a state of the database, kept as a folder of columns (.npy files).

The first question after an ingest reads the whole database (some seconds for a million crashes),
the others load the columns. A folder that is damaged or cannot be written is no error.

Those of a lake that an export prepared lie in the lake itself.

A folder is named after the database and its state, has all of its columns when it gets that name,
and keeps them: whoever reads it while another process writes never sees columns of two states.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gdb_epi.fleet.lake.manifest import PREPARED, Manifest
from gdb_epi.fleet.paths import cache_folder
from gdb_epi.fleet.population.population import (
    Attribute,
    ComputedOnceCache,
    CoreKeys,
    Population,
    PopulationCacheEntry,
)
from gdb_epi.fleet.statistics.arrays import absent_column, narrow_codes
from gdb_epi.fleet.store.plain_sql import Execute, sqlalchemy_executor
from gdb_epi.private_files import make_private_folder

if TYPE_CHECKING:
    from sqlalchemy import Engine

VERSION = 17  # of the folder; raised with every change of what is in it
MIN_CRASHES = 20_000  # fewer are read as quickly from the database
MAX_FOLDERS = 8  # databases whose population is kept; those written last
MAX_BYTES = 1 << 30  # of all of them
STALE = 3600.0  # seconds after which a draft is one of a process that was killed
LAKE_STATE = "lake_state"  # in the info of a connection: the state that its views show
HEAD = "head.json"  # the state, and all texts
DRAFT = ".part"  # suffix of a folder that is being written
_KEPT_NARROW = ("host", "signature", "cpu", "exposure_host")
_COLUMNS = (
    "day", "second", "bitflip", "lock_inherited", "in_feed", "exposure_day", "exposure_hours",
)  # fmt: skip
_SIDES = ("crash", "exposure")
_REPORTED = "reported"  # the third column of an attribute, where it has one
_DAMAGED = (OSError, ValueError, KeyError, TypeError, EOFError)  # or another state
_CHANGES = "SELECT count(id), max(id), min(change.at) FROM change"


def load_population_without_attributes(engine: Engine) -> Population:
    """Return the population for who asks for times, hosts, signatures and hours alone.

    Of ten million crashes these are 0.3 GB, with all attributes 1.3 GB.
    """
    return load_population(engine, with_attributes=False)


def load_population(
    engine: Engine,
    until: int | None = None,
    *,
    with_attributes: bool = True,
    into_lake: bool = False,
) -> Population:
    """Return the population, of a day (since 1970-01-01) as it was at its end.

    It is read once for each state of the database and kept in the cache folder, or in its lake
    (`into_lake`).
    """
    from gdb_epi.fleet.population.read_population import read_population

    with engine.connect() as connection:
        url = engine.url.render_as_string(hide_password=True)
        file = engine.url.database if engine.url.get_backend_name() == "sqlite" else None
        state: Mapping[str, Any] | None = connection.info.get(LAKE_STATE)
        parents = [cache_folder()]
        if state is not None:
            prepared = Path(engine.url.database or "", PREPARED)
            parents = [prepared] if into_lake else [prepared, *parents]
        # Taken before it is read: what comes in between makes the folder look older than it is.
        elif file is None or (file and file != ":memory:"):
            state = state_identity_of_database(sqlalchemy_executor(connection), file or url)
        folders = [] if state is None else [population_folder(state, p) for p in parents]
        mapped = cached_population if with_attributes else _cached_population_without_attributes
        populations = (mapped(folder, state) for folder in folders if state is not None)
        population = next((p for p in populations if p is not None), None)
        if population is None:
            population = narrow_columns(read_population(connection))._replace(
                memo=ComputedOnceCache()
            )
            if state is not None and population.day.size >= MIN_CRASHES:
                folder = folders[-1]
                _save_population(folder, state, population)
                # Mapped as for the next question: what is not looked at is in no memory.
                again = cached_population(folder, state)
                if again is None:
                    _remember_entry(folder, population)
                else:
                    population = again
    return population if until is None else population.until_day(until)


def state_identity_of_lake(manifest: Manifest) -> dict[str, Any]:
    """Return what names the state of a lake, wherever it lies: its list of files."""
    files = json.dumps(manifest._asdict(), sort_keys=True)
    digest = hashlib.sha256(files.encode()).hexdigest()
    return {"version": VERSION, "name": f"a lake of {manifest.database}", "files": digest}


def state_identity_of_database(execute: Execute, name: str) -> dict[str, Any] | None:
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


def population_folder(state: Mapping[str, Any], parent: Path) -> Path:
    """Return the folder of the population of a state, in that of all of them."""
    name, whole = (
        hashlib.sha256(text.encode()).hexdigest()[:16]
        for text in (str(state["name"]), json.dumps(state, sort_keys=True))
    )
    return parent / f"population-{name}-{whole}"


def cached_population(folder: Path, state: Mapping[str, Any]) -> Population | None:
    """Return the population of a state of a database, None where its folder does not have it."""
    try:
        head = _read_head(folder, state)
        columns = {name: _map_column(folder, name) for name in (*_COLUMNS, *_KEPT_NARROW)}
        attributes, facts = (
            tuple(
                Attribute(*texts, *(_map_column(folder, f"{kind}-{i}-{side}") for side in sides))
                for i, (*texts, sides) in enumerate(head[kind])
            )
            for kind in ("attributes", "facts")
        )
        population = Population(
            core_keys=CoreKeys(_map_column(folder, "core_keys")),
            hosts=head["hosts"],
            signatures=head["signatures"],
            attributes=attributes,
            facts=facts,
            memo=ComputedOnceCache(),
            quality=head["quality"],
            **columns,
        )
        sizes = {column.size for column in (population.host, *(a.crash for a in attributes))}
        if sizes != {len(population.core_keys)}:
            return None
    except _DAMAGED:
        return None
    _remember_entry(folder, population)
    return population


def _cached_population_without_attributes(
    folder: Path, state: Mapping[str, Any]
) -> Population | None:
    """Return what `cached_population` does, without flags and attributes."""
    try:
        head = _read_head(folder, state)
        names = ("core_keys", "day", "second", "host", "signature", "in_feed")
        keys, day, second, host, signature, in_feed = (_map_column(folder, name) for name in names)
        no = np.broadcast_to(np.bool_(False), day.shape)
        hours = {
            f"exposure_{x}": _map_column(folder, f"exposure_{x}") for x in ("day", "host", "hours")
        }
        return Population(
            core_keys=CoreKeys(keys), day=day, second=second, host=host, signature=signature,
            in_feed=in_feed, cpu=absent_column(day.size), bitflip=no, lock_inherited=no,
            hosts=head["hosts"], signatures=head["signatures"], attributes=(),
            memo=ComputedOnceCache(), quality=head["quality"], **hours,
        )  # fmt: skip
    except _DAMAGED:
        return None


def _read_head(folder: Path, state: Mapping[str, Any]) -> dict[str, Any]:
    head: dict[str, Any] = json.loads((folder / HEAD).read_bytes())
    if head["state"] != state:
        raise ValueError("another state")
    return head


def drop_cached_populations(*, apply: bool) -> int:
    """Return how many folders of columns the cache has, of any database; delete them on `apply`.

    All of them: they are made again, and a database may have been opened under several names.
    """
    folders = [path for path in cache_folder().glob("population-*") if path.is_dir()]
    if apply:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    return len(folders)


def _remember_entry(folder: Path, population: Population) -> None:
    if population.memo is not None:
        population.memo.cache_entry = PopulationCacheEntry(folder, population)


def _save_population(folder: Path, state: Mapping[str, Any], population: Population) -> None:
    """Write all columns into a draft and rename it; a full disk leaves nothing behind."""
    arrays = {name: getattr(population, name) for name in (*_COLUMNS, *_KEPT_NARROW)}
    arrays |= {"core_keys": population.core_keys.packed, "in_feed": population.has_host_hours}
    for kind, some in (("attributes", population.attributes), ("facts", population.facts)):
        for i, attribute in enumerate(some):
            for side in _column_names_of(attribute):
                arrays[f"{kind}-{i}-{side}"] = getattr(attribute, side)
    head = {
        "state": state,
        "hosts": population.hosts,
        "signatures": population.signatures,
        "attributes": [[a.name, a.values, _column_names_of(a)] for a in population.attributes],
        "facts": [[a.name, a.values, _column_names_of(a)] for a in population.facts],
        "quality": dict(population.quality),
    }
    draft = None
    try:
        make_private_folder(folder.parent)
        draft = Path(tempfile.mkdtemp(prefix="population-", suffix=DRAFT, dir=folder.parent))
        for name, array in arrays.items():
            np.save(draft / f"{name}.npy", array)
        (draft / HEAD).write_text(json.dumps(head), encoding="ascii")
        shutil.rmtree(folder, ignore_errors=True)  # it is damaged, or would have been loaded
        draft.rename(folder)
        prune_cache(folder)
    except OSError:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


def _column_names_of(attribute: Attribute) -> tuple[str, ...]:
    return _SIDES if attribute.reported is None else (*_SIDES, _REPORTED)


def prune_cache(newest: Path) -> None:
    """Keep what was written last, up to MAX_FOLDERS and MAX_BYTES; no older state, no old draft."""
    database = newest.name.rpartition("-")[0]
    kept = size = 0
    entries = [(path.stat().st_mtime, path) for path in newest.parent.glob("population-*")]
    for written, path in sorted(entries, reverse=True):
        if path.suffix == DRAFT or not path.is_dir():  # a file: of an older gdb-epi
            is_old = written < time.time() - STALE
        elif path != newest and path.name.startswith(database):
            is_old = True
        else:
            kept, size = kept + 1, size + sum(file.stat().st_size for file in path.iterdir())
            is_old = path != newest and (kept > MAX_FOLDERS or size > MAX_BYTES)
        if is_old and path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif is_old:
            with suppress(OSError):
                path.unlink()


def narrow_columns(population: Population) -> Population:
    """Return the population with columns of codes as narrow as they can be: an eighth, mostly."""

    def narrow_sides(attribute: Attribute) -> Attribute:
        reported = None if attribute.reported is None else narrow_codes(attribute.reported)
        return attribute._replace(
            crash=narrow_codes(attribute.crash),
            exposure=narrow_codes(attribute.exposure),
            reported=reported,
        )

    columns: dict[str, Any] = {
        name: narrow_codes(getattr(population, name)) for name in _KEPT_NARROW
    }
    # A difference of days, and a day far back, fit 32 bits.
    columns |= {
        name: narrow_codes(getattr(population, name), np.int32) for name in ("day", "exposure_day")
    }
    # Seconds are subtracted, and never added up: until 2038 they fit 32 bits too.
    if population.second is not None and int(population.second.max(initial=0)) < 1 << 31:
        columns["second"] = population.second.astype(np.int32)
    return population.with_each_attribute_changed(narrow_sides)._replace(**columns)


def _map_column(folder: Path, name: str) -> Any:
    """Map a column, and do not read it: most questions look at some of them."""
    return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r"))
