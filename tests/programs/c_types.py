# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below slots of types that C code made (PyType_FromSpec), and below code made by the C API.

The slots are callbacks of ctypes, so each takes a trip through C; code objects come from
PyCode_NewEmpty, as Cython makes them.
"""

import ctypes

import deathbed

API = ctypes.pythonapi
OBJECT = ctypes.py_object
UNARY = ctypes.PYFUNCTYPE(OBJECT, OBJECT)
BINARY = ctypes.PYFUNCTYPE(OBJECT, OBJECT, OBJECT)
LENGTH = ctypes.PYFUNCTYPE(ctypes.c_ssize_t, OBJECT)
# Include/typeslots.h, stable ABI
TP_CALL, TP_ITER, TP_REPR, NB_ADD, MP_LENGTH, TP_NEXT = 50, 62, 66, 7, 4, 63


class Slot(ctypes.Structure):
    _fields_ = [("slot", ctypes.c_int), ("function", ctypes.c_void_p)]


class Spec(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(Slot)),
    ]


CALL = ctypes.PYFUNCTYPE(OBJECT, OBJECT, OBJECT, ctypes.c_void_p)
kept = []


def make(name, **slots):
    """Return a type whose slots are Python functions behind C functions."""
    table = [Slot(globals()[slot], ctypes.cast(f, ctypes.c_void_p)) for slot, f in slots.items()]
    table = (Slot * (len(table) + 1))(*table, Slot(0, None))
    spec = Spec(name, object.__basicsize__, 0, 0, table)
    kept.extend([slots, table, spec])
    API.PyType_FromSpec.restype = OBJECT
    return API.PyType_FromSpec(ctypes.byref(spec))


def main(way):
    @CALL
    def call(itself, args, keywords):
        return len(itself)

    @LENGTH
    def length(itself):
        return itself + args

    @BINARY
    def add(left, right):
        return repr(left)

    @UNARY
    def represent(itself):
        return next(iter(itself))

    @UNARY
    def iterate(itself):
        return compiled(way)

    args = make(b"module.Other")()
    kind = make(
        b"module.Made",
        TP_CALL=call,
        MP_LENGTH=length,
        NB_ADD=add,
        TP_REPR=represent,
        TP_ITER=iterate,
    )
    return kind()(1, 2)


def compiled(way):
    """Run source through the C API: the name is the file, the frame's own is <module>."""
    code = OBJECT(compile("value = by_empty(way)", "from C", "exec"))
    space = OBJECT({"by_empty": by_empty, "way": way, "__name__": "from.c"})
    API.PyEval_EvalCode.restype = OBJECT
    return API.PyEval_EvalCode(code, space, space)


def by_empty(way):
    """Keep a code object of no function; one cannot be run, but it can be in a traceback."""
    API.PyCode_NewEmpty.restype = OBJECT
    empty = API.PyCode_NewEmpty(b"module.pyx", b"cythonised", 77)
    assert empty.co_name == "cythonised"
    API.PyObject_CallFunction.restype = OBJECT
    return API.PyObject_CallFunction(OBJECT(deathbed.die), b"(O)", OBJECT(way))


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
