# SPDX-License-Identifier: Apache-2.0
"""Raw records as `raw` stores them: the JSON text, by zlib with a dictionary of common words.

The dictionary halves what a record takes and the time to pack it. It must never change: records in
databases need it to be read (a new one would be tried beside it). Blobs of before have none.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

LEVEL = 3
MAX_RECORD = 64 << 20  # bytes of one stored record after unpacking
SMALLEST, LARGEST = 12, 15  # bits of a window, in which a text should fit; 15 is the most
_DICTIONARY = (
    b'"soft_errors": [], "findings": [{"detector": "", "subject": "thread ", "facts": {"bit": '
    b'"reasons": [], "against": [], "confidence": 0., "label": "software"'
    b'"libs": {"modules": [{"soname": "lib.so.", "build_id": ""}, {"soname": "'
    b'"truncated": {"flag": false, "reason": "", "missing_bytes": 0}, "quality": {"unwinder": 1.0,'
    b' "symbols": 1.0}, "tool": "gdb-epi 0.1.0", "process": {"pid": , "python": {"version": "3.1", '
    b'{"schema": "gdb-epi/record/1", "core_key": "0000000000000000", "time": {"crash_ts": 17,'
    b' "ts_source": "journal"}, "host": {"hostname": "node-", "attributes": {"rack": "r0", "sku":'
    b' "", "cpu_model": "", "microcode": "", "kernel": "6.", "image": ""}}, "cpu": {"number": },'
    b' "signature": {"version": "gsig/1", "keys": {"stable": "0000000000000"}, "text": {"stable":'
    b' "gsig/1 stable segv- <- main"}}, "flags": {"bitflip": false, "lock_inherited": false}}'
)


class RecordPacker:
    """Packs texts; the state after the dictionary is made once and copied."""

    def __init__(self) -> None:
        # A small text needs a small window and table: copying zlib's own costs more than the text.
        by_window = {
            bits: zlib.compressobj(LEVEL, zlib.DEFLATED, bits, bits - 7, zdict=_DICTIONARY)
            for bits in range(SMALLEST, LARGEST + 1)
        }
        # By the bits of a text's length.
        self._fitting = [by_window[min(max(bits, SMALLEST), LARGEST)] for bits in range(64)]

    def pack(self, text: bytes) -> bytes:
        """Return the blob of a JSON text."""
        packer = self._fitting[(len(text) - 1).bit_length()].copy()
        return packer.compress(text) + packer.flush()

    def pack_record(self, record: Mapping[str, Any]) -> bytes:
        """Return the blob of a record."""
        return self.pack(json.dumps(record, sort_keys=True).encode("ascii"))


def unpack_record(blob: bytes) -> dict[str, Any]:
    """Return the record of a `raw` row."""
    data = zlib.decompressobj(zdict=_DICTIONARY).decompress(blob, MAX_RECORD)
    record = json.loads(data)
    return record if isinstance(record, dict) else {}


def unpack_record_or_empty(blob: bytes) -> dict[str, Any]:
    """Return the record of a `raw` row; an empty one where something else wrote or cut it.

    One damaged row must not keep the others from being read; the same core ingested again heals it.
    """
    try:
        return unpack_record(blob)
    except (zlib.error, ValueError, RecursionError):
        return {}
