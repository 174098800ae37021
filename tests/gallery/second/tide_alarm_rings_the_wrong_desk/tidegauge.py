# SPDX-License-Identifier: Apache-2.0
"""Python's side of the tide gauges: desks are called when the water is too high, and journals get
each line."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
DESK = ctypes.CFUNCTYPE(None, ctypes.c_long, ctypes.c_long)
JOURNAL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)

_library = ctypes.CDLL(os.path.join(HERE, "floodgauge.so"))
_library.gauge_reading.argtypes = [ctypes.c_int, ctypes.c_long]
_library.gauge_limit.argtypes = [ctypes.c_int, ctypes.c_long]
_library.gauge_call_desk.argtypes = [DESK]
_library.gauge_write_journal.argtypes = [JOURNAL]

_journals = []


def call(desk):
    """Have `desk(gauge, centimetres)` called when a gauge is above its limit."""
    if _library.gauge_call_desk(DESK(desk)) < 0:
        raise ValueError("no room for another desk")


def write(journal):
    """Have `journal(line)` called for each line."""
    function = JOURNAL(journal)
    _journals.append(function)
    if _library.gauge_write_journal(function) < 0:
        raise ValueError("no room for another journal")


reading = _library.gauge_reading
limit = _library.gauge_limit
