# SPDX-License-Identifier: Apache-2.0
"""A compiled file on disk was cut and patched: marshal reads a code object whose bytecode does
not fit its tables, and running it crashes.
"""

import dis
import marshal

SOURCE = "def run(n):\n    total = n + 77777\n    return total * 3.25\nresult = run(5)\n"


def load_plugin(data):
    names = {}
    exec(marshal.loads(data), names)
    return names["result"]


def damaged():
    code = compile(SOURCE, "plugin.py", "exec")
    inner = next(c for c in code.co_consts if hasattr(c, "co_code"))
    raw = bytearray(inner.co_code)
    for at in range(0, len(raw), 2):
        if dis.opname[raw[at]] == "LOAD_CONST":
            raw[at + 1] = 231
    inner = inner.replace(co_code=bytes(raw))
    consts = tuple(inner if hasattr(c, "co_code") else c for c in code.co_consts)
    return marshal.dumps(code.replace(co_consts=consts))


keep = [load_plugin(damaged()) for _ in range(3)]
print(keep)
