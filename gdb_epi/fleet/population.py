# SPDX-License-Identifier: Apache-2.0
"""The population as arrays: crashes and host-hours, ready to be counted.

Texts become small integers once; a question then works on numpy arrays. The code -1 means absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Engine, select

from gdb_epi.fleet import tables as t
from gdb_epi.fleet.exposure import SECONDS_A_DAY

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NO_SIGNATURE = "(no signature)"
ABSENT = -1
MAX_VALUES = 5_000  # of one attribute; beyond that it names single crashes, not groups


class Attribute(NamedTuple):
    """One attribute of every crash and of every row of exposure, as codes into `values`."""

    name: str
    values: list[str]
    crash: Ints
    exposure: Ints


class Population(NamedTuple):
    """Crashes (sorted by day) and exposure; all crash arrays have one length, as all exposure's."""

    core_keys: list[str]
    day: Ints  # days since 1970-01-01
    host: Ints
    signature: Ints
    cpu: Ints
    bitflip: Bools
    lock_inherited: Bools
    hosts: list[str]
    signatures: list[str]
    attributes: tuple[Attribute, ...]
    exposure_day: Ints
    exposure_host: Ints
    exposure_hours: Floats

    @property
    def has_exposure(self) -> bool:
        """Whether host-hours are known."""
        return bool(self.exposure_hours.size and self.exposure_hours.sum() > 0)

    def until(self, day: int) -> Population:
        """Return what was known at the end of a day."""
        return self.chosen(self.day <= day, self.exposure_day <= day)

    def chosen(self, crashes: Bools, exposure: Bools) -> Population:
        """Return the part that two masks select."""
        keys = [self.core_keys[i] for i in np.flatnonzero(crashes)]
        parts = [
            a._replace(crash=a.crash[crashes], exposure=a.exposure[exposure])
            for a in self.attributes
        ]
        return self._replace(
            core_keys=keys,
            day=self.day[crashes],
            host=self.host[crashes],
            signature=self.signature[crashes],
            cpu=self.cpu[crashes],
            bitflip=self.bitflip[crashes],
            lock_inherited=self.lock_inherited[crashes],
            attributes=tuple(parts),
            exposure_day=self.exposure_day[exposure],
            exposure_host=self.exposure_host[exposure],
            exposure_hours=self.exposure_hours[exposure],
        )

    def attribute(self, name: str) -> Attribute | None:
        """Return an attribute by name."""
        return next((a for a in self.attributes if a.name == name), None)


def load(engine: Engine, until: int | None = None) -> Population:
    """Read the population up to and with a day; crashes without time are left out."""
    with engine.connect() as connection:
        return _load(connection, until)


def _load(connection: Connection, until: int | None) -> Population:
    crashes = _crashes(connection, until)
    hours = _exposure(connection, until)
    rows = connection.execute(select(t.host.c.id, t.host.c.name, t.host.c.machine_id))
    named = {number: name or machine for number, name, machine in rows}
    hosts, host_code = _codes(named)
    signatures, signature_code = _codes(_signature_texts(connection))
    found = dict(zip(_CRASH_COLUMNS, _columns(crashes, len(_CRASH_COLUMNS)), strict=True))
    e = _columns(hours, 4)
    return Population(
        core_keys=list(found["core_key"]),
        day=(np.array(found["ts"], dtype=float) // SECONDS_A_DAY).astype(np.int64),
        host=_translate(found["host_id"], host_code),
        signature=_translate(found["sig_id"], signature_code),
        cpu=np.array([ABSENT if c is None else c for c in found["cpu_no"]], dtype=np.int64),
        bitflip=np.array([bool(f) for f in found["bitflip"]], dtype=bool),
        lock_inherited=np.array([bool(f) for f in found["lock_inherited"]], dtype=bool),
        hosts=hosts,
        signatures=signatures,
        attributes=_attributes(connection, found, e[2]),
        exposure_day=np.array(e[1], dtype=np.int64),
        exposure_host=_translate(e[0], host_code),
        exposure_hours=np.array(e[3], dtype=float),
    )


_CRASH_COLUMNS = (
    "core_key", "ts", "host_id", "sig_id", "cpu_no", "bitflip", "lock_inherited", "attrset_id",
    "python", "kernel",
)  # fmt: skip


def _crashes(connection: Connection, until: int | None) -> Sequence[Any]:
    c = t.crash.c
    chosen = select(*(c[name] for name in _CRASH_COLUMNS)).where(c.ts.is_not(None))
    if until is not None:
        chosen = chosen.where(c.ts < (until + 1) * SECONDS_A_DAY)
    return connection.execute(chosen.order_by(c.ts, c.core_key)).all()


def _exposure(connection: Connection, until: int | None) -> Sequence[Any]:
    e = t.exposure.c
    chosen = select(e.host_id, e.day, e.attrset_id, e.hours)
    if until is not None:
        chosen = chosen.where(e.day <= until)
    return connection.execute(chosen.order_by(e.day, e.host_id)).all()


def _signature_texts(connection: Connection) -> dict[int, str]:
    """Name each row of `sig` by its text, else its key: differing `coarse` falls in one."""
    rows = connection.execute(select(t.sig.c.id, t.sig.c.text, t.sig.c.key, t.sig.c.coarse))
    return {number: text or key or coarse or NO_SIGNATURE for number, text, key, coarse in rows}


def _codes(named: Mapping[int, str]) -> tuple[list[str], dict[int, int]]:
    """Return the distinct names in order, and row id -> code."""
    names = sorted(set(named.values()))
    index = {name: code for code, name in enumerate(names)}
    return names, {number: index[name] for number, name in named.items()}


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(width)]


def _translate(ids: Sequence[int | None], code: Mapping[int, int]) -> Ints:
    return np.array([ABSENT if i is None else code[i] for i in ids], dtype=np.int64)


def _attributes(
    connection: Connection, found: Mapping[str, Sequence[Any]], exposure_sets: Sequence[int]
) -> tuple[Attribute, ...]:
    """Attributes of the hosts, and of the crash itself (python, kernel) where no host has them."""
    pairs: dict[str, dict[int, str]] = {}
    for number, attr, value in connection.execute(select(t.attrset_value)):
        pairs.setdefault(attr, {})[number] = value
    kept = []
    for name, values in sorted(pairs.items()):
        texts, code = _codes(values)
        if len(texts) <= MAX_VALUES:
            crash = [code.get(i, ABSENT) for i in found["attrset_id"]]
            hours = [code.get(i, ABSENT) for i in exposure_sets]
            kept.append(
                Attribute(name, texts, np.array(crash, np.int64), np.array(hours, np.int64))
            )
    for name in ("python", "kernel"):
        texts = sorted({value for value in found[name] if value})
        if name not in pairs and 1 < len(texts) <= MAX_VALUES:
            index = {value: i for i, value in enumerate(texts)}
            crash = [index.get(value, ABSENT) for value in found[name]]
            unknown = np.full(len(exposure_sets), ABSENT, np.int64)
            kept.append(Attribute(name, texts, np.array(crash, np.int64), unknown))
    return tuple(kept)
