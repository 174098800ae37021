# SPDX-License-Identifier: Apache-2.0
"""What filled the memory of real processes that got no more; each wrote down what it had made."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.cores import find_core
from support.interpreters import Interpreter, own_interpreters
from support.opening import need_core_dumps
from support.packages import NoPackages, packages_for

from gdb_epi.analysis import analyze
from gdb_epi.cli.support.open_core import open_core
from gdb_epi.render.triage import Audience, render_triage
from gdb_epi.session import Session

LIMIT = """
import os, resource
_, most = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (120 << 20, most))
number = 0
spare = [str(number) for number in range(20000)]  # for what is done in the end
def died():
    resource.setrlimit(resource.RLIMIT_AS, (most, most))  # to write it down
    with open("number", "w") as file:
        file.write(str(number))
    os.abort()
"""
BUFFERS = (
    LIMIT
    + """
data = []
def load():
    data.append(bytearray(5 << 20))
try:
    while True:
        load()
        number += 1
except MemoryError:
    spare.clear()
    died()
"""
)
OBJECTS = (
    LIMIT
    + """
class Order:
    def __init__(self):
        self.lines = [str(number), number + 0.5]
class Shop:
    pass
def main():
    global number
    shop = Shop()
    shop.cache = {}
    try:
        while True:
            shop.cache["order %d" % number] = Order()
            number += 1
    except MemoryError:
        spare.clear()
        died()
main()
"""
)
CYCLES = (
    LIMIT
    + """
import gc
gc.disable()
class Node: pass
try:
    while True:
        first = Node()
        first.itself = first
        number += 1
except MemoryError:
    spare.clear()
    first = None
    died()
"""
)
OF_C = (
    LIMIT
    + """
import ctypes
allocate = ctypes.CDLL(None).malloc
allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
while allocate(1 << 22):
    number += 1
try:
    kept = [bytes(100000) for _ in range(10000)]
except MemoryError:
    spare.clear()
    died()
"""
)
# As numpy does it: huge pages from the second page of the block on. The kernel divides the mapping.
ADVISED = OF_C.replace(
    "while allocate(1 << 22):",
    """advise = ctypes.CDLL(None).madvise
advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
while block := allocate(1 << 22):
    advise(block // 4096 * 4096 + 4096, 1 << 22, 14)""",
)
ARRAYS = (
    "import numpy\n"
    + LIMIT.replace("120 << 20", "900 << 20")
    + """
data = []
def load():
    data.append(numpy.ones((1024, 1024, 5))[::2])
try:
    while True:
        load()
        number += 1
except MemoryError:
    spare.clear()
    died()
"""
)
SMALL_ARRAYS = (
    "import numpy, array, os\n"
    + """
kept = [numpy.ones(1000) for _ in range(2000)]
words = numpy.array(["word %d" % number for number in range(50000)], dtype=object)
rows = [array.array("d", [number] * 2000) for number in range(500)]
open("number", "w").write("1")
try:
    [0] * 10**13
except MemoryError:
    os.abort()
"""
)
TOO_MUCH = (
    LIMIT
    + """
try:
    [0] * 10**13
except MemoryError:
    spare.clear()
    died()
"""
)


@pytest.fixture(autouse=True)
def _cores() -> None:
    need_core_dumps()


LARGE = (
    LIMIT.replace("120 << 20", "2 << 30")
    + """
numbers = list(range(10**9, 10**9 + 4_500_000))
table = {place: None for place in range(2 * 10**9, 2 * 10**9 + 1_300_000)}
try:
    [0] * 10**13
except MemoryError:
    spare.clear()
    died()
"""
)
# Of each way to keep attributes and to count references: dicts of instances, values beside them
# (3.11) or in them (3.13), immortal objects (3.12).
EACH = pytest.mark.parametrize("interpreter", own_interpreters(), ids=lambda made: made.id)


def death_of(
    interpreter: Interpreter, source: str, folder: Path, packages: str = ""
) -> tuple[dict[str, Any], int]:
    """Run a program that dies; return its record, and the number that it wrote down."""
    (folder / "prog.py").write_text(source)
    command = interpreter.command("prog.py", cwd=folder)
    start = ["sh", "-c", 'ulimit -c unlimited; exec "$0" "$@"', *command]
    environment = interpreter.environment()
    environment |= {"PYTHONPATH": packages, "OPENBLAS_NUM_THREADS": "1"} if packages else {}
    subprocess.run(start, cwd=folder, env=environment, timeout=300, check=False)
    (core,) = find_core(folder)
    with open_core(str(core), str(interpreter.host_executable), None) as target:
        record = analyze(Session(target))
    core.unlink()
    return record, int((folder / "number").read_text())


def screen(record: dict[str, Any]) -> str:
    return " ".join(" ".join(render_triage(record, Audience(whole=True))).split())


