// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *set_level(PyObject *self, PyObject *args)
{
    char level[2] = {0};
    if (!PyArg_ParseTuple(args, "l", (long *)(level + 1))) return NULL;
    return PyLong_FromLong(level[1]);
}

static PyMethodDef methods[] = {{"set_level", set_level, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "mixer", "", -1, methods};
PyMODINIT_FUNC PyInit_mixer(void) { return PyModule_Create(&module); }
