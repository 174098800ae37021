# SPDX-License-Identifier: Apache-2.0
"""The screen of a crash in C++ shows the functions of the program around the fault."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.cores import find_core
from support.opening import need_core_dumps

from gdb_epi.cli.main import main

LIBRARY = r"""
#include <algorithm>
#include <functional>
#include <vector>
#define APART __attribute__((noinline))
namespace shop {
struct Item { int *price; };
struct Cheaper {
    bool operator()(const Item &a, const Item &b) const { return compare(a, b); }
    static APART bool compare(const Item &a, const Item &b) { return *a.price < *b.price; }
};
APART void sort_items(std::vector<Item> &items) {
    std::sort(items.begin(), items.end(), Cheaper());
}
APART int visit(std::vector<Item> &items) {
    std::function<void()> visitor = [&] { sort_items(items); };
    visitor();
    return 1;
}
APART int load(int count) {
    static int one = 1;
    std::vector<Item> items(count, Item{&one});
    items[count / 2].price = nullptr;
    return visit(items) + 1;
}
APART int third(int count) { return load(count) + 1; }
APART int second(int count) { return third(count) + 1; }
}
extern "C" int first_of_all(int count) { return shop::second(count) + 1; }
"""
PROGRAM = """
import ctypes
library = ctypes.CDLL("./libshop.so")
def price(n): return library.first_of_all(n)
""" + "".join(f"def step{n}(n): return {f'step{n - 1}' if n else 'price'}(n)\n" for n in range(12))


@pytest.mark.parametrize("debug", ["-g", "-g0"])
def test_functions_around_the_fault_are_shown(
    debug: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    need_core_dumps()
    if shutil.which("g++") is None or shutil.which("gdb") is None:
        pytest.skip("needs g++ and GDB")
    (tmp_path / "shop.cpp").write_text(LIBRARY)
    build = ["g++", "-O1", debug, "-shared", "-fPIC", "-o", "libshop.so", "shop.cpp"]
    subprocess.run(build, cwd=tmp_path, check=True, timeout=300)
    (tmp_path / "prog.py").write_text(PROGRAM + "step11(30)\n")
    start = 'ulimit -c unlimited; exec "$0" prog.py'
    subprocess.run(["sh", "-c", start, sys.executable], cwd=tmp_path, timeout=120, check=False)
    (core,) = find_core(tmp_path)
    assert main(["triage", "--no-db", str(core)]) == 0
    screen = capsys.readouterr().out
    core.unlink()
    stack = screen.partition("Stack of")[2].partition("Next ")[0]
    for name in ("Cheaper::compare", "sort_items", "visit", "load"):
        assert f"shop::{name} " in stack
    assert "first_of_all" in stack, "what Python called"
    assert "price " in stack and "<module>" in stack
    assert len(stack.splitlines()) <= 16
