# SPDX-License-Identifier: Apache-2.0
"""The results of many cores: stored as soon as they arrive, yielded in the order of the cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from gdb_epi.cli.support.examine import ExaminedCore
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cli.support.core_files import CoreInput
    from gdb_epi.cli.support.earlier_runs import EarlierResults
    from gdb_epi.cli.support.examine import Result
    from gdb_epi.cli.support.record_keeper import RecordKeeper

IndexedResult = tuple[int, "Result"]


def results_in_order(
    cores: Sequence[CoreInput],
    examine: Callable[[Sequence[CoreInput]], Iterator[IndexedResult]],
    keeper: RecordKeeper | None,
    earlier_runs: EarlierResults | None,
) -> Iterator[tuple[CoreInput, Result]]:
    """Yield each core with its result; cores of earlier runs are not examined again.

    `examine` yields (index among the cores that it was given, result), in any order.
    """
    to_examine = [
        index for index in range(len(cores)) if earlier_runs is None or index not in earlier_runs
    ]
    finished_early: dict[int, Result | bytes] = {}  # after a core that takes longer
    next_index = 0
    for position, result in chain(examine([cores[index] for index in to_examine]), [(-1, None)]):
        if result is not None:
            index = to_examine[position]
            if keeper is not None and isinstance(result, ExaminedCore):
                key = None if earlier_runs is None else earlier_runs.keys[index]
                keeper.add(cores[index].path, result.record, key)
            finished_early[index] = result if index == next_index else _pack(result)
        while next_index < len(cores):
            result_or_packed: Result | bytes
            if next_index in finished_early:
                result_or_packed = finished_early.pop(next_index)
            elif earlier_runs is not None and next_index in earlier_runs:
                result_or_packed = earlier_runs.take(next_index)
            else:
                break
            yield cores[next_index], _unpack(result_or_packed)
            next_index += 1


def _pack(result: Result) -> Result | bytes:
    """Return a result compressed: thousands may wait for one; 300 kB of a record become 5 kB."""
    if not isinstance(result, ExaminedCore):
        return result
    import json
    import zlib

    return zlib.compress(json.dumps(result).encode("ascii"), 1)


def _unpack(result: Result | bytes) -> Result:
    if not isinstance(result, bytes):
        return result
    import json
    import zlib

    return ExaminedCore(*json.loads(zlib.decompress(result)))
