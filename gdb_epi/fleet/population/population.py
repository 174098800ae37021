# SPDX-License-Identifier: Apache-2.0
"""The population as arrays: crashes and host-hours, ready to be counted.

Texts become small integers once; a question then works on numpy arrays. The code -1 means absent.
"""

from __future__ import annotations

from binascii import unhexlify
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints
from gdb_epi.typing_lite import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_T = TypeVar("_T")

RANGE = " range"  # after the name of an attribute that is a number
FLIP_BIT = "flip bit"  # the fact that tells which bit (0..63) may have flipped
NO_SIGNATURE = "(no signature)"
FOREVER_AGO = -(1 << 30)  # a day before any window
MAX_VALUES = 5_000  # of one attribute; beyond that it names single crashes, not groups


class CoreKeys(Sequence[str]):
    """Core keys in 16 to 40 bytes each instead of 100: there may be millions.

    They are texts of numpy, or numpy's `void` of the bytes that hexadecimal digits stand for.
    """

    def __init__(self, packed: NDArray[Any]) -> None:
        self.packed = packed

    @classmethod
    def from_strings(cls, keys: Iterable[str]) -> CoreKeys:
        """Return ASCII strings as core keys."""
        return cls(np.array([key.encode("ascii") for key in keys], dtype="S"))

    def __len__(self) -> int:
        return int(self.packed.size)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> CoreKeys: ...
    def __getitem__(self, index: int | slice) -> str | CoreKeys:
        """Return one key, or some of them."""
        if isinstance(index, slice):
            return CoreKeys(self.packed[index])
        key = self.packed[index]
        return key.tobytes().hex() if self.packed.dtype.kind == "V" else bytes(key).decode("ascii")

    def select(self, mask: Bools | slice) -> CoreKeys:
        """Return those under a mask."""
        return CoreKeys(self.packed[mask])

    def keys_under(self, mask: Bools) -> list[str]:
        """Return those under a mask, as a list."""
        some = self.packed[mask]
        if some.dtype.kind == "V":
            digits, width = some.tobytes().hex(), 2 * some.dtype.itemsize
            return [digits[at : at + width] for at in range(0, len(digits), width)]
        texts: list[str] = some.astype(np.str_).tolist()
        return texts


def pack_hex(texts: NDArray[np.bytes_]) -> NDArray[np.void]:
    """Return texts of hexadecimal digits in half of their size. Raises ValueError for others."""
    content = np.ascontiguousarray(texts).view(np.uint8)
    if not int(np.bitwise_and.reduce(content)) & 0x20:  # which digits have, and no capital
        raise ValueError("not hexadecimal")
    return np.frombuffer(unhexlify(content.data), dtype=f"V{texts.dtype.itemsize // 2}")


class Attribute(NamedTuple):
    """One attribute of every crash and of every row of exposure, as codes into `values`."""

    name: str
    values: list[str]
    crash: Ints
    exposure: Ints
    reported: Ints | None = None  # of every crash as its record has it; None: as `crash`

    @property
    def codes_as_reported(self) -> Ints:
        """The code of every crash as its record has it."""
        return self.crash if self.reported is None else self.reported

    @property
    def is_of_process(self) -> bool:
        """Whether it is of the process and not of its host."""
        return is_process_attribute(self.name)

    @property
    def is_range(self) -> bool:
        """Whether its values are ranges of a number, which is an attribute of its own."""
        return self.name.endswith(RANGE)

    @property
    def has_hours(self) -> bool:
        """Whether the exposure tells any value."""
        return bool((self.exposure >= 0).any())

    @property
    def codes_in_fleet(self) -> Ints:
        """The codes that occur in the fleet, by the host-hours where these tell any."""
        return self.exposure if self.has_hours else self.crash

    def mark_of_value(self, code: int) -> str:
        """Return one of its values with its name."""
        return f"{self.name}={self.values[code]}"

    def crashes_with(self, value: str) -> Bools:
        """Return which crashes have a value."""
        return np.asarray(self.crash == self.values.index(value))

    def hours_with(self, value: str) -> Bools:
        """Return which rows of the exposure have a value."""
        return np.asarray(self.exposure == self.values.index(value))


