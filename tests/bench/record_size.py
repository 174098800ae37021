# SPDX-License-Identifier: Apache-2.0
"""How large records are: compact JSON of cached cores, without GDB, by group.

python tests/bench/record_size.py [EVERY]      every EVERY-th core of the cache (40)
"""

from __future__ import annotations

import json
import sys
import zlib
from collections import defaultdict
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]
from support.interpreters import by_id, cache_root

from gdb_epi.analysis import analyze
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

MAX_CORE = 400 << 20


def main(every: int) -> None:
    """Print the sizes."""
    sizes, packed = [], []
    groups: dict[str, list[int]] = defaultdict(list)
    for core in sorted((cache_root() / "cores").glob("*/*/core"))[::every]:
        interpreter = by_id(core.parts[-3])
        if core.stat().st_size > MAX_CORE or interpreter is None:
            continue
        sysroot = str(interpreter.root) if interpreter.root else None
        record = analyze(Session(CoreFileTarget.open(core, sysroot=sysroot)))
        text = json.dumps(record, separators=(",", ":"))
        sizes.append(len(text))
        packed.append(len(zlib.compress(text.encode())))
        for name, value in record.items():
            groups[name].append(len(json.dumps(value, separators=(",", ":"))) + len(name) + 4)
    print(f"{len(sizes)} cores: median {median(sizes):.0f} bytes, zlib {median(packed):.0f}")
    for name, found in sorted(groups.items(), key=lambda item: -median(item[1])):
        print(f"{name:14} median {median(found):6.0f}  in {len(found)} records")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
