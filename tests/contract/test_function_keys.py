# SPDX-License-Identifier: Apache-2.0
"""Functions of a stripped extension have a key each, by their instructions (SPEC.md N67 to N69)."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.cores import find_core
from support.opening import need_core_dumps, need_gdb
from support.zoo import headers, keys_of, signed

from gdb_epi.signature.sign import SignedProcess
from gdb_epi.target.corefile import CoreFileTarget

# Both read a field of what the caller passes as an address: 8 is none.
SOURCE = r"""
#include <Python.h>
#ifdef IN_FRONT
static const double weights[] = {0.5, 1.5, 2.5};
static PyObject *weigh(PyObject *module, PyObject *many)
{
    double sum = 0;
    for (long i = PyLong_AsLong(many); i > 0; i--) sum += weights[i % 3] * i;
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(sum);
}
#endif
struct item { long length; struct item *next; char kind; };
static PyObject *measure(PyObject *module, PyObject *where)
{
    long sum = 0;
    for (struct item *item = PyLong_AsVoidPtr(where); item; item = item->next) sum += item->length;
    return PyLong_FromLong(sum);
}
static PyObject *classify(PyObject *module, PyObject *where)
{
    struct item *items = PyLong_AsVoidPtr(where);
    for (int i = 0; i < 3; i++)
        if (items[i].kind == 'x') return PyUnicode_FromFormat("%d", i);
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {
#ifdef IN_FRONT
    {"weigh", weigh, METH_O, NULL},
#endif
    {"measure", measure, METH_O, NULL}, {"classify", classify, METH_O, NULL}, {0}
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "shelf", NULL, -1, methods};
PyMODINIT_FUNC PyInit_shelf(void) { return PyModule_Create(&module); }
"""
# Only the native thread dies; the main one waits in C.
THREAD = r"""
#include <pthread.h>
#include <unistd.h>
volatile int *volatile nothing;
__attribute__((noinline)) static void poll_sensor(void) { *nothing = 1; }
static void *feeder(void *unused) { poll_sensor(); return unused; }
void start(void) { pthread_t t; pthread_create(&t, 0, feeder, 0); pthread_join(t, 0); }
"""
RUNS = 5


def need_gcc() -> None:
    need_core_dumps()
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to build the extension with; try: apt install gcc")


def randomised() -> None:
    """Let the kernel choose addresses again: the tests' own programs have fixed ones."""
    ctypes.CDLL(None).personality(0)


def build(folder: Path, *options: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "shelf.c").write_text(SOURCE)
    command = ["gcc", "-O2", "-shared", "-fPIC", f"-I{headers()}", *options, "shelf.c"]
    subprocess.run([*command, "-o", "shelf.so"], cwd=folder, check=True)
    return folder


def crash(folder: Path, code: str) -> Path:
    """Return the core of a program that dies in a folder."""
    command = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh", sys.executable, "-c", code]
    subprocess.run(command, cwd=folder, preexec_fn=randomised, check=False)
    (core,) = find_core(folder)
    return core


def of_function(folder: Path, function: str, gdb: str) -> SignedProcess:
    core = crash(folder, f"import shelf\nshelf.{function}(8)")
    made = signed(core, gdb)
    core.unlink()
    return made


def code_of(made: SignedProcess) -> str | None:
    return made.signature.function_code


@pytest.mark.heavy
def test_two_functions_of_a_stripped_extension(tmp_path: Path) -> None:
    gdb = need_gdb()
    need_gcc()
    stripped = build(tmp_path / "stripped", "-s")
    first = [of_function(stripped, "measure", gdb) for _ in range(2)]
    second = [of_function(stripped, "classify", gdb) for _ in range(2)]
    lines = [keys_of(made) for made in (*first, *second)]
    assert lines[0] == lines[1]  # each run has other addresses
    assert lines[2] == lines[3]
    # The keys that do not know the code are those of before.
    for name in ("strict", "stable", "coarse"):
        assert lines[0][name] == lines[2][name]
    assert lines[0]["coarse"] == "gsig/2 coarse segv-null shelf.so!? <-- py:__main__.<module>"
    assert lines[0]["code"] != lines[2]["code"]
    assert lines[0]["code"] == (
        f"gsig/2 code segv-null shelf.so!{code_of(first[0])} <-- py:__main__.<module>"
    )
    # Another function in front of both, and its constants.
    rebuilt = build(tmp_path / "rebuilt", "-s", "-DIN_FRONT")
    for function, line in (("measure", lines[0]), ("classify", lines[2])):
        again = keys_of(of_function(rebuilt, function, gdb))
        assert again["exact"] != line["exact"]
        assert again["code"] == line["code"]
    # Other options are other instructions.
    other = build(tmp_path / "other", "-s", "-O0")
    assert keys_of(of_function(other, "measure", gdb))["code"] != lines[0]["code"]


def test_no_key_where_the_function_has_a_name(tmp_path: Path) -> None:
    gdb = need_gdb()
    need_gcc()
    made = of_function(build(tmp_path / "named"), "measure", gdb)
    assert keys_of(made)["coarse"] == "gsig/2 coarse segv-null measure <-- py:__main__.<module>"
    assert "code" not in made.signature.keys
    assert made.signature.absent["code"] == "the function has a name"


def test_without_the_file_the_keys_are_those_of_before(tmp_path: Path) -> None:
    gdb = need_gdb()
    need_gcc()
    folder = build(tmp_path / "gone", "-s")
    core = crash(folder, "import shelf\nshelf.measure(8)")
    (folder / "shelf.so").rename(folder / "elsewhere")
    for library in (None, build(tmp_path / "another", "-s", "-O1") / "shelf.so"):
        if library is not None:  # the same name, but not the build-id: it is not believed
            shutil.copy(library, folder / "shelf.so")
        made = signed(core, gdb)
        assert set(made.signature.keys) == {"python"}
        assert made.signature.absent["code"] == (
            "no native stack (the files of the mapped objects are not here: the unwinder could "
            "only guess)"
        )


@pytest.mark.heavy
def test_a_nameless_native_thread_has_one_key(tmp_path: Path) -> None:
    gdb = need_gdb()
    need_gcc()
    (tmp_path / "sensor.c").write_text(THREAD)
    build_it = ["gcc", "-O2", "-s", "-shared", "-fPIC", "-pthread", "sensor.c", "-o", "sensor.so"]
    subprocess.run(build_it, cwd=tmp_path, check=True)
    keys, places = [], set()
    for _ in range(RUNS):
        core = crash(tmp_path, "import ctypes\nctypes.CDLL('./sensor.so').start()")
        places.add(CoreFileTarget.open(core).threads()[0].registers["rip"])
        keys.append(keys_of(signed(core, gdb)))
        core.unlink()
    if len(places) < 2:
        pytest.skip("this machine puts programs at the same addresses each time")
    assert all(of_run == keys[0] for of_run in keys)
    assert keys[0]["stable"] == "gsig/2 stable segv-null sensor.so!?"
    assert keys[0]["code"].startswith("gsig/2 code segv-null sensor.so!fn_")