class ComputedOnceCache:
    """What was counted once already, known by the very columns that it was counted from.

    The columns are held, so that no other one can come to the same address. What is counted from a
    `column` that is no longer needed is kept apart from what its `parent` keeps, and goes with it.
    """

    def __init__(self, parent: ComputedOnceCache | None = None, column: Any = None) -> None:
        self._parent, self._own = parent, {id(column)}
        self._kept: dict[tuple[Any, ...], tuple[tuple[Any, ...], Any]] = {}
        self.cache_entry: PopulationCacheEntry | None = (
            None  # set where the cache has this population
        )

    def get(self, make: Callable[..., _T], *given: Any) -> _T:
        """Return `make(*given)`, made once for these arguments."""
        if self._parent is not None and not any(id(x) in self._own for x in given):
            return self._parent.get(make, *given)
        key = _cache_key(make, given)
        if key not in self._kept:
            self.keep(make(*given), make, *given)
        answer: _T = self._kept[key][1]
        return answer

    def keep(self, made: Any, make: Callable[..., Any], *given: Any) -> None:
        """Keep what `make(*given)` returns, for who knows it already."""
        self._kept[_cache_key(make, given)] = (given, made)
        self._own.update(map(id, made if isinstance(made, tuple) else (made,)))


def _cache_key(make: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, ...]:
    return (make, *(x if isinstance(x, (int, str)) else id(x) for x in given))


def _rows_until(days: Ints, last: int) -> Bools | slice:
    """Return what chooses the rows until a day: they come first, as columns are sorted by day."""
    mask = days <= last
    count = int(mask.sum())
    return slice(count) if mask[:count].all() else mask


class WhatPruneLeft(NamedTuple):
    """What a prune left of the time before its day: it is in no column of a population."""

    before: int  # the day, since 1970-01-01
    left: int  # crashes
    signatures: list[str]  # that these have: none of them is new


