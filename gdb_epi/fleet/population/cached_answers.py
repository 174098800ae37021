# SPDX-License-Identifier: Apache-2.0
"""Cache what was computed from a whole population: files beside its columns in the cache.

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
from gdb_epi.fleet.lake.manifest import PREPARED
from gdb_epi.fleet.paths import cache_folder
from gdb_epi.fleet.population.cache import prune_cache
from gdb_epi.fleet.population.population import Population
from gdb_epi.fleet.statistics.arrays import narrow_codes
from gdb_epi.fleet.statistics.scipy_special import SCIPY_VERSION
from gdb_epi.private_files import make_private_folder, replace_file

MAX_BYTES = 64 << 20  # of the arrays of an answer
MAX_KEPT = 4  # days (or screenings) of one state
PACKAGE = Path(__file__).parents[2]  # whose code makes the answers

_T = TypeVar("_T")


def cached_answer(
    population: Population, name: str, make: Callable[[], _T], *kinds: Any, of: object = ""
) -> _T:
    """Return `make()`, or what it was for this population before; `of` says what else it is of.

    It may hold numbers, texts, arrays of one dimension, lists, tuples, and NamedTuples of some
    `kinds`; with anything else it is not kept. It is kept only for a whole population from the
    cache, not for a part or a changed one; of a lake that is read-only here, in the user's cache.
    """
    entry = population.memo.cache_entry if population.memo is not None else None
    if entry is None or entry.population is not population:
        return make()
    folders = [entry.folder]
    if entry.folder.parent.name == PREPARED:
        folders.append(cache_folder() / entry.folder.name)
    code = _fingerprint_of_code(__version__, PACKAGE)
    # Users of one lake may have several versions: none replaces the answers of another.
    file = f"{name}-{of}-{hashlib.sha256(code.encode()).hexdigest()[:8]}.json"
    for folder in folders:
        try:
            seal, _, content = (folder / file).read_bytes().partition(b"\n")
            if seal == _digest_of_code_and_content(code, content):
                names = {kind.__name__: kind for kind in kinds}
                kept: _T = _unpack_answer(json.loads(content), names, [])
                return kept
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            continue
    answer = make()
    try:
        content = json.dumps(_AnswerPacker(kinds).pack(answer)).encode("ascii")
    except _NotCacheable:
        return answer
    for folder in folders:
        # Columns that are gone may have been forgotten, and so is what was worked out of them.
        with suppress(OSError):
            if not entry.folder.is_dir():
                break
            if not folder.is_dir():
                make_private_folder(folder)
                prune_cache(folder)
            replace_file(
                folder / file, _digest_of_code_and_content(code, content) + b"\n" + content
            )
            others = sorted(folder.glob(f"{name}-*.json"), key=lambda p: p.stat().st_mtime_ns)
            for old in others[:-MAX_KEPT]:
                old.unlink(missing_ok=True)
            break
    return answer


class _NotCacheable(Exception):
    """It holds what cannot be written, or reading it would take as long as working it out."""


class _AnswerPacker:
    """Makes of an answer what JSON can hold; what stands twice in it is one again when read."""

    def __init__(self, kinds: tuple[Any, ...]) -> None:
        self._kinds, self._bytes, self._seen = kinds, 0, dict[int, int]()

    def pack(self, value: Any) -> Any:
        """Return a part of the answer. Raises _NotCacheable."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf":
            if value.dtype == bool:
                return {"size": value.size, "true": self.pack(np.flatnonzero(value))}
            narrow = narrow_codes(value, np.int32) if value.dtype == np.int64 else value
            self._bytes += narrow.nbytes
            if self._bytes > MAX_BYTES:
                raise _NotCacheable
            text = b64encode(narrow.tobytes()).decode("ascii")
            return {"type": value.dtype.str, "kept": narrow.dtype.str, "content": text}
        is_named = type(value) in self._kinds
        if not is_named and type(value) not in (list, tuple):
            raise _NotCacheable
        if is_named and id(value) in self._seen:
            return {"again": self._seen[id(value)]}
        parts = [self.pack(part) for part in value]
        if isinstance(value, list):
            return parts
        if is_named:
            self._seen[id(value)] = len(self._seen)
        return {"kind": type(value).__name__ if is_named else "tuple", "parts": parts}


def _unpack_answer(value: Any, kinds: dict[str, Any], made: list[Any]) -> Any:
    if isinstance(value, list):
        return [_unpack_answer(part, kinds, made) for part in value]
    if not isinstance(value, dict):
        return value
    if "size" in value:
        mask = np.zeros(value["size"], dtype=bool)
        mask[_unpack_answer(value["true"], kinds, made)] = True
        return mask
    if "content" in value:
        column = np.frombuffer(b64decode(value["content"]), dtype=value["kept"])
        return column.astype(value["type"])
    if "again" in value:
        return made[value["again"]]
    parts = [_unpack_answer(part, kinds, made) for part in value["parts"]]
    if value["kind"] == "tuple":
        return tuple(parts)
    made.append(kinds[value["kind"]]._make(parts))
    return made[-1]


def _digest_of_code_and_content(code: str, content: bytes) -> bytes:
    """Return what tells whether a file is whole and of this code."""
    return hashlib.sha256(code.encode("ascii") + content).hexdigest().encode("ascii")


@lru_cache
def _fingerprint_of_code(version: str, package: Path) -> str:
    """Return what changes whenever the answers may: versions, and a hash of all our source.

    The hash is of the contents: times of files say nothing after a copy, a checkout or an install.
    """
    source = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        source.update(path.name.encode() + b"\0" + path.read_bytes())
    return " ".join([version, np.__version__, SCIPY_VERSION, source.hexdigest()])
