# SPDX-License-Identifier: Apache-2.0
"""Software bugs in a Python process. Arguments: library of C bugs, kind, seed.

A kind that begins with py_ is a function here; every other one is a bug of the C library.
"""

import array
import ctypes
import gc
import os
import random
import signal
import sys
import threading

LIBRARY, KIND, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3])
DICE = random.Random(SEED)
API = ctypes.pythonapi
C = ctypes.CDLL(None)
OBJECT = ctypes.py_object
HEADER = object.__basicsize__  # refcount and type
WORD = 8


class Pointee:
    def __init__(self, number):
        self.number, self.text, self.parts = number, "thing %d" % number, [number] * 5


THINGS = [Pointee(i) for i in range(200)]
BY_NAME = {"thing-%d" % i: thing for i, thing in enumerate(THINGS)}


def use_all():
    for _ in range(20):
        for thing in THINGS:
            thing.text.upper()
            len(thing.parts), thing.number
        for name in BY_NAME:
            BY_NAME[name].text
        gc.collect()
        [Pointee(i) for i in range(500)]


def poke(address, value):
    ctypes.c_uint64.from_address(address).value = value


def peek(address):
    return ctypes.c_uint64.from_address(address).value


def items_of(some_list):
    """Where a list keeps its items: the word after the size."""
    return peek(id(some_list) + HEADER + WORD)


def some():
    return DICE.randrange(len(THINGS))


def py_over_decref():
    victim = THINGS[some()].text
    for _ in range(DICE.randrange(2, 5)):
        API.Py_DecRef(OBJECT(victim))
    del victim
    ["%060d" % i for i in range(4000)]
    use_all()


def py_over_decref_list():
    parts = THINGS[some()].parts
    for _ in range(3):
        API.Py_DecRef(OBJECT(parts))
    del parts
    [[i] * DICE.randrange(1, 9) for i in range(4000)]
    use_all()


def py_borrowed():
    API.PyList_GetItem.restype = ctypes.c_void_p
    address = API.PyList_GetItem(OBJECT(THINGS), 150)
    THINGS.clear(), BY_NAME.clear()
    gc.collect()
    ["%030d" % i for i in range(3000)]
    text = ctypes.cast(address, OBJECT).value
    print(text, text.parts)


def py_steals_reference():
    shared = ["text %d" % SEED]
    for _ in range(3):
        held = [None]
        API.PyList_SetItem.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p]
        API.PyList_SetItem(id(held), 0, id(shared))
        del held
    [[0] for _ in range(2000)], print(shared)
    use_all()


def py_freed_pymalloc():
    address = id("a text that goes away %d" % SEED)
    ["%040d" % i for i in range(DICE.randrange(50))]
    print(ctypes.cast(address, OBJECT).value)
    print(ctypes.cast(address + 48, OBJECT).value)


def py_freed_object():
    thing = Pointee(5)
    address = id(thing)
    del thing
    [Pointee(i) for i in range(DICE.randrange(3))]
    THINGS[some()] = ctypes.cast(address, OBJECT).value
    use_all()


def py_null_item():
    poke(items_of(THINGS) + WORD * some(), 0)
    use_all()


def py_garbage_item():
    poke(items_of(THINGS) + WORD * some(), DICE.getrandbits(64) >> DICE.randrange(30))
    use_all()


def py_int_item():
    poke(items_of(THINGS) + WORD * some(), DICE.randrange(1, 1 << DICE.choice((8, 16, 31))))
    use_all()


