# SPDX-License-Identifier: Apache-2.0
"""Functions of extension modules without symbols have the names that Python calls them by."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from support.cores import START, find_core
from support.interpreters import one_per_minor
from support.opening import need_core_dumps
from support.shell import Shell

SOURCE = """
#include <Python.h>

static __attribute__((noipa)) int inner(int *place) { return *place + 1; }

static PyObject *first(PyObject *module, PyObject *how) { return PyLong_FromLong(1); }

static PyObject *second(PyObject *module, PyObject *how)
{
    return PyLong_FromLong(inner(PyLong_AsVoidPtr(how)) + 1);
}

static PyMethodDef methods[] = {
    {"the_first", first, METH_O, NULL}, {"the_second", second, METH_O, NULL}, {NULL, NULL, 0, NULL}
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "bare", NULL, -1, methods};

PyMODINIT_FUNC PyInit_bare(void) { return PyModule_Create(&module); }
"""


def test_a_stripped_module(tmp_path: Path) -> None:
    need_core_dumps()
    interpreter = [
        interpreter
        for interpreter in one_per_minor()
        if interpreter.root is None and interpreter.minor >= (3, 11)
    ][-1]
    (tmp_path / "bare.c").write_text(SOURCE)
    include = "import sysconfig; print(sysconfig.get_path('include'))"
    done = subprocess.run(
        [*interpreter.argv, "-c", include], env=interpreter.environment(),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    build = ["gcc", "-O2", "-s", "-shared", "-fPIC", f"-I{done.stdout.strip()}", "bare.c"]
    subprocess.run([*build, "-o", "bare.so"], cwd=tmp_path, check=True)
    code = "import bare\nbare.the_second(8)"
    subprocess.run(
        ["/bin/sh", "-c", START, "sh", *interpreter.argv, "-c", code],
        cwd=tmp_path, env={**interpreter.environment(), "GDB_EPI_FILTER": ""}, check=False,
    )  # fmt: skip
    (core,) = find_core(tmp_path)
    shell = Shell(tmp_path)
    answer = shell("triage", "--no-db", "--native", "always", "--format", "json", core)
    (record,) = answer.records
    names = [frame.get("python_name") for frame in record["threads"]["crashed"]["frames"]]
    assert names[:2] == [None, "the_second"], names  # no table has the inner one
    assert not any(names[2:])
    screen = shell("triage", "--no-db", "--native", "always", core).out
    # How far apart is a matter of the other lines: those of a stripped interpreter are longer.
    assert re.search(r"^  C   the_second of bare +bare\.so$", screen, re.MULTILINE), screen
