# SPDX-License-Identifier: Apache-2.0
"""The binding to tuner.so."""

import ctypes
import os


class StringRecord(ctypes.Structure):
    _fields_ = [
        ("octave", ctypes.c_uint8),
        ("number", ctypes.c_uint16),
        ("hertz", ctypes.c_float),
        ("material", ctypes.c_char_p),
        ("worn", ctypes.c_uint8),
    ]


class Tuner:
    version = "2.4"

    def __init__(self):
        self.library = ctypes.CDLL(os.path.abspath("tuner.so"))
        self.library.count_material.argtypes = [
            ctypes.POINTER(StringRecord), ctypes.c_int, ctypes.c_char_p
        ]  # fmt: skip
        self.library.mean_hertz.restype = ctypes.c_double

    def strings(self, rows):
        rows = list(rows)
        records = (StringRecord * len(rows))()
        for record, (octave, number, hertz, material, worn) in zip(records, rows):
            record.octave, record.number, record.hertz = octave, number, hertz
            record.material = material.encode()
            record.worn = worn
        return records

    def count(self, strings, material):
        return self.library.count_material(strings, len(strings), material.encode())