def of_type(kinds: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(kind for kind in kinds if kind["type"] == name)


def is_about(number: int, truth: int) -> bool:
    return abs(number - truth) <= truth // 10 + 2


@EACH
def test_few_large_buffers_are_counted_and_their_list_is_named(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    record, number = death_of(interpreter, BUFFERS, tmp_path)
    use = record["memory_use"]
    buffers = of_type(use["python"]["types"], "bytearray")
    assert buffers["number"] == number
    assert is_about(buffers["bytes"], number * (5 << 20))
    holder = use["holders"][0]
    assert (holder["where"], holder["length"]) == ("data of module __main__", number)
    words = screen(record)
    assert f"in `data` of module __main__: a list with {number} items of type bytearray" in words
    assert "raised in load (prog.py:" in words


@EACH
@pytest.mark.heavy
def test_many_small_objects_are_estimated_and_the_attribute_is_named(
    interpreter: Interpreter, tmp_path: Path
) -> None:
    record, number = death_of(interpreter, OBJECTS, tmp_path)
    use = record["memory_use"]
    assert use["anonymous"] // 2 < use["python"]["reached"] < use["anonymous"]
    assert is_about(of_type(use["python"]["types"], "__main__.Order")["number"], number)
    holder = use["holders"][0]
    assert holder["where"] == "shop.cache, a local of main()"
    assert is_about(holder["length"], number)
    assert holder["items"] == "__main__.Order"
    assert "order 1" not in str(record)  # no values


@pytest.mark.parametrize("interpreter", own_interpreters()[:: len(own_interpreters()) - 1 or 1])
def test_millions_of_items_are_not_cut_off(interpreter: Interpreter, tmp_path: Path) -> None:
    """Readers of values stop at a million entries, and refuse lists of more than four."""
    record, _ = death_of(interpreter, LARGE, tmp_path)
    use = record["memory_use"]
    lengths = {holder["where"]: holder["length"] for holder in use["holders"]}
    assert lengths["numbers of module __main__"] == 4_500_000
    assert lengths["table of module __main__"] == 1_300_000
    assert is_about(of_type(use["python"]["types"], "int")["number"], 5_800_000)


def test_garbage_in_cycles_is_seen_though_no_variable_leads_to_it(tmp_path: Path) -> None:
    record, number = death_of(own_interpreters()[0], CYCLES, tmp_path)
    use = record["memory_use"]
    assert use["python"]["reached"] < use["anonymous"] // 2
    assert is_about(of_type(use["small_blocks"]["types"], "__main__.Node")["number"], number)
    assert "no variable leads to most of it: look for cycles that gc has not freed" in screen(
        record
    )


@pytest.mark.parametrize("source", [OF_C, ADVISED], ids=["plain", "huge pages"])
def test_memory_of_c_code_is_not_called_objects_of_python(source: str, tmp_path: Path) -> None:
    record, number = death_of(own_interpreters()[-1], source, tmp_path)
    use = record["memory_use"]
    assert use["python"]["reached"] + use["small_blocks"]["bytes"] < use["anonymous"] // 4
    assert is_about(use["unowned_blocks"]["bytes"], number * (4 << 20))
    assert "of malloc" in screen(record)
    assert "are in no object that was found: memory of C code" in screen(record)


@pytest.mark.heavy
def test_arrays_of_numpy_hold_what_they_or_their_owners_hold(tmp_path: Path) -> None:
    interpreter, numpy = _with_numpy()
    record, number = death_of(interpreter, ARRAYS, tmp_path, numpy)
    arrays = of_type(record["memory_use"]["python"]["types"], "numpy.ndarray")
    assert is_about(arrays["bytes"], number * (40 << 20))
    assert f"in `data` of module __main__: a list with {number} items" in screen(record)
    assert "a MemoryError is handled in this thread" in screen(record)  # a class made from it


def test_arrays_in_the_heap_of_malloc_count_their_items(tmp_path: Path) -> None:
    interpreter, numpy = _with_numpy()
    record, _ = death_of(interpreter, SMALL_ARRAYS, tmp_path, numpy)
    kinds = record["memory_use"]["python"]["types"]
    assert is_about(of_type(kinds, "numpy.ndarray")["bytes"], 2000 * 8000 + 50000 * 8)
    assert is_about(of_type(kinds, "array.array")["bytes"], 500 * 16000)
    assert of_type(kinds, "str")["number"] > 50000


def _with_numpy() -> tuple[Interpreter, str]:
    interpreter = own_interpreters()[-1]
    try:
        return interpreter, packages_for(interpreter, ["numpy"])
    except NoPackages as error:
        pytest.skip(str(error))


def test_one_request_that_is_too_large_is_no_full_memory(tmp_path: Path) -> None:
    record, _ = death_of(own_interpreters()[0], TOO_MUCH, tmp_path)
    assert "look for one very large request, or a low limit" in screen(record)


def test_an_ordinary_abort_is_not_looked_at(tmp_path: Path) -> None:
    source = 'import os; open("number", "w").write("1"); os.abort()'
    record, _ = death_of(own_interpreters()[0], source, tmp_path)
    assert "memory_use" not in record
