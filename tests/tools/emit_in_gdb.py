# SPDX-License-Identifier: Apache-2.0
"""The part of emit_layouts.py that runs inside GDB: types of the loaded file to a JSON document.

gdb -nx -batch -ex "python epi_emit_out='x.json'" -x tests/tools/emit_in_gdb.py libpython.so
"""

from __future__ import annotations

import json
import os
import sys

import gdb

sys.path.insert(0, os.environ["GDB_EPI_ROOT"])

from gdb_epi.cpython.layout.struct_specs import make_layout_document
from gdb_epi.gdbhost import debug_info

document = make_layout_document(
    debug_info.type_layout,
    debug_info.constant_value,
    {"version": [0, 0], "free_threaded": False, "debug": False, "gdb": gdb.VERSION},
)
with open(os.environ["GDB_EPI_OUT"], "w", encoding="utf-8") as stream:
    json.dump(document, stream)
