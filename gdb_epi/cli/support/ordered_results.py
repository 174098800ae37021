# SPDX-License-Identifier: Apache-2.0
"""The results of many cores: stored as soon as they come, answered in the order that was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from gdb_epi.cli.support.examine import Examined
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.cli.support.core_files import Core
    from gdb_epi.cli.support.earlier_runs import EarlierRuns
    from gdb_epi.cli.support.examine import Result
    from gdb_epi.cli.support.record_keeper import RecordKeeper

Numbered = tuple[int, "Result"]


def in_order(
    cores: Sequence[Core],
    examine: Callable[[Sequence[Core]], Iterator[Numbered]],
    keeper: RecordKeeper | None,
    done: EarlierRuns | None,
) -> Iterator[tuple[Core, Result]]:
    """Yield each core with its result; what was done before is not examined.

    `examine` yields (place among the cores that it got, result), in any order.
    """
    left = [index for index in range(len(cores)) if done is None or index not in done]
    early: dict[int, Result | bytes] = {}  # after a core that takes longer
    following = 0
    for place, result in chain(examine([cores[index] for index in left]), [(-1, None)]):
        if result is not None:
            index = left[place]
            if keeper is not None and isinstance(result, Examined):
                key = None if done is None else done.keys[index]
                keeper.add(cores[index].path, result.record, key)
            early[index] = result if index == following else _packed(result)
        while following < len(cores):
            ready: Result | bytes
            if following in early:
                ready = early.pop(following)
            elif done is not None and following in done:
                ready = done.take(following)
            else:
                break
            yield cores[following], _unpacked(ready)
            following += 1


def _packed(result: Result) -> Result | bytes:
    """Thousands may wait for one: a record of 300 kB in memory takes 5 kB packed."""
    if not isinstance(result, Examined):
        return result
    import json
    import zlib

    return zlib.compress(json.dumps(result).encode("ascii"), 1)


def _unpacked(result: Result | bytes) -> Result:
    if not isinstance(result, bytes):
        return result
    import json
    import zlib

    return Examined(*json.loads(zlib.decompress(result)))
