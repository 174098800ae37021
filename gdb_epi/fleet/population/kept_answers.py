# SPDX-License-Identifier: Apache-2.0
"""What was worked out of a whole population, kept as files beside its columns in the cache.

Events, silences, the screening of a day and its verdicts are most of what a question computes, and
the same for all questions while the database does not change. A file that is damaged, was written
by other code or cannot be written is no error.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gdb_epi import __version__
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.statistics.arrays import narrow_codes
from gdb_epi.fleet.statistics.scipy_special import SCIPY_VERSION
from gdb_epi.private_files import replace_file

MAX_BYTES = 64 << 20  # of the arrays of an answer
MAX_KEPT = 4  # days (or screenings) of one state
# Whose code makes the answers, in gdb_epi/.
ROOMS = (
    "fleet/statistics", "fleet/records", "fleet/population", "fleet/screen", "fleet/questions",
    "render",
)  # fmt: skip

_T = TypeVar("_T")


def kept_answer(
    population: Population, name: str, make: Callable[[], _T], *kinds: Any, of: object = ""
) -> _T:
    """Return `make()`, or what it was for this population before; `of` says what else it is of.

    It may hold numbers, texts, arrays, lists, tuples, and NamedTuples of some `kinds`. It is kept
    only for a whole population from the cache, not for a part or a changed one.
    """
    entry = population.memo.cache_entry if population.memo is not None else None
    if entry is None or entry.population is not population:
        return make()
    path = entry.folder / f"{name}-{of}.json"
    code = _code_version(__version__, ROOMS)
    try:
        seal, _, content = path.read_bytes().partition(b"\n")
        if seal == _seal(code, content):
            kept: _T = _unpacked(json.loads(content), {kind.__name__: kind for kind in kinds}, [])
            return kept
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        pass
    answer = make()
    with suppress(_TooLarge, OSError):
        content = json.dumps(_Packer().packed(answer)).encode("ascii")
        replace_file(path, _seal(code, content) + b"\n" + content)
        others = sorted(entry.folder.glob(f"{name}-*.json"), key=lambda p: p.stat().st_mtime_ns)
        for old in others[:-MAX_KEPT]:
            old.unlink(missing_ok=True)
    return answer


class _TooLarge(Exception):
    """Reading it would take as long as working it out."""


class _Packer:
    """Makes of an answer what JSON can hold; what stands twice in it is one again when read."""

    def __init__(self) -> None:
        self._bytes, self._seen = 0, dict[int, int]()

    def packed(self, value: Any) -> Any:
        """Return a part of the answer. Raises _TooLarge."""
        if isinstance(value, np.ndarray):
            if value.dtype == bool:
                return {"size": value.size, "true": self.packed(np.flatnonzero(value))}
            narrow = narrow_codes(value, np.int32) if value.dtype == np.int64 else value
            self._bytes += narrow.nbytes
            if self._bytes > MAX_BYTES:
                raise _TooLarge
            text = b64encode(narrow.tobytes()).decode("ascii")
            return {"type": value.dtype.str, "kept": narrow.dtype.str, "content": text}
        if isinstance(value, np.generic):
            return value.item()
        if not isinstance(value, (list, tuple)):
            return value
        is_named = hasattr(value, "_fields")
        if is_named and id(value) in self._seen:
            return {"again": self._seen[id(value)]}
        parts = [self.packed(part) for part in value]
        if isinstance(value, list):
            return parts
        if is_named:
            self._seen[id(value)] = len(self._seen)
        return {"kind": type(value).__name__ if is_named else "tuple", "parts": parts}


def _unpacked(value: Any, kinds: dict[str, Any], made: list[Any]) -> Any:
    if isinstance(value, list):
        return [_unpacked(part, kinds, made) for part in value]
    if not isinstance(value, dict):
        return value
    if "size" in value:
        mask = np.zeros(value["size"], dtype=bool)
        mask[_unpacked(value["true"], kinds, made)] = True
        return mask
    if "content" in value:
        column = np.frombuffer(b64decode(value["content"]), dtype=value["kept"])
        return column.astype(value["type"])
    if "again" in value:
        return made[value["again"]]
    parts = [_unpacked(part, kinds, made) for part in value["parts"]]
    if value["kind"] == "tuple":
        return tuple(parts)
    made.append(kinds[value["kind"]]._make(parts))
    return made[-1]


def _seal(code: str, content: bytes) -> bytes:
    """Return what tells whether a file is whole and of this code."""
    return hashlib.sha256(code.encode("ascii") + content).hexdigest().encode("ascii")


@lru_cache
def _code_version(version: str, rooms: tuple[str, ...]) -> str:
    """Return what changes whenever the answers may: versions, and a hash of our own source.

    The hash is of the contents: times of files say nothing after a copy, a checkout or an install.
    """
    package = Path(__file__).parents[2]
    source = hashlib.sha256()
    for path in sorted(path for room in rooms for path in (package / room).glob("*.py")):
        source.update(path.name.encode() + b"\0" + path.read_bytes())
    return " ".join([version, np.__version__, SCIPY_VERSION, source.hexdigest()])
