# SPDX-License-Identifier: Apache-2.0
"""Gives slots to built-in types, as some test helpers do."""

import ctypes

HASH = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.py_object)
kept = []


class Type(ctypes.Structure):
    """The start of PyTypeObject."""

    _fields_ = [
        ("ob_refcnt", ctypes.c_ssize_t),
        ("ob_type", ctypes.c_void_p),
        ("ob_size", ctypes.c_ssize_t),
        ("tp_name", ctypes.c_char_p),
        ("tp_basicsize", ctypes.c_ssize_t),
        ("tp_itemsize", ctypes.c_ssize_t),
        ("tp_dealloc", ctypes.c_void_p),
        ("tp_print", ctypes.c_void_p),
        ("tp_getattr", ctypes.c_void_p),
        ("tp_setattr", ctypes.c_void_p),
        ("tp_repr", ctypes.c_void_p),
        ("tp_as_number", ctypes.c_void_p),
        ("tp_as_sequence", ctypes.c_void_p),
        ("tp_as_mapping", ctypes.c_void_p),
        ("tp_hash", ctypes.c_void_p),
        ("tp_call", ctypes.c_void_p),
    ]


def teach(kind, function):
    slot = HASH(function)
    kept.append(slot)
    Type.from_address(id(kind)).tp_hash = ctypes.cast(slot, ctypes.c_void_p).value
