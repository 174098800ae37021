# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "oldest": [3, 15]}
"""Sentinels (3.15, PEP 661)."""

import builtins

from library_values import dying, way

sentinel = getattr(builtins, "sentinel", None)
frozendict = getattr(builtins, "frozendict", None)

MISSING = sentinel("MISSING")


class Holder:
    EMPTY = sentinel("Holder.EMPTY")


def sentinels(death):
    missing, empty = MISSING, Holder.EMPTY
    local = sentinel("local")
    try:
        spoken = sentinel("spoken", repr="<spoken!>")
    except TypeError:
        spoken = None
    in_list, in_dict = [MISSING], {"x": MISSING}
    table = frozendict({"a": 1})
    dying(death)


if __name__ == "__main__":
    sentinels(way())
