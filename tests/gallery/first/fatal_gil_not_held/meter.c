// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *read_all(PyObject *self, PyObject *args)
{
    int count;
    if (!PyArg_ParseTuple(args, "i", &count)) return NULL;
    PyObject *total = NULL;
    Py_BEGIN_ALLOW_THREADS
    total = PyList_New(0);
    for (int n = 0; n < count; n++) {
        PyObject *bad = PyObject_CallFunction(total, "i", n);
        if (!bad) PyErr_Clear();
    }
    Py_END_ALLOW_THREADS
    return total;
}

static PyMethodDef methods[] = {{"read_all", read_all, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "meter", "", -1, methods};
PyMODINIT_FUNC PyInit_meter(void) { return PyModule_Create(&module); }