def py_ascii_items():
    text = b"content-type: text/html; charset=utf-8\r\n" * 3
    ctypes.memmove(items_of(THINGS) + WORD * some() // 2, text, DICE.randrange(8, 100))
    use_all()


def py_double_items():
    values = array.array("d", [DICE.random() * 1000 for _ in range(8)])
    ctypes.memmove(items_of(THINGS) + WORD * (some() // 2), values.buffer_info()[0], 64)
    use_all()


def py_int32_items():
    values = array.array("i", [DICE.randrange(5000) for _ in range(16)])
    ctypes.memmove(items_of(THINGS) + WORD * (some() // 2), values.buffer_info()[0], 64)
    use_all()


def py_unaligned_items():
    start = items_of(THINGS)
    ctypes.memmove(start + WORD * (some() // 2) + DICE.randrange(1, 8), start, 40)
    use_all()


def py_past_list():
    API.PyTuple_GetItem.restype = ctypes.c_void_p
    start = items_of(THINGS) + WORD * len(THINGS)
    for i in range(4000):
        value = peek(start + WORD * i)
        if value:
            len(ctypes.cast(value, OBJECT).value.__class__.__name__)


def py_restype():
    API.PyList_New.restype = ctypes.c_int
    made = API.PyList_New(5) & (0xFFFFFFFF if SEED % 2 else -1)
    API.PyList_Append.argtypes = [ctypes.c_void_p, OBJECT]
    API.PyList_Append(made, OBJECT(5))


def py_restype_string():
    C.strdup.restype = ctypes.c_int
    copied = C.strdup(b"a copied text %d" % SEED)
    print(ctypes.string_at(copied & 0xFFFFFFFF))


def py_argtypes():
    C.strlen.argtypes = [ctypes.c_int]
    C.strlen(ctypes.addressof(ctypes.create_string_buffer(50)) & 0x7FFFFFFF)


def py_string_at_number():
    print(ctypes.string_at(DICE.randrange(1, 1 << 16)))


def py_string_at_id():
    print(ctypes.string_at(id(SEED) + DICE.randrange(1 << 33, 1 << 36)))


def py_wrong_type():
    API.PyDict_SetItem.argtypes = [ctypes.c_void_p] * 3
    API.PyList_SetSlice.argtypes = [
        ctypes.c_void_p,
        ctypes.c_ssize_t,
        ctypes.c_ssize_t,
        ctypes.c_void_p,
    ]
    API.Py_IncRef(SEED % 50000 + 70000)


def py_cast_type():
    poke(id(THINGS[some()]) + HEADER - WORD, id(DICE.choice((dict, list, str, type))))
    use_all()


def py_type_is_object():
    poke(id(THINGS[some()]) + HEADER - WORD, id(THINGS[some()]))
    use_all()


def py_cleared_type():
    poke(id(THINGS[some()]) + HEADER - WORD, 0)
    use_all()


def py_memset_object():
    ctypes.memset(id(THINGS[some()]), DICE.choice((0, 0xFF, 0xDD, 0xCD, 0x41)), 48)
    use_all()


def py_bytearray_overflow():
    room = bytearray(200)
    kept = [bytearray(200) for _ in range(50)]
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    ctypes.memset(start, DICE.choice((0, 0x41, 0xFF)), 4000 + DICE.randrange(3000))
    [bytearray(200) for _ in range(500)]
    del kept
    use_all()


def py_bytes_overflow():
    room = b"x" * 60
    kept = [b"%060d" % i for i in range(100)]
    ctypes.memset(id(kept[5]), DICE.randrange(1, 255), 100 + DICE.randrange(800))
    del kept
    gc.collect()
    [b"%060d" % i for i in range(1000)], room
    use_all()


def py_string_overflow():
    text = "name of a thing %d" % SEED
    more = ["name of a thing %d" % i for i in range(50)]
    address = id(more[10])
    ctypes.memmove(address, b"<div class='row'>" * 20, 100 + DICE.randrange(200))
    use_all()
    print(text, more)


def py_low_bytes():
    place = items_of(THINGS) + WORD * some()
    ctypes.memset(place, DICE.choice((0, 0xFF, 0x41)), DICE.randrange(2, 5))
    use_all()


def py_freed_callback():
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    address = ctypes.cast(compare(lambda a, b: 0), ctypes.c_void_p).value
    gc.collect()
    [compare(lambda a, b: 1) for _ in range(DICE.randrange(2))]
    block = array.array("q", range(64))
    C.qsort(ctypes.c_void_p(block.buffer_info()[0]), 64, 8, ctypes.c_void_p(address))


def py_callback_garbage():
    block = array.array("q", range(64))
    wild = DICE.getrandbits(64) >> DICE.randrange(40)
    C.qsort(ctypes.c_void_p(block.buffer_info()[0]), 64, 8, ctypes.c_void_p(wild))


def py_wrong_prototype():
    made = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(id(THINGS[3]))
    made(5)


def py_no_gil():
    def body():
        for _ in range(300000):
            C_API.PyList_New(3)
            C_API.PyDict_New()

    C_API = ctypes.CDLL(None)
    C_API.PyErr_Clear()
    C_API.PyList_New(3)


def py_no_thread_state():
    C_API = ctypes.CDLL(None)
    C_API.PyRun_SimpleString(b"x = [1, 2, 3]; import json; json.dumps(x)")


def py_recursion():
    sys.setrecursionlimit(1 << 30)

    class Deep:
        def __getattr__(self, name):
            return getattr(self, name + "x" if len(name) < 9 else "y")

        def __repr__(self):
            return repr([self])

    repr(Deep())


def py_nested_repr():
    sys.setrecursionlimit(1 << 30)
    deep = []
    for _ in range(100000):
        deep = [deep]
    try:
        repr(deep), deep == [deep]
    finally:
        API.PyObject_Repr.restype = ctypes.c_void_p
        C.abort()


def py_bad_code():
    def inner():
        return 1

    code = inner.__code__
    bad = bytes(DICE.randrange(1, 180) if i % 2 == 0 else DICE.randrange(256) for i in range(60))
    inner.__code__ = code.replace(co_code=bad, co_stacksize=1)
    inner()
    inner()


def py_bad_consts():
    def inner(a):
        return (a, 0x12345, "text")

    inner.__code__ = inner.__code__.replace(co_consts=())
    [inner(i) for i in range(20)], use_all()


def py_fatal_error():
    API.Py_FatalError(b"a fatal error of a test")


def py_no_exception():
    class Holder(ctypes.Structure):
        _fields_ = [("value", OBJECT)]

    broken = ctypes.pythonapi["PyObject_GetAttr"]
    broken.restype = OBJECT
    broken(OBJECT(5), None)
    Holder().value


def py_abort():
    os.abort()


def py_kill():
    os.kill(os.getpid(), DICE.choice((signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT)))


def py_faulthandler():
    import faulthandler

    faulthandler.enable()
    ctypes.string_at(DICE.choice((16, 0x5000 + SEED % 999, DICE.getrandbits(46))))


def py_faulthandler_abort():
    import faulthandler

    faulthandler.enable()
    os.abort()


def py_unmapped_buffer():
    import mmap

    room = mmap.mmap(-1, 1 << (12 + DICE.randrange(12)))
    address = ctypes.addressof(ctypes.c_char.from_buffer(room))
    C.munmap(ctypes.c_void_p(address), ctypes.c_size_t(len(room)))
    room[DICE.randrange(len(room))]


def py_truncated_map():
    import mmap
    import tempfile

    with tempfile.TemporaryFile(dir=".") as file:
        file.truncate(1 << 16)
        room = mmap.mmap(file.fileno(), 1 << 16)
        file.truncate(4096)
        room[5000 + DICE.randrange(50000)]


def py_freed_malloc():
    C.malloc.restype = ctypes.c_void_p
    place = C.malloc(ctypes.c_size_t(DICE.choice((64, 256, 4000))))
    C.free(ctypes.c_void_p(place))
    C.free(ctypes.c_void_p(place))
    C.malloc(ctypes.c_size_t(64)), C.free(ctypes.c_void_p(place + 8))


def py_free_object():
    C.free(ctypes.c_void_p(id(THINGS[some()]) + 16 * DICE.randrange(3)))
    use_all()


def py_wrong_allocator():
    C.malloc.restype = ctypes.c_void_p
    place = C.malloc(ctypes.c_size_t(64))
    API.PyObject_Free.argtypes = [ctypes.c_void_p]
    API.PyObject_Free(place)
    C.free(ctypes.c_void_p(place))
    C.free(ctypes.c_void_p(place))


def py_negative_size():
    room = bytearray(64)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    C.memset(ctypes.c_void_p(start), 0, ctypes.c_size_t((-DICE.randrange(1, 99)) & 0xFFFFFFFF))


def py_format():
    C.printf(b"%s %s %n\n", DICE.randrange(1, 1 << 20), 5, 6)


def py_gc_unlinked():
    head = id(THINGS[some()].parts) - 16
    poke(head, 0), poke(head + 8, 0)
    use_all()


def py_race():
    shared = [THINGS[0]]

    def free_it():
        for _ in range(2000):
            C.free(C_malloc(ctypes.c_size_t(120)))
            poke(ctypes.addressof(ADDRESS), 8 * DICE.randrange(500))

    C_malloc, ADDRESS = C.malloc, ctypes.c_uint64(ctypes.addressof(ctypes.create_string_buffer(64)))
    C_malloc.restype = ctypes.c_void_p
    C.free.argtypes = [ctypes.c_void_p]
    thread = threading.Thread(target=free_it)
    thread.start()
    for _ in range(100000):
        ctypes.c_uint64.from_address(ADDRESS.value).value
    shared


def py_thread_stack():
    threading.stack_size(65536)

    def body():
        room = array.array("q", range(20000))
        depth = lambda f, n: f(f, n)
        sys.setrecursionlimit(1 << 30)
        depth(lambda f, n: sorted([1, 2], key=lambda x: f(f, n + 1)), 0), room

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()


def py_closed_library():
    import _ctypes

    library = ctypes.CDLL(LIBRARY)
    run = library.run_bug
    _ctypes.dlclose(library._handle)
    run(b"none", 1)


def py_tagged():
    place = items_of(THINGS) + WORD * some()
    poke(place, peek(place) | DICE.choice((3, 5, 6, 7)))
    use_all()


def py_high_tag():
    place = items_of(THINGS) + WORD * some()
    poke(place, peek(place) | DICE.choice((0xFFFF, 0xFFF9, 0x7FF8, 0xA500)) << 48)
    use_all()


def py_high_tag_one():
    """An extension marks a reference in a table of its own, and forgets to take the mark off."""
    table = (ctypes.c_uint64 * 64)(*[id(thing) for thing in THINGS[:64]])
    number = DICE.randrange(64)
    table[number] |= 1 << DICE.choice((48, 56, 60, 62, 63))
    for address in table:
        len(ctypes.cast(ctypes.c_void_p(address), OBJECT).value.text)


def py_shifted_items():
    start = items_of(THINGS)
    place = start + WORD * (some() // 2)
    ctypes.memmove(place, place + 4, 64)
    use_all()


if KIND == "list":
    print("\n".join(name for name in globals() if name.startswith("py_")))
elif KIND.startswith("py_"):
    globals()[KIND]()
else:
    bugs = ctypes.CDLL(LIBRARY)
    bugs.run_bug.argtypes = [ctypes.c_char_p, ctypes.c_ulong]
    bugs.run_bug(KIND.encode(), SEED)
os._exit(0)
