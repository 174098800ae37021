# SPDX-License-Identifier: Apache-2.0
"""Small real programs of whose end something false was once said."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.cores import find_core
from support.opening import need_core_dumps

from gdb_epi.analysis import analyze
from gdb_epi.cli.main import main
from gdb_epi.cli.support.open_core import open_core
from gdb_epi.render.triage import Audience, render_triage
from gdb_epi.session import Session

UNTRACKED = """
import ctypes
def outer():
    number = 1
    def inner(): return number
    return inner
function = outer()
cell = function.__closure__[0]
untrack = ctypes.pythonapi.PyObject_GC_UnTrack
untrack.argtypes, untrack.restype = [ctypes.py_object], None
untrack(cell)
del cell
del function  # frees the cell, which takes it out of the collector's list once more
"""
JUMP_TO_ONE = """
import ctypes
class Thing: pass
thing = Thing()
slots = (ctypes.c_void_p * 40).from_address(id(Thing))
slots[11] = 1  # tp_repr of a type object, as the next owner of its memory might write it
repr(thing)
"""
COPY_TO_NULL = """
import ctypes
libc = ctypes.CDLL(None)
have = 300 << 20  # bytes of a buffer that realloc() could not make larger
libc.memmove.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
libc.memmove(have, bytes(1 << 20), 1 << 20)
"""


@pytest.fixture(autouse=True)
def _cores() -> None:
    need_core_dumps()


def record_of(source: str, folder: Path) -> dict[str, Any]:
    """Run a program that dies with this interpreter and return its record."""
    (folder / "prog.py").write_text(source)
    start = 'ulimit -c unlimited; exec "$0" prog.py'
    subprocess.run(["sh", "-c", start, sys.executable], cwd=folder, timeout=120, check=False)
    (core,) = find_core(folder)
    with open_core(str(core), sys.executable, None) as target:
        record = analyze(Session(target))
    core.unlink()
    return record


def screen(record: dict[str, Any]) -> str:
    """Return the answer as one line."""
    return " ".join(" ".join(render_triage(record, Audience(whole=True))).split())


def test_an_object_that_is_untracked_twice_is_no_forgotten_check_for_null(tmp_path: Path) -> None:
    text = screen(record_of(UNTRACKED, tmp_path))
    assert "NULL" not in text
    assert "an object was untracked or freed before, or overwritten" in text


def test_a_call_to_one_has_no_offset(tmp_path: Path) -> None:
    text = screen(record_of(JUMP_TO_ONE, tmp_path))
    assert "NULL" not in text and "offset of" not in text
    assert "the number 1 was taken for a pointer to code" in text


def test_far_behind_null_is_not_called_a_number_alone(tmp_path: Path) -> None:
    text = screen(record_of(COPY_TO_NULL, tmp_path))
    assert "number 314572800 (0x12c00000), or NULL plus that many bytes" in text


FREED_BLOCK = """
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = libc.strlen.argtypes = [ctypes.c_void_p]
first, second = libc.malloc(1000), libc.malloc(1000)  # a size that nobody asks for between
libc.free(first), libc.free(second)
ctypes.memset(second, 0x5A, 26)  # its link may lead to the heap again; no other place has these
libc.strlen(ctypes.c_void_p.from_address(second))
"""
FREED_OBJECT = """
import ctypes
class Thing: pass
things = [Thing() for _ in range(100)]
thing = things[50]
for _ in range(3): ctypes.pythonapi.Py_DecRef(ctypes.py_object(thing))
things.clear()
ctypes.memset(id(thing) + 8, 0xDD, 24)  # as the debug allocators do
print(thing.name)
"""


@pytest.mark.parametrize(("source", "whose"), [(FREED_BLOCK, "malloc"), (FREED_OBJECT, "python")])
def test_whose_memory_it_was(source: str, whose: str, tmp_path: Path) -> None:
    record = record_of(source, tmp_path)
    assert record["corruption"]["allocator"] == whose
    by_debug = "a filling pattern: Python's debug allocators fill freed memory with it"
    reasons = " ".join(record["verdict"]["reasons"])
    assert (by_debug in reasons) == (whose == "python")


UNTOUCHED = """
import ctypes, mmap
kept = mmap.mmap(-1, 1 << 28, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
ctypes.string_at(8)
"""


def test_memory_that_was_never_touched_is_not_missing(tmp_path: Path) -> None:
    record = record_of(UNTOUCHED, tmp_path)
    assert "memory" not in record["truncated"]
    assert "writable memory" not in screen(record)


WIPED = """
import ctypes, json, sys
form = json.loads('{"user": "mara", "pin": "4417-2206"}')
ctypes.memset(id(form["pin"]), 0, sys.getsizeof(form["pin"]))
json.dumps({"fields": form})
"""
INDICES_FOLLOWED = """
import ctypes
names = {f"name {number}": number for number in range(10)}
keys = ctypes.c_void_p.from_address(id(names) + 32).value  # ma_keys
head = 32 if __import__("sys").version_info >= (3, 11) else 40
ctypes.py_object.from_address(keys + head).value
"""


def test_an_object_that_was_wiped_while_a_dict_has_it_is_damage(tmp_path: Path) -> None:
    record = record_of(WIPED, tmp_path)
    assert record["verdict"]["damage"]["found"] and record["verdict"]["label"] == "software"
    assert "was overwritten: its type is 0, and 0x" in record["verdict"]["reasons"][0]
    assert "a word of an object in use was overwritten" in screen(record)


def test_the_indices_of_a_dict_are_no_overwritten_items(tmp_path: Path) -> None:
    record = record_of(INDICES_FOLLOWED, tmp_path)
    assert not record["verdict"]["damage"]["found"]
    assert "overwritten: it holds" not in screen(record)


FREED_AND_SHOWN = """
import ctypes
class Order:
    def __init__(self): self.lines = [7] * 3
show, take = ctypes.pythonapi.PyObject_Repr, ctypes.pythonapi.Py_IncRef
show.argtypes = take.argtypes = [ctypes.c_void_p]
thing = {thing}
address = id(thing)
del thing
for _ in range({taken}): take(address)
ctypes.memset(address + 8, 0, 8)  # its type: what was freed may keep it for a while
show(address)
"""


# The text is long: calls of ctypes use smaller blocks, and would have this one again (Debian 13).
@pytest.mark.parametrize("thing", ["Order()", "'-'.join(['abc'] * 100)"])
@pytest.mark.parametrize("taken", [0, 2])
def test_a_null_of_a_freed_object_is_a_use_after_free(
    thing: str, taken: int, tmp_path: Path
) -> None:
    source = FREED_AND_SHOWN.format(thing=thing, taken=taken)
    record = record_of(source, tmp_path)
    text = screen(record)
    assert record["verdict"]["cause"][0]["hypothesis"] == "use-after-free", text
    assert "a free block of pymalloc" in record["verdict"]["reasons"][0]
    assert "it used memory that was already freed" in text and "NULL pointer and" not in text
    assert not record["verdict"]["damage"]["found"]


FREED_TWICE = """
import ctypes
class Order:
    __slots__ = tuple(f"field{number}" for number in range(27))  # a size that nobody else asks for
untrack = ctypes.pythonapi.PyObject_GC_UnTrack  # the first that a deallocator does
untrack.argtypes, untrack.restype = [ctypes.c_void_p], None
others = [Order() for _ in range(40)]  # the free block has a next one
thing = Order()
address = id(thing)
del thing
untrack(address)
"""


def test_an_object_that_is_freed_twice_was_read_after_it_was_freed(tmp_path: Path) -> None:
    """The collector's link to the one before is 0: its own address is worked out from that."""
    record = record_of(FREED_TWICE, tmp_path)
    text = screen(record)
    assert record["verdict"]["cause"][0]["hypothesis"] == "use-after-free", text
    assert "free block of pymalloc" in record["verdict"]["reasons"][0]
    assert "NULL pointer and" not in text


EMPTY_ITEM = """
import ctypes
new = ctypes.pythonapi.PyList_New
new.restype = ctypes.py_object
max(new(40))  # nobody puts anything there
"""


def test_the_item_that_nobody_set_is_named(tmp_path: Path) -> None:
    text = screen(record_of(EMPTY_ITEM, tmp_path))
    assert "crashed on a NULL pointer" in text
    assert "item 0 of the list at 0x" in text


GC_IN_ANOTHER = """
import ctypes, gc
def other_code():
    gc.collect()
held = [[1], [2]]
items = ctypes.c_void_p.from_address(id(held) + 24).value  # ob_item
ctypes.c_void_p.from_address(items).value = 0x7F00DEAD0000
other_code()
"""
HOOK = """
import ctypes, os, sys
def charge():
    raise ValueError("no")
def hook(kind, error, lines):
    os.abort()
sys.excepthook = hook
charge()
"""


def shown_of(tmp_path: Path, program: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the answer about a program that dies, native frames included."""
    need_core_dumps()
    if shutil.which("gdb") is None:
        pytest.skip("needs GDB")
    (tmp_path / "prog.py").write_text(program)
    subprocess.run([sys.executable, "prog.py"], cwd=tmp_path, check=False, timeout=60)
    (core,) = find_core(tmp_path)
    assert main(["triage", "--no-db", str(core)]) == 0
    return " ".join(capsys.readouterr().out.split())


def test_what_a_collection_met_is_not_laid_at_the_door_of_the_code_it_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = shown_of(tmp_path, GC_IN_ANOTHER, capsys).partition(" Process ")[0]
    assert "during garbage collection, which began in other_code (prog.py:4)" in shown, shown
    assert "called from other_code" not in shown


def test_where_a_hook_ends_the_process_the_line_that_raised_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = shown_of(tmp_path, HOOK, capsys)
    assert ", in prog.py:4: ValueError was raised there and not caught" in shown, shown
    assert "ValueError, uncaught and being reported, raised in charge (prog.py:4)" in shown


FREED_BLOCKS = """
import ctypes
memory = ctypes.pythonapi
memory.PyMem_Malloc.restype = ctypes.c_void_p
memory.PyMem_Free.argtypes = [ctypes.c_void_p]
blocks = [memory.PyMem_Malloc(200) for number in range(64)]
for block in blocks:
    ctypes.memset(block, 0x30, 200)
for block in blocks[20:40]:
    memory.PyMem_Free(block)
last = blocks[38]  # the second that is given out again
"""
WRITES = "ctypes.c_double.from_address(last).value = 0.1"
FLIPS = "ctypes.c_uint64.from_address(last).value ^= 1 << 8  # into a block in use, or before one"
TAKES = "\nkept = [memory.PyMem_Malloc(200) for number in range(20)]\n"


@pytest.mark.parametrize(
    ("change", "label"), [(WRITES, "software"), (FLIPS, "damaged-memory")], ids=["write", "flip"]
)
def test_a_write_to_a_freed_block_is_told_from_a_flipped_link(
    change: str, label: str, tmp_path: Path
) -> None:
    record = record_of(FREED_BLOCKS + change + TAKES, tmp_path)
    assert record["verdict"]["label"] == label
    assert record["verdict"]["damage"]["found"]
    by_program = "a free block of Python's allocator was written to" in screen(record)
    assert by_program == (label == "software")


FIELD_OF_EXTENSION = """
import ctypes, numpy
whole = numpy.zeros(40)
arrays = [%s for _ in range(30)]
view = whole[:]
offset = 8 * list((ctypes.c_size_t * 10).from_address(id(view))).index(id(whole))
field = ctypes.c_size_t.from_address(id(arrays[20]) + offset)  # the field `base`
field.value |= %s  # as C code of the type might mark it, or keep a flag there
for array in arrays:
    getattr(array.base, "shape", 0)
"""


@pytest.mark.parametrize("bit", ["1", "4", "1 << 32", "1 << 48"])
def test_a_flag_in_a_field_of_an_extension_is_no_flipped_null(bit: str, tmp_path: Path) -> None:
    verdict = record_of(FIELD_OF_EXTENSION % ("numpy.zeros(3)", bit), tmp_path)["verdict"]
    assert (verdict["label"], verdict["damage"]["found"]) == ("software", False)


def test_a_type_of_an_extension_is_known_by_its_code_too(tmp_path: Path) -> None:
    """PyO3 calls its classes `builtins.X`, and tp_name may have no module."""
    program = FIELD_OF_EXTENSION % ("numpy.zeros(3)", "1")
    named = "ctypes.c_char_p.from_address(id(numpy.ndarray) + 24).value = b'ndarray'\n"
    verdict = record_of(program.replace("for array", f"{named}for array"), tmp_path)["verdict"]
    assert (verdict["label"], verdict["damage"]["found"]) == ("software", False)


@pytest.mark.parametrize("bit", ["1", "1 << 56"])
def test_a_mark_in_a_pointer_of_an_extension_leaves_a_doubt(bit: str, tmp_path: Path) -> None:
    record = record_of(FIELD_OF_EXTENSION % ("whole[:]", bit), tmp_path)
    assert record["verdict"]["confidence"] < 0.8, record["verdict"]


MOVED = """
import ctypes, gc, mmap
memory = mmap.mmap(-1, 1 << 20)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
gc.collect()
small = [mmap.mmap(-1, 4096) for _ in range(20)]
memory.resize(1 << 26)  # which moves it
ctypes.string_at(address, 100)
"""
ENDED_BESIDE = """
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
block = ctypes.c_void_p(libc.mmap(None, ctypes.c_size_t(1 << 22), 3, 0x22, -1, ctypes.c_long(0)))
@ctypes.CFUNCTYPE(None)
def ended():
    libc.munmap(block, ctypes.c_size_t(1 << 22))
    time.sleep(5)
libc.__cxa_atexit(ended, None, None)
def fill():
    while True:
        libc.memset(block, 1, ctypes.c_size_t(1 << 22))
threading.Thread(target=fill, daemon=True).start()
libc.exit(0)
"""


def test_memory_that_moved_was_not_masked_by_code_of_python(tmp_path: Path) -> None:
    text = screen(record_of(MOVED, tmp_path))
    assert "on purpose" not in text
    assert "already freed" in text


def test_what_an_exit_took_from_a_running_thread_is_told_as_that(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "was in exit()" in shown_of(tmp_path, ENDED_BESIDE, capsys)