class Population(NamedTuple):
    """Crashes (sorted by day) and exposure; all crash arrays have one length, as all exposure's."""

    core_keys: CoreKeys
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
    # Facts of the cores themselves (which detector spoke ...). They have no exposure, and many
    # follow from the signature: only a split looks at them.
    facts: tuple[Attribute, ...] = ()
    memo: ComputedOnceCache | None = None
    second: Ints | None = None  # of each crash since the epoch, ABSENT: unknown; None: days alone
    in_feed: Bools | None = None  # which crashes the host-hours cover; None: all, if there are any
    quality: Mapping[str, Any] = MappingProxyType({})  # what reading it had to set right or aside

    @property
    def left_by_prune(self) -> WhatPruneLeft | None:
        """What is left of the time before a prune; None where there was none."""
        past = self.quality.get("pruned")
        return None if past is None else WhatPruneLeft(**past)

    @property
    def has_time(self) -> Bools:
        """Which crashes have a time that may be believed; the day of others is when they came."""
        if self.second is None:
            return np.ones(self.day.size, dtype=bool)
        return self.second >= 0

    @property
    def known_day(self) -> Ints:
        """The day of each crash, FOREVER_AGO of those whose time is not known."""
        return np.where(self.has_time, self.day, FOREVER_AGO)

    @property
    def has_host_hours(self) -> Bools:
        """Which crashes the host-hours cover."""
        if self.in_feed is None:
            return np.full(self.day.size, self.has_exposure)
        return self.in_feed

    def crashes_of_signature(self, name: str) -> Bools:
        """Return which crashes have a signature."""
        return np.asarray(self.signature == self.signatures.index(name))

    def mask_of_rows(self, crashes: Ints) -> Bools:
        """Return a mask of the crashes with some numbers."""
        mask = np.zeros(self.day.size, dtype=bool)
        mask[crashes] = True
        return mask

    def computed_once(self, make: Callable[..., _T], *given: Any) -> _T:
        """Return `make(*given)`, made once for these columns where this population has a memo."""
        return make(*given) if self.memo is None else self.memo.get(make, *given)

    @property
    def has_exposure(self) -> bool:
        """Whether host-hours are known."""
        return bool(self.exposure_hours.size and self.exposure_hours.sum() > 0)

    def until_day(self, day: int) -> Population:
        """Return what was known at the end of a day."""
        return self.select(_rows_until(self.day, day), _rows_until(self.exposure_day, day))

    def with_each_attribute_changed(self, change: Callable[[Attribute], Attribute]) -> Population:
        """Return the population with every attribute and fact changed."""
        attributes, facts = (tuple(map(change, some)) for some in (self.attributes, self.facts))
        return self._replace(attributes=attributes, facts=facts)

    def select(self, crashes: Bools | slice, exposure: Bools | slice) -> Population:
        """Return the part that two masks select, or two slices, which copy nothing."""

        def part_of(attribute: Attribute) -> Attribute:
            reported = None if attribute.reported is None else attribute.reported[crashes]
            hours = attribute.exposure  # none of a fact of processes
            if hours.size:
                hours = hours[exposure]
            crash = attribute.crash[crashes]
            return attribute._replace(crash=crash, exposure=hours, reported=reported)

        return self.with_each_attribute_changed(part_of)._replace(
            core_keys=self.core_keys.select(crashes),
            day=self.day[crashes],
            second=None if self.second is None else self.second[crashes],
            in_feed=None if self.in_feed is None else self.in_feed[crashes],
            host=self.host[crashes],
            signature=self.signature[crashes],
            cpu=self.cpu[crashes],
            bitflip=self.bitflip[crashes],
            lock_inherited=self.lock_inherited[crashes],
            memo=None if self.memo is None else ComputedOnceCache(),
            exposure_day=self.exposure_day[exposure],
            exposure_host=self.exposure_host[exposure],
            exposure_hours=self.exposure_hours[exposure],
        )

    def without_hosts(self, hosts: Ints) -> Population:
        """Return the population without all that some hosts reported."""
        gone = np.zeros(len(self.hosts) + 1, dtype=bool)
        gone[hosts] = True
        return self.select(~gone[self.host], ~gone[self.exposure_host])

    def without_hours(self, hosts: Ints, first: int, last: int) -> Population:
        """Return the population without the host-hours of some hosts from one day to another."""
        during = (self.exposure_day >= first) & (self.exposure_day <= last)
        gone = during & np.isin(self.exposure_host, hosts)
        return self._replace(exposure_hours=np.where(gone, 0.0, self.exposure_hours))

    @property
    def last_day(self) -> int:
        """The day of the latest crash whose time is known, of any if none is; else 0."""
        if not self.day.size:
            return 0
        return int(self.day.max(where=self.has_time, initial=0)) or int(self.day.max(initial=0))

    def attribute(self, name: str) -> Attribute | None:
        """Return an attribute by name."""
        return next((a for a in self.attributes if a.name == name), None)

    def attribute_asked_for(self, name: str) -> Attribute | None:
        """Return an attribute by its name or, as of `package lxml`, by the last word of it alone.

        None where several have that word.
        """
        alone = [a for a in self.attributes if a.name.partition(" ")[2] == name]
        return self.attribute(name) or (alone[0] if len(alone) == 1 else None)


def computed_once_per_population(find: Callable[[Population], _T]) -> Callable[[Population], _T]:
    """Decorate what is found in a population: it is looked for once, for the same columns."""

    @wraps(find)
    def asked(population: Population) -> _T:
        return population.computed_once(find, population)

    return asked


class PopulationCacheEntry(NamedTuple):
    """Where the cache has a population; what else outlasts a question is kept beside it."""

    folder: Path
    population: Population  # the very one: no part of it, nothing replaced in it
